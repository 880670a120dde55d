// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/failure.hpp>

#include <doctest/doctest.h>

#include <set>

namespace {

std::vector<lkt::failure> one_of_each() {
    return {lkt::no_code{"it is empty"},
            lkt::refused{"asm", "inline assembly is not for a CPU", {3, 5}},
            lkt::wrong_signature{"void k(float* a)", "void k(int* a)"},
            lkt::compile_failed{"kernel.cu:2:1: error: no", {2, 1}},
            lkt::launch_failed{"the block has 2048 threads"},
            lkt::crashed{"segmentation fault at address 0x0", {}},
            lkt::out_of_bounds{"write of 4 bytes", {7, 0}},
            lkt::timed_out{lkt::seconds(10), "launch"},
            lkt::race{"element 3 of out is 1 or 2"},
            lkt::wrong_output{"uniform", "out", 3, "1", "2", 5, 64, "the last 5"},
            lkt::implausible{"3 us for what takes 9"},
            lkt::no_configuration{"each of 4 failed"}};
}

} // namespace

TEST_CASE("each failure has a name and a description of its own") {
    std::set<std::string> names, texts;
    auto const all = one_of_each();
    CHECK(all.size() == std::variant_size_v<lkt::failure>);
    for (lkt::failure const& f : all) {
        names.emplace(name_of_failure(f));
        texts.insert(describe(f));
    }
    CHECK(names.size() == all.size());
    CHECK(texts.size() == all.size());
    CHECK(names.contains("oob-write"));
    CHECK(names.contains("no-configuration"));
}

TEST_CASE("descriptions say what, where and why") {
    CHECK(describe(lkt::refused{"asm", "inline assembly is not for a CPU", {3, 5}}) ==
          "`asm` at line 3, column 5 was refused: inline assembly is not for a CPU.");
    CHECK(describe(lkt::crashed{"stack overflow", {}}) == "The kernel crashed: stack overflow.");
    CHECK(describe(lkt::timed_out{lkt::seconds(0.5), ""}) ==
          "The run did not end within its limit of 500 ms.");
    CHECK(describe(lkt::race{"out[3] differs", lkt::verdict::portability}) ==
          "The result depends on what differs between devices: out[3] differs.");
    CHECK(describe(lkt::race{"is a barrier missing?"}).ends_with("is a barrier missing?"));
    using lkt::verdict;
    CHECK(describe(lkt::out_of_bounds{"4 bytes after x", {2, 0}, verdict::oob_read}) ==
          "A read is out of bounds at line 2: 4 bytes after x.");
    CHECK(describe(lkt::out_of_bounds{"4 bytes after y", {}}) ==
          "A write is out of bounds: 4 bytes after y.");
    CHECK(describe(lkt::out_of_bounds{"4 bytes after y", {2, 0}, verdict::oob_write, "n=5"}) ==
          "A write is out of bounds in test `n=5` at line 2: 4 bytes after y.");
    CHECK(describe(lkt::out_of_bounds{"argument x", {}, verdict::input_mutated}) ==
          "The kernel writes to an input: argument x.");
    CHECK(describe(lkt::wrong_output{"uniform", "out", 3, "1", "2", 5, 64, "the last 5"}) ==
          "Wrong output in test `uniform`: `out[3]` is 2, expected 1; 5 of 64 elements are wrong "
          "(the last 5).");
}

TEST_CASE("each failure says what kind of wrong it is") {
    std::set<lkt::verdict> kinds;
    for (lkt::failure const& f : one_of_each()) kinds.insert(verdict_of(f));
    CHECK(kinds.size() == std::variant_size_v<lkt::failure>);
    CHECK_FALSE(kinds.contains(lkt::verdict::accepted));
    CHECK(verdict_of(lkt::timed_out{lkt::seconds(60), "compile"}) == lkt::verdict::compile_error);
    CHECK(name_of_failure(lkt::timed_out{lkt::seconds(60), "compile"}) == "compile-error");
    CHECK(name_of_failure(lkt::timed_out{lkt::seconds(60), "launch"}) == "timeout");
    CHECK(name_of_failure(lkt::out_of_bounds{"", {}, lkt::verdict::oob_read}) == "oob-read");
    CHECK(verdict_of(lkt::refused{"static int n", "it stays", {}, lkt::verdict::stateful}) ==
          lkt::verdict::stateful);
}
