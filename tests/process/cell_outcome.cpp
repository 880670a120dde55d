// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/cell_outcome.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <vector>

namespace {

std::vector<lkt::cell_end> const every_end{
    lkt::cell_exited{3},
    lkt::cell_signalled{SIGSEGV, true, 0x10, 0x401000, false},
    lkt::cell_signalled{SIGSEGV, true, 0x7ffe0000, 0x401000, true},
    lkt::cell_signalled{SIGKILL, false, 0, 0, false},
    lkt::cell_refused{41, "socket"},
    lkt::cell_timed_out{},
    lkt::cell_out_of_memory{"std::bad_alloc"},
    lkt::cell_overcrowded{300},
    lkt::cell_threw{"what"},
};

} // namespace

TEST_CASE("every end has words") {
    std::vector<std::string> words;
    for (auto const& end : every_end) words.push_back(describe(end));
    CHECK(words == std::vector<std::string>{"exited with status 3",
                                            "segmentation fault at address 0x10",
                                            "stack overflow at address 0x7ffe0000",
                                            "killed from outside",
                                            "refused: socket",
                                            "ran longer than its limit",
                                            "out of memory: std::bad_alloc",
                                            "too many threads (300)",
                                            "threw: what"});
}

TEST_CASE("every outcome travels; no prefix of it is taken for one") {
    for (auto const& end : every_end) {
        lkt::cell_outcome o;
        o.end = end;
        o.message = "message";
        o.output = std::string{"out\0put", 7};
        o.output_cut = true;
        o.wall = std::chrono::nanoseconds{12};
        o.cpu = std::chrono::nanoseconds{34};
        o.peak_rss = 56;
        lkt::packer out;
        put(out, o);
        lkt::unpacker in{out.bytes()};
        auto const back = lkt::read_cell_outcome(in);
        CHECK(in.complete());
        CHECK(back.end.index() == end.index());
        CHECK(describe(back.end) == describe(end));
        CHECK(back.message == "message");
        CHECK(back.output == o.output);
        CHECK(back.output_cut);
        CHECK(back.wall.count() == 12);
        CHECK(back.cpu.count() == 34);
        CHECK(back.peak_rss == 56);
        for (std::size_t n = 0; n < out.bytes().size(); ++n) {
            lkt::unpacker cut{std::string_view{out.bytes()}.substr(0, n)};
            (void)lkt::read_cell_outcome(cut);
            CHECK_FALSE(cut.good());
        }
    }
    std::string const nonsense(200, '\x7f');
    lkt::unpacker in{nonsense};
    (void)lkt::read_cell_outcome(in);
    CHECK_FALSE(in.good());
}
