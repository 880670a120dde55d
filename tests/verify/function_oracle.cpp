// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/function_oracle.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/signature_tests.hpp>

#include "fake_backend.hpp"
#include "python.hpp"

#include <cstring>
#include <utility>

namespace {

using arguments = std::vector<lkt::argument_data>;

void set(lkt::argument_data& data, std::size_t k, float value) {
    std::memcpy(data.bytes.data() + k * sizeof value, &value, sizeof value);
}

lkt::result<void> twice(lkt::problem_size const& size, arguments& a) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(size[0].second); ++k)
        set(a[1], k, 2 * a[0].lane<float>(k));
    return {};
}

lkt::result<lkt::test_suite> judged_by(lkt::function_oracle oracle,
                                       lkt::problem const& task = test::doubling_problem(64)) {
    auto tests = lkt::signature_tests{}.generate(task, {}).value();
    return lkt::suite_of(oracle, task, std::move(tests), {});
}

} // namespace

TEST_CASE("A C++ function says what is right: outputs, bounds, directions, names") {
    auto task = test::doubling_problem(64);
    task.further_sizes = {{{"N", 5}}};
    auto const suite = judged_by({&twice, "twice"}, task).value();
    CHECK(suite.prepared());
    REQUIRE(suite.tests.size() == 3);
    CHECK(suite.oracle == "twice");
    CHECK(suite.directions[1] == lkt::direction::out);
    CHECK(suite.notes.size() == 1);
    int looked_at = 0;
    for (lkt::prepared_test const& t : suite.tests) {
        REQUIRE(t.expected.size() == 1);
        REQUIRE(t.bounds.size() == 1);
        CHECK(t.bounds[0].absolute > 0);
        CHECK(t.arguments_id != 0);
        CHECK(t.expected_id != 0);
        for (std::size_t k = 0; k < t.expected[0].count(); ++k, ++looked_at)
            CHECK(t.expected[0].lane<float>(k) == 2 * t.test.arguments[0].lane<float>(k));
    }
    CHECK(looked_at == 133);
}

TEST_CASE("A function that leaves an element unwritten is told which one") {
    auto const lazy = [](lkt::problem_size const& size, arguments& a) -> lkt::result<void> {
        (void)twice(size, a);
        for (std::size_t k = 17; k < 18; ++k)
            std::memcpy(a[1].bytes.data() + 4 * k, a[1].bytes.data() + 4 * k, 4);
        return {};
    };
    CHECK(judged_by({lazy, "lazy"}).has_value()); // a copy onto itself of what was written
    auto const unwritten = [](lkt::problem_size const& size, arguments& a) -> lkt::result<void> {
        for (std::size_t k = 0; k + 1 < static_cast<std::size_t>(size[0].second); ++k)
            set(a[1], k, 2 * a[0].lane<float>(k));
        return {};
    };
    auto const e = judged_by({unwritten, "unwritten"}).error();
    CHECK(e.code == "lkt.verify.oracle_unwritten");
    CHECK(test::has(e.message, "element 63 of the output `y`"));
    CHECK_FALSE(e.hint.empty());
    // What starts from given values may keep them.
    auto task = test::doubling_problem(64);
    task.arguments[1].flow = lkt::direction::inout;
    auto const suite = judged_by({unwritten, "unwritten"}, task).value();
    CHECK(suite.tests[0].expected[0].lane<float>(63) ==
          suite.tests[0].test.arguments[1].lane<float>(63));
}

TEST_CASE("A function whose answers change is unstable, or a note where they stay close") {
    auto const drifting = [](float step) {
        return [step, calls = 0](lkt::problem_size const& size,
                                 arguments& a) mutable -> lkt::result<void> {
            (void)twice(size, a);
            // Two calls a question: the same within it, another in the next.
            set(a[1], 0, a[1].lane<float>(0) + step * static_cast<float>(calls++ / 4));
            return {};
        };
    };
    auto const e = judged_by({drifting(1), "drifting"}).error();
    CHECK(e.code == "lkt.verify.oracle_unstable");
    auto const close = judged_by({drifting(1e-6F), "drifting"});
    REQUIRE(close.has_value());
    REQUIRE(close->notes.size() == 2);
    CHECK(test::has(close->notes[1], "changes from call to call"));
}

TEST_CASE("A function's error, and sizes that it changes, are errors") {
    auto const failing = [](lkt::problem_size const&, arguments&) -> lkt::result<void> {
        return lkt::error{lkt::condition::unavailable, "my.code", "no table", "mount it"};
    };
    CHECK(judged_by({failing, "failing"}).error().code == "my.code");
    auto const growing = [](lkt::problem_size const& size, arguments& a) -> lkt::result<void> {
        (void)twice(size, a);
        a[1].bytes.resize(a[1].bytes.size() + 4);
        return {};
    };
    auto const e = judged_by({growing, "growing"}).error();
    CHECK(e.code == "lkt.verify.oracle_output");
    CHECK(test::has(e.message, "65 values of float32 instead of 64"));
    auto const dropping = [](lkt::problem_size const&, arguments& a) -> lkt::result<void> {
        a.pop_back();
        return {};
    };
    CHECK(judged_by({dropping, "dropping"}).error().code == "lkt.verify.oracle_output");
    std::stop_source stop;
    stop.request_stop();
    auto const task = test::doubling_problem(64);
    auto tests = lkt::signature_tests{}.generate(task, {}).value();
    auto const stopped = lkt::suite_of(lkt::function_oracle{&twice, "twice"},
                                       task,
                                       std::move(tests),
                                       {.stop = stop.get_token(), .on_text = {}});
    CHECK(stopped.error().kind == lkt::condition::cancelled);
}
