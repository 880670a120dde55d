// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/oracle.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/signature_tests.hpp>

#include "fake_backend.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace {

using test::fake_backend;
using test::fake_launch;
using outcome = std::optional<lkt::failure>;

lkt::result<lkt::test_suite> prepared(test::fake_kernel original,
                                      lkt::problem const& task = test::doubling_problem(),
                                      lkt::oracle_options const& options = {}) {
    fake_backend gpu;
    gpu.kernels["double it"] = std::move(original);
    auto tests = lkt::signature_tests{}.generate(task, {});
    REQUIRE(tests.has_value());
    return lkt::prepare_suite(gpu, task, std::move(*tests), {}, options);
}

lkt::error failing(lkt::result<lkt::test_suite> const& made) {
    REQUIRE(!made.has_value());
    CHECK(!made.error().hint.empty());
    return made.error();
}

} // namespace

TEST_CASE("expected outputs are the original's, for every test, with the bounds of their type") {
    auto task = test::doubling_problem(64);
    task.further_sizes = {{{"N", 5}}};
    auto const suite = prepared(test::doubling, task).value();
    REQUIRE(suite.tests.size() == 3);
    for (auto const& [test,
                      expected,
                      bounds,
                      time,
                      own,
                      wanted,
                      limits,
                      exact,
                      sizes,
                      open,
                      one_sided,
                      finite] : suite.tests) {
        REQUIRE(expected.size() == 1);
        REQUIRE(bounds.size() == 1);
        for (std::size_t k = 0; k < test.arguments[0].count(); ++k)
            CHECK(expected[0].lane<float>(k) == 2 * test.arguments[0].lane<float>(k));
        CHECK(bounds[0].relative == 0x1p-16);
        CHECK(bounds[0].absolute > 0);
        CHECK(time == lkt::seconds{2e-3}); // the slower of two launches of the fake back end
    }
    CHECK(suite.directions ==
          std::vector<lkt::direction>{lkt::direction::in, lkt::direction::out, lkt::direction::in});
    CHECK(suite.notes.empty());
    CHECK(suite.tests[0].test.name == "N=64");
}

TEST_CASE("each test has its own launch geometry, and runs once and twice more") {
    auto task = test::doubling_problem(64);
    task.further_sizes = {{{"N", 33}}, {{"N", 32}}};
    fake_backend gpu;
    gpu.kernels["double it"] = test::doubling;
    auto tests = lkt::signature_tests{.other_values = false}.generate(task, {}).value();
    REQUIRE(lkt::prepare_suite(gpu, task, std::move(tests), {}).has_value());
    CHECK(gpu.compiled == 1);
    REQUIRE(gpu.requests.size() == 6);
    CHECK(gpu.requests[0].dimensions.grid.x == 2);
    CHECK(gpu.requests[2].dimensions.grid.x == 2);
    CHECK(gpu.requests[4].dimensions.grid.x == 1);
    // The second run repeats the first one's poison, and has another one after it.
    CHECK(gpu.requests[0].poison_seed == gpu.requests[1].poison_seed);
    CHECK(gpu.requests[0].poison_seed != gpu.requests[2].poison_seed);
    CHECK(gpu.requests[0].contents == gpu.requests[1].contents);
    CHECK(gpu.requests[0].contents != gpu.requests[2].contents);
    for (std::size_t k = 0; k < 6; ++k) {
        CHECK(gpu.requests[k].launches == (k % 2 == 0 ? 1 : 2));
        CHECK(gpu.requests[k].keep == (k % 2 == 0 ? std::vector<int>{0} : std::vector<int>{0, 1}));
    }
}

TEST_CASE("a device that compares returns the outputs of one launch a test") {
    auto const task = test::doubling_problem(64);
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    std::optional<lkt::test_suite> plain;
    for (bool compares : {false, true}) {
        fake_backend gpu;
        gpu.compares = compares;
        gpu.kernels["double it"] = test::doubling;
        auto const suite = lkt::prepare_suite(gpu, task, tests, {}).value();
        REQUIRE(gpu.requests.size() == 4);
        CHECK(gpu.returned == (compares ? 2 : 6));
        CHECK(gpu.requests[0].expected.id == 0);
        CHECK(gpu.requests[1].expected.id != 0);
        CHECK(gpu.requests[1].expected.id != gpu.requests[3].expected.id);
        // Candidates are compared with what the device has by then.
        CHECK(suite.tests[0].expected_id == gpu.requests[1].expected.id);
        if (!plain) plain = suite;
        CHECK(suite.notes == plain->notes);
        for (std::size_t t = 0; t < 2; ++t) {
            CHECK(suite.tests[t].expected == plain->tests[t].expected);
            CHECK(suite.tests[t].bounds == plain->tests[t].bounds);
        }
    }
}

TEST_CASE("launches that do not repeat the first one are told apart, wherever they are compared") {
    auto const partly = [](fake_launch& l) -> outcome {
        for (std::size_t k = 0; k < 63; ++k) l.set<float>(1, k, 2 * l.get<float>(0, k));
        return std::nullopt;
    };
    auto const drifting = [](fake_launch& l) -> outcome {
        for (std::size_t k = 0; k < 64; ++k)
            l.set<float>(1, k, static_cast<float>(1000 + 5 * l.number));
        return std::nullopt;
    };
    // Right under the poison of one launch, and not under the other's.
    auto const lucky = [](fake_launch& l) -> outcome {
        bool const odd = (l.get<std::uint32_t>(1, 63) & 1) != 0;
        test::doubling(l);
        if (odd) l.set<float>(1, 63, 7);
        return std::nullopt;
    };
    auto const task = test::doubling_problem(64);
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    for (bool compares : {false, true}) {
        CAPTURE(compares);
        fake_backend gpu;
        gpu.compares = compares;
        gpu.kernels["double it"] = partly;
        auto const suite = lkt::prepare_suite(gpu, task, tests, {}).value();
        CHECK(suite.directions[1] == lkt::direction::inout);
        // One round with all launches, then one in which a test takes three.
        REQUIRE(gpu.requests.size() == 4 + 4);
        CHECK(gpu.requests[3].launches == 2);
        CHECK(gpu.requests[3].expected.id == 0);
        gpu.kernels["double it"] = drifting;
        CHECK(failing(lkt::prepare_suite(gpu, task, tests, {})).code == "lkt.verify.unstable");
        gpu.kernels["double it"] = lucky;
        int inout = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            lkt::oracle_options options;
            options.seed = seed;
            auto const made = lkt::prepare_suite(gpu, task, tests, {}, options).value();
            inout += made.directions[1] == lkt::direction::inout ? 1 : 0;
        }
        CHECK(inout > 10); // three in four: two tests, and the two poisons of each differ in a bit
    }
}

TEST_CASE("one NaN does not pass for another") {
    // Where the poison says so, an element is a NaN of other bits: equal as a value, and no output
    // of a kernel that writes everything.
    auto const noisy = [](fake_launch& l) -> outcome {
        std::uint32_t const old = l.get<std::uint32_t>(1, 63);
        test::doubling(l);
        l.set<std::uint32_t>(1, 63, 0x7fc00000u | (old & 0xffffu));
        return std::nullopt;
    };
    auto const task = test::doubling_problem(64);
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    for (bool compares : {false, true}) {
        fake_backend gpu;
        gpu.compares = compares;
        gpu.kernels["double it"] = noisy;
        auto const suite = lkt::prepare_suite(gpu, task, tests, {}).value();
        CHECK(suite.directions[1] == lkt::direction::inout);
    }
}

TEST_CASE("an output that is not written everywhere becomes inout, and is compared everywhere") {
    auto const partly = [](fake_launch& l) -> outcome {
        for (std::size_t k = 0; k < 10; ++k) l.set<float>(1, k, 2 * l.get<float>(0, k));
        return std::nullopt;
    };
    auto const suite = prepared(partly).value();
    CHECK(suite.directions[1] == lkt::direction::inout);
    REQUIRE(suite.notes.size() == 1);
    CHECK(suite.notes[0] ==
          "warning: the original's launch does not write all of the output `y`: 54 of 64 elements "
          "stay as they were; check the grid and the block, or declare it inout");
    for (auto const& [test,
                      expected,
                      bounds,
                      time,
                      own,
                      wanted,
                      limits,
                      exact,
                      sizes,
                      open,
                      one_sided,
                      finite] : suite.tests) {
        // The rest started from generated values, and is expected to keep them.
        CHECK(test.arguments[1].lane<float>(10) != 0);
        for (std::size_t k = 10; k < 64; ++k)
            CHECK(expected[0].lane<float>(k) == test.arguments[1].lane<float>(k));
        CHECK(expected[0].lane<float>(3) == 2 * test.arguments[0].lane<float>(3));
    }
    CHECK(suite.tests[0].test.arguments[1] != suite.tests[1].test.arguments[1]);
}

TEST_CASE("an output that is read is inout, also when only a later test shows it") {
    auto task = test::doubling_problem(64);
    task.further_sizes = {{{"N", 65}}};
    auto const sometimes = [](fake_launch& l) -> outcome {
        int const n = l.get<int>(2);
        for (int i = 0; i < n; ++i) {
            auto const k = static_cast<std::size_t>(i);
            float const old = n == 65 ? l.get<float>(1, k) : 0;
            l.set<float>(1, k, old + 2 * l.get<float>(0, k));
        }
        return std::nullopt;
    };
    auto const suite = prepared(sometimes, task).value();
    CHECK(suite.directions[1] == lkt::direction::inout);
    REQUIRE(suite.notes.size() == 1); // no warning: all of it is written
    CHECK(suite.notes[0] == "the original kernel reads the output `y`, or does not write all of "
                            "it: it is treated as inout");
    REQUIRE(suite.tests.size() == 3);
    for (auto const& t : suite.tests) CHECK(t.expected.size() == 1);
    CHECK(suite.tests[0].test.arguments[1].lane<float>(0) != 0); // earlier tests were refilled
    auto const& late = suite.tests[1];
    CHECK(late.expected[0].lane<float>(7) ==
          late.test.arguments[1].lane<float>(7) + 2 * late.test.arguments[0].lane<float>(7));
}

TEST_CASE("an original that changes from launch to launch is refused, unless within tolerance") {
    auto const drifting = [](float step) {
        return [step](fake_launch& l) -> outcome {
            for (std::size_t k = 0; k < 64; ++k)
                l.set<float>(1, k, l.get<float>(0, k) + 1000 + step * static_cast<float>(l.number));
            return std::nullopt;
        };
    };
    auto const refused = failing(prepared(drifting(5)));
    CHECK(refused.code == "lkt.verify.unstable");
    CHECK(refused.message ==
          "the original kernel's output `y` changes from launch to launch on test `N=64`");
    auto const suite = prepared(drifting(1e-3f)).value();
    CHECK(suite.directions[1] == lkt::direction::out);
    REQUIRE(suite.notes.size() == 2);
    CHECK(suite.notes[0] == "the original kernel's output `y` changes from launch to launch on "
                            "test `N=64`, within its tolerance");
    auto task = test::doubling_problem();
    task.arguments[1].bound = lkt::tolerance{0, 100};
    CHECK(prepared(drifting(5), task).has_value());
}

TEST_CASE("an original that fails is an error, not a candidate's failure") {
    auto const crash = failing(prepared([](fake_launch&) -> outcome {
        return lkt::failure(lkt::crashed{"segmentation fault at address 0x0", {}});
    }));
    CHECK(crash.code == "lkt.verify.reference");
    CHECK(crash.message.find("the original kernel doubling fails on test `N=64`: ") == 0);
    CHECK(crash.message.find("segmentation fault") != std::string::npos);

    fake_backend empty;
    auto const task = test::doubling_problem();
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    auto const absent = failing(lkt::prepare_suite(empty, task, tests, {}));
    CHECK(absent.code == "lkt.verify.reference");
    CHECK(absent.message.find("does not compile: ") != std::string::npos);
    CHECK(absent.message.find("no such kernel") != std::string::npos);

    auto const late = failing(prepared([](fake_launch& l) -> outcome {
        if (l.number < 4) return test::doubling(l);
        return lkt::failure(lkt::timed_out{lkt::seconds{1}, "launch"});
    }));
    CHECK(late.message.find("on test `N=64, other values`") != std::string::npos);
}

TEST_CASE("tests are moved into the suite, and are where they were after an error") {
    auto const task = test::doubling_problem(64);
    auto tests = lkt::signature_tests{}.generate(task, {}).value();
    auto const before = tests;
    auto const* const place = tests[0].arguments[0].bytes.data();
    fake_backend gpu;
    gpu.kernels["double it"] = [](fake_launch& l) -> outcome {
        if (l.number < 4) return test::doubling(l);
        return lkt::failure(lkt::timed_out{lkt::seconds{1}, "launch"});
    };
    CHECK(!lkt::prepare_suite(gpu, task, std::move(tests), {}).has_value());
    REQUIRE(tests.size() == before.size());
    for (std::size_t t = 0; t < tests.size(); ++t) {
        CHECK(tests[t].name == before[t].name);
        CHECK(tests[t].arguments == before[t].arguments);
    }
    gpu.kernels["double it"] = test::doubling;
    auto const suite = lkt::prepare_suite(gpu, task, std::move(tests), {});
    REQUIRE(suite.has_value());
    CHECK(suite->tests[0].test.arguments[0].bytes.data() == place);
}

TEST_CASE("tests, problems and options that cannot work are errors of their own") {
    fake_backend gpu;
    gpu.kernels["double it"] = test::doubling;
    auto task = test::doubling_problem();
    auto const tests = lkt::signature_tests{}.generate(task, {}).value();
    CHECK(failing(lkt::prepare_suite(gpu, task, {}, {})).code == "lkt.verify.no_tests");
    auto bad = tests;
    bad[1].arguments.pop_back();
    CHECK(failing(lkt::prepare_suite(gpu, task, bad, {})).code == "lkt.verify.test");
    auto mute = task;
    mute.arguments[1].flow = lkt::direction::in;
    CHECK(failing(lkt::prepare_suite(gpu, mute, tests, {})).code == "lkt.verify.no_output");
    auto forgetful = task; // nobody looks at scratch
    forgetful.arguments[1].scratch = true;
    CHECK(failing(lkt::prepare_suite(gpu, forgetful, tests, {})).code == "lkt.verify.no_output");
    auto flat = task;
    flat.launch.block[0] = 0;
    CHECK(!lkt::prepare_suite(gpu, flat, tests, {}).has_value());
    auto negative = task;
    negative.arguments[1].bound = lkt::tolerance{-1, 0};
    CHECK(failing(lkt::prepare_suite(gpu, negative, tests, {})).code == "lkt.verify.tolerance");
    gpu.lose_outputs = true;
    auto const lost = failing(lkt::prepare_suite(gpu, task, tests, {}));
    CHECK(lost.code == "lkt.verify.report");
    CHECK(lost.message.find("the outputs of 0 instead of 1 launch ") != std::string::npos);
    gpu.lose_outputs = false;
    std::stop_source stop;
    stop.request_stop();
    auto const stopped = lkt::prepare_suite(gpu, task, tests, {stop.get_token(), {}});
    REQUIRE(!stopped.has_value());
    CHECK(stopped.error().kind == lkt::condition::cancelled);
}

TEST_CASE("the original runs with the first value of each parameter, or with what it is given") {
    auto task = test::doubling_problem();
    task.parameters = {{"BLOCK", {std::int64_t{32}, std::int64_t{64}}}};
    std::int64_t seen = 0;
    auto const look = [&](fake_launch& l) {
        seen = std::get<std::int64_t>(*l.definitions.find("BLOCK"));
        return test::doubling(l);
    };
    CHECK(prepared(look, task).value().reference_configuration.find("BLOCK") != nullptr);
    CHECK(seen == 32);
    task.restrictions = {lkt::expression::parse("BLOCK > 32").value()};
    auto const excluded = failing(prepared(look, task));
    CHECK(excluded.code == "lkt.verify.defaults");
    CHECK(excluded.message.find("`BLOCK > 32`") != std::string::npos);
    lkt::oracle_options options;
    options.configuration = lkt::configuration{{{"BLOCK", std::int64_t{64}}}};
    CHECK(prepared(look, task, options).has_value());
    CHECK(seen == 64);
    task.parameters[0].values.clear();
    CHECK(failing(prepared(look, task)).code == "lkt.verify.parameter");
}

TEST_CASE("outputs that tell little, or hold NaN, are noted") {
    auto const zero = prepared([](fake_launch& l) -> outcome {
                          for (std::size_t k = 0; k < 64; ++k) l.set<float>(1, k, 0);
                          return std::nullopt;
                      }).value();
    REQUIRE(!zero.notes.empty());
    CHECK(zero.notes[0] ==
          "the expected output `y` on test `N=64` is 0 everywhere, so it tells little");
    auto const nan = prepared([](fake_launch& l) -> outcome {
                         test::doubling(l);
                         l.set<float>(1, 3, std::nanf(""));
                         return std::nullopt;
                     }).value();
    REQUIRE(!nan.notes.empty());
    CHECK(nan.notes[0] == "the expected output `y` on test `N=64` is NaN or infinite in 1 of 64 "
                          "values, which are not judged");
}
