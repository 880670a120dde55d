// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/recorded_oracle.hpp>

#include <doctest/doctest.h>

#include <lkt/core/files.hpp>
#include <lkt/verify/function_oracle.hpp>
#include <lkt/verify/npy.hpp>
#include <lkt/verify/signature_tests.hpp>

#include "fake_backend.hpp"

#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <utility>

namespace {

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

lkt::result<void> twice(lkt::problem_size const&, std::vector<lkt::argument_data>& a) {
    for (std::size_t k = 0; k < a[0].lanes(); ++k) {
        if (a[1].type.scalar == lkt::scalar_type::float32) {
            float const value = 2 * a[0].lane<float>(k);
            std::memcpy(a[1].bytes.data() + 4 * k, &value, 4);
        } else {
            auto const value = static_cast<std::uint16_t>(0x3f80 + k); // bfloat16s from 1 on
            std::memcpy(a[1].bytes.data() + 2 * k, &value, 2);
        }
    }
    return {};
}

struct folder {
    std::string path = "/tmp/lkt-record-" + std::to_string(::getpid()) + "/deep";
    folder() { std::filesystem::remove_all(path); }
    ~folder() { std::filesystem::remove_all(path.substr(0, path.rfind('/'))); }
};

lkt::problem task_of_two_sizes() {
    auto task = test::doubling_problem(64);
    task.further_sizes = {{{"N", 5}}};
    return task;
}

std::vector<lkt::test_case> tests_of(lkt::problem const& task) {
    return lkt::signature_tests{}.generate(task, {}).value();
}

lkt::test_suite record(lkt::problem const& task, std::string const& path) {
    auto suite =
        lkt::suite_of(lkt::function_oracle{&twice, "twice"}, task, tests_of(task), {}).value();
    auto const done = lkt::record_suite(task, suite, path);
    if (!done) FAIL(to_string(done.error()));
    return suite;
}

lkt::error
fault(lkt::problem const& task, std::string const& path, std::vector<lkt::test_case> tests) {
    auto const made = lkt::suite_of(lkt::recorded_oracle{path}, task, std::move(tests), {});
    REQUIRE(made.has_error());
    return made.error();
}

} // namespace

TEST_CASE("What was recorded comes back, whatever the order of the tests") {
    folder const f;
    auto const task = task_of_two_sizes();
    auto const suite = record(task, f.path);
    auto tests = tests_of(task);
    REQUIRE(tests.size() == 3);
    std::swap(tests[1], tests[2]);
    auto const again = lkt::suite_of(lkt::recorded_oracle{f.path}, task, tests, {}).value();
    CHECK(again.tests[0].expected == suite.tests[0].expected);
    CHECK(again.tests[1].expected == suite.tests[2].expected);
    CHECK(again.tests[2].expected == suite.tests[1].expected);
    CHECK(again.tests[0].bounds == suite.tests[0].bounds);
    CHECK(has(again.oracle, f.path));
}

TEST_CASE("bfloat16 outputs survive their record bit by bit") {
    folder const f;
    auto task = test::doubling_problem(64);
    task.signature.arguments[1].type.scalar = lkt::scalar_type::bfloat16;
    auto const suite = record(task, f.path);
    auto const again = lkt::suite_of(lkt::recorded_oracle{f.path}, task, tests_of(task), {});
    REQUIRE(again.has_value());
    CHECK(again->tests[0].expected == suite.tests[0].expected);
}

TEST_CASE("Other inputs, sizes and kernels than those recorded are refused, and named") {
    folder const f;
    auto const task = task_of_two_sizes();
    (void)record(task, f.path);
    auto tests = tests_of(task);
    tests[0].arguments[0].bytes[3] ^= std::byte{0x80};
    auto e = fault(task, f.path, tests);
    CHECK(e.code == "lkt.verify.oracle_record");
    CHECK(has(e.message,
              "different inputs were recorded for the size N=64, `x` is the first that differs"));
    CHECK_FALSE(e.hint.empty());
    auto const larger = test::doubling_problem(65);
    CHECK(has(fault(larger, f.path, tests_of(larger)).message, "no test of the size N=65"));
    auto other = task;
    other.signature.arguments[0].name = "z";
    CHECK(has(fault(other, f.path, tests_of(other)).message, "a kernel with the arguments"));
    CHECK(fault(task, f.path + "/nowhere", tests_of(task)).code == "lkt.file.missing");
}

TEST_CASE("A damaged record is refused") {
    folder const f;
    auto const task = task_of_two_sizes();
    (void)record(task, f.path);
    std::string const y = f.path + "/0.1.y.npy", manifest = f.path + "/manifest.json";
    auto const kept = lkt::read_text_file(y).value();
    REQUIRE(!lkt::write_text_file(y, kept.substr(0, kept.size() - 4)));
    CHECK(fault(task, f.path, tests_of(task)).code == "lkt.verify.npy");
    REQUIRE(
        lkt::write_npy(y, {lkt::scalar_type::float64, {1}, std::vector<std::byte>(8)}).has_value());
    CHECK(has(fault(task, f.path, tests_of(task)).message, "holds float64"));
    REQUIRE(lkt::write_npy(y, {lkt::scalar_type::float32, {3}, std::vector<std::byte>(12)})
                .has_value());
    CHECK(has(fault(task, f.path, tests_of(task)).message, "3 numbers instead of 64"));
    std::filesystem::remove(y);
    CHECK(fault(task, f.path, tests_of(task)).code == "lkt.file.missing");
    auto const words = lkt::read_text_file(manifest).value();
    int refused = 0;
    for (std::string const& text : {std::string("{"),
                                    std::string("[]"),
                                    std::string("{}"),
                                    words.substr(0, words.size() / 2),
                                    std::string("{\"lkt_recorded_outputs\":2}"),
                                    std::string("{\"lkt_recorded_outputs\":1}")}) {
        REQUIRE(!lkt::write_text_file(manifest, text));
        refused += fault(task, f.path, tests_of(task)).code == "lkt.verify.oracle_record" ? 1 : 0;
    }
    CHECK(refused == 6);
}

TEST_CASE("A suite without expected outputs, and a folder that cannot be, are errors") {
    auto const task = task_of_two_sizes();
    CHECK(lkt::record_suite(task, {}, "/tmp").error().code == "lkt.verify.oracle_record");
    folder const f;
    auto const suite = record(task, f.path);
    auto const failed = lkt::record_suite(task, suite, f.path + "/manifest.json/x");
    CHECK(failed.error().code == "lkt.verify.oracle_record");
}
