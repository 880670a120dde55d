// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/verify.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/signature_tests.hpp>

#include "fake_backend.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace {

using test::fake_backend;
using test::fake_launch;
using outcome = std::optional<lkt::failure>;

/// The doubling problem with its suite, and a back end that also has one candidate.
struct bench {
    lkt::problem task = test::doubling_problem(100);
    fake_backend gpu;
    lkt::test_suite suite;
    lkt::verify_options options{};

    explicit bench(test::fake_kernel candidate, test::fake_kernel original = test::doubling) {
        task.further_sizes = {{{"N", 33}}};
        gpu.kernels["double it"] = std::move(original);
        gpu.kernels["candidate"] = std::move(candidate);
        auto tests = lkt::signature_tests{}.generate(task, {}).value();
        auto made = lkt::prepare_suite(gpu, task, std::move(tests), {});
        REQUIRE(made.has_value());
        suite = std::move(*made);
        gpu.requests.clear();
    }
    lkt::compiled_kernel compiled() {
        lkt::compile_request request;
        request.source.text = "candidate";
        request.signature = task.signature;
        return std::get<lkt::compiled_kernel>(gpu.compile(request, {}).value());
    }
    lkt::result<outcome> verdict(lkt::launch_formula const& launch,
                                 lkt::call_context const& context = {}) {
        return lkt::verify_kernel(gpu, compiled(), task, launch, {}, suite, context, options);
    }
    lkt::result<outcome> verdict() { return verdict(task.launch); }
    lkt::wrong_output wrong() {
        auto const v = verdict();
        REQUIRE(v.has_value());
        REQUIRE(v->has_value());
        REQUIRE(std::holds_alternative<lkt::wrong_output>(**v));
        return std::get<lkt::wrong_output>(**v);
    }
};

/// y = 2 x but for what `change` does to an element.
template <class Change>
test::fake_kernel doubling_but(Change change) {
    return [change](fake_launch& l) -> outcome {
        int const n = l.get<int>(2);
        for (int i = 0; i < n; ++i) {
            auto const k = static_cast<std::size_t>(i);
            if (auto const y = change(l, i, n, 2 * l.get<float>(0, k))) l.set<float>(1, k, *y);
        }
        return std::nullopt;
    };
}
using element = std::optional<float>;

} // namespace

TEST_CASE("a right kernel passes, one launch a test, small tests first") {
    bench b(test::doubling);
    auto const v = b.verdict();
    REQUIRE(v.has_value());
    CHECK(!v->has_value());
    REQUIRE(b.gpu.requests.size() == 3);
    CHECK(b.gpu.requests[0].dimensions.grid.x == 2); // N=33
    CHECK(b.gpu.requests[1].dimensions.grid.x == 4);
    for (auto const& r : b.gpu.requests) {
        CHECK(r.launches == 1);
        CHECK(r.time_limit == lkt::seconds{5});
    }
    CHECK(b.gpu.requests[0].poison_seed != b.gpu.requests[1].poison_seed);
}

TEST_CASE("one wrong element anywhere, in any test, is found") {
    for (int at : {0, 57, 99}) {
        bench b(doubling_but([at](auto&, int i, int n, float y) -> element {
            return n == 100 && i == at ? y + 1 : y;
        }));
        auto const w = b.wrong();
        CHECK(w.test == "N=100");
        CHECK(w.argument == "y");
        CHECK(w.index == static_cast<std::uint64_t>(at));
        CHECK(w.wrong == 1);
        CHECK(w.total == 100);
        CHECK(w.pattern.find("only element " + std::to_string(at)) == 0);
    }
}

TEST_CASE("an empty kernel wrote nothing, and hears it") {
    bench b([](fake_launch&) -> outcome { return std::nullopt; });
    auto const w = b.wrong();
    CHECK(w.test == "N=33");
    CHECK(w.wrong == w.total);
    CHECK(w.pattern.find("was not written: it depends on what the buffer held before the launch") !=
          std::string::npos);
}

TEST_CASE("a kernel without a tail is wrong in the tail only") {
    bench b(doubling_but([](auto&, int i, int n, float y) -> element {
        return i < n / 32 * 32 ? element(y) : std::nullopt;
    }));
    auto const w = b.wrong();
    CHECK(w.test == "N=33");
    CHECK(w.pattern.find("only element 32") == 0);
    CHECK(w.pattern.find("every wrong element was not written") != std::string::npos);
}

TEST_CASE("a kernel that writes what it should not touch is wrong") {
    auto const half = doubling_but(
        [](auto&, int i, int, float y) -> element { return i < 20 ? element(y) : std::nullopt; });
    bench honest(half, half);
    CHECK(honest.suite.directions[1] == lkt::direction::inout);
    CHECK(!honest.verdict()->has_value());
    bench greedy(test::doubling, half);
    CHECK(greedy.wrong().pattern.find("the elements from 20 on") == 0);
    bench idle([](fake_launch&) -> outcome { return std::nullopt; }, half);
    CHECK(idle.wrong().pattern.find("every wrong element still holds its input") !=
          std::string::npos);
}

TEST_CASE("fp16 arithmetic in a float kernel is wrong, a last digit is not") {
    bench narrow(doubling_but([](auto&, int, int, float y) -> element {
        return static_cast<float>(lkt::detail::rounded_to(lkt::scalar_type::float16, y));
    }));
    CHECK(narrow.wrong().wrong > 10);
    bench last_digit(
        doubling_but([](auto&, int, int, float y) -> element { return std::nextafter(y, 9.0f); }));
    CHECK(!last_digit.verdict()->has_value());
}

TEST_CASE("a kernel that races is told so") {
    bench b(doubling_but([](fake_launch& l, int, int, float y) -> element {
        return y + static_cast<float>(l.number + 1);
    }));
    CHECK(b.wrong().pattern.find("differs from one launch to the next") != std::string::npos);
}

TEST_CASE("a kernel that only knows the timed size, or remembers an answer, is wrong") {
    bench one_size(
        doubling_but([](auto&, int, int n, float y) -> element { return n == 100 ? y : 0; }));
    CHECK(one_size.wrong().test == "N=33");
    std::vector<float> answer;
    bench replay([&answer](fake_launch& l) -> outcome {
        if (l.get<int>(2) != 100) return test::doubling(l);
        if (answer.empty())
            for (std::size_t k = 0; k < 100; ++k) answer.push_back(2 * l.get<float>(0, k));
        for (std::size_t k = 0; k < 100; ++k) l.set<float>(1, k, answer[k]);
        return std::nullopt;
    });
    CHECK(replay.wrong().test == "N=100, other values");
}

TEST_CASE("a failing launch and an impossible geometry are the candidate's failures") {
    bench crash(
        [](fake_launch&) -> outcome { return lkt::failure(lkt::crashed{"illegal address", {}}); });
    auto const v = crash.verdict();
    REQUIRE(v.has_value());
    REQUIRE(v->has_value());
    CHECK(std::get<lkt::crashed>(**v).what == "illegal address");
    bench b(test::doubling);
    lkt::launch_formula launch = b.task.launch;
    launch.grid[0] = lkt::expression::parse("TILE").value();
    auto const unknown = b.verdict(launch);
    REQUIRE(unknown.has_value());
    REQUIRE(unknown->has_value());
    auto const& why = std::get<lkt::launch_failed>(**unknown).why;
    CHECK(why.find("N=33: ") == 0);
    CHECK(why.find("TILE") != std::string::npos);
}

TEST_CASE("what the world does is an error, and no verdict") {
    bench b(test::doubling);
    std::stop_source stop;
    stop.request_stop();
    auto const stopped = b.verdict(b.task.launch, {stop.get_token(), {}});
    REQUIRE(!stopped.has_value());
    CHECK(stopped.error().kind == lkt::condition::cancelled);
    b.gpu.lose_outputs = true;
    auto const lost = b.verdict();
    REQUIRE(!lost.has_value());
    CHECK(lost.error().code == "lkt.verify.report");
    b.suite.tests.clear();
    auto const none = b.verdict();
    REQUIRE(!none.has_value());
    CHECK(none.error().code == "lkt.verify.no_tests");
}

TEST_CASE("a slow original gives a candidate time, a quick one five seconds") {
    lkt::prepared_test t;
    t.reference_time = lkt::seconds{3};
    CHECK(lkt::launch_limit(t) == lkt::seconds{60});
    t.reference_time = lkt::seconds{1e-6};
    CHECK(lkt::launch_limit(t) == lkt::seconds{5});
}

TEST_CASE("the outputs of timed launches are compared like any other") {
    // Right while it is tested, idle from its 4th launch on.
    bench b(
        [](fake_launch& l) -> outcome { return l.number < 4 ? test::doubling(l) : std::nullopt; });
    lkt::compiled_kernel const kernel = b.compiled();
    std::vector<int> const keep{0, 3};
    lkt::run_request request;
    request.dimensions.grid.x = 4;
    request.dimensions.block.x = 32;
    request.arguments = b.suite.tests[0].test.arguments;
    request.directions = b.suite.directions;
    request.launches = 4;
    request.keep = keep;
    auto const timed = [&] {
        return std::get<lkt::run_report>(b.gpu.run(kernel, request, {}).value());
    };
    auto const first = timed();
    auto const right = lkt::check_outputs(b.task, b.suite, {0}, keep, first);
    REQUIRE(right.has_value());
    CHECK(!right->has_value());
    auto const idle = lkt::check_outputs(b.task, b.suite, {0}, keep, timed());
    REQUIRE(idle.has_value());
    REQUIRE(idle->has_value());
    auto const& w = std::get<lkt::wrong_output>(**idle);
    CHECK(w.pattern.find("in timed launch 0: all 100 elements") == 0);
    CHECK(w.test == "N=100");
    CHECK(w.as == lkt::verdict::work_skipping);

    auto fewer = first;
    fewer.kept.pop_back();
    CHECK(lkt::check_outputs(b.task, b.suite, {0}, keep, fewer).error().code ==
          "lkt.verify.report");
    auto other = first;
    other.kept[1].launch = 2;
    CHECK(lkt::check_outputs(b.task, b.suite, {0}, keep, other).error().code ==
          "lkt.verify.report");
    auto shorter = first;
    shorter.kept[0].outputs[0].bytes.resize(4);
    CHECK(lkt::check_outputs(b.task, b.suite, {0}, keep, shorter).error().code ==
          "lkt.verify.report");
    auto none = first;
    none.kept[0].outputs.clear();
    CHECK(lkt::check_outputs(b.task, b.suite, {0}, keep, none).error().code == "lkt.verify.report");
}

TEST_CASE("timed launches on other arguments are compared with what these make expected") {
    bench b(test::doubling);
    lkt::compiled_kernel const kernel = b.compiled();
    lkt::run_request request;
    request.dimensions.grid.x = 4;
    request.dimensions.block.x = 32;
    request.directions = b.suite.directions;
    request.launches = 2;
    request.keep = {0, 1};
    // Two tests of the timed size, and what a back end with a ring says of launches on both.
    b.suite.tests.push_back(b.suite.tests[0]);
    std::size_t const other = b.suite.tests.size() - 1;
    for (auto* list : {&b.suite.tests[other].test.arguments[0], &b.suite.tests[other].expected[0]})
        for (std::size_t k = 0; k < list->count(); ++k) {
            float const v = list->lane<float>(k) * 4;
            std::memcpy(list->bytes.data() + 4 * k, &v, 4);
        }
    auto const found = lkt::tests_like_the_timed(b.suite, lkt::bytes{1 << 20});
    REQUIRE(found.size() >= 2);
    CHECK(found.front() == 0);
    CHECK(found.back() == other);
    for (std::size_t const k : found)
        CHECK(b.suite.tests[k].test.size == b.suite.tests[0].test.size);
    std::vector<std::size_t> const alike{0, other};
    CHECK(lkt::tests_like_the_timed(b.suite, lkt::bytes{100}) == std::vector<std::size_t>{0});
    lkt::run_report report;
    for (std::size_t set = 0; set < 2; ++set) {
        request.arguments = b.suite.tests[alike[set]].test.arguments;
        auto one = std::get<lkt::run_report>(b.gpu.run(kernel, request, {}).value());
        one.kept[set].set = set;
        report.kept.push_back(one.kept[set]);
        report.samples = one.samples;
    }
    auto const right = lkt::check_outputs(b.task, b.suite, alike, {0, 1}, report);
    REQUIRE(right.has_value());
    CHECK(!right->has_value());
    // A series that ended early leaves the last ones out, and no other.
    CHECK(!lkt::check_outputs(b.task, b.suite, alike, {0, 1, 7}, report)->has_value());
    CHECK(!lkt::check_outputs(b.task, b.suite, alike, {0, 1, 1}, report).has_value());
    // The outputs of the first set handed out again.
    auto replayed = report;
    replayed.kept[1].outputs = replayed.kept[0].outputs;
    auto const wrong = lkt::check_outputs(b.task, b.suite, alike, {0, 1}, replayed);
    REQUIRE(wrong.has_value());
    REQUIRE(wrong->has_value());
    CHECK(std::get<lkt::wrong_output>(**wrong).pattern.find("in timed launch 1") == 0);
    replayed.kept[1].set = 2;
    CHECK(lkt::check_outputs(b.task, b.suite, alike, {0, 1}, replayed).error().code ==
          "lkt.verify.report");
}

TEST_CASE("a back end that compares on its device is told once what to expect, and is believed") {
    bench right(test::doubling),
        wrong(doubling_but(
            [](fake_launch&, int i, int, float y) -> element { return i == 7 ? y + 1 : y; }));
    for (bench* b : {&right, &wrong}) {
        b->gpu.compares = true;
        b->options.returned_bytes = 0;
        auto const v = b->verdict();
        REQUIRE(v.has_value());
        CHECK(v->has_value() == (b == &wrong));
        REQUIRE(!b->gpu.requests.empty());
        // Contents and expectation of one test have numbers of their own.
        auto const& first = b->gpu.requests[0];
        CHECK(first.contents != 0);
        CHECK(first.expected.id != 0);
        CHECK(first.contents != first.expected.id);
        CHECK(first.expected.values.size() == 1);
    }
    CHECK(right.gpu.requests.size() == right.suite.tests.size());
    CHECK(right.gpu.requests[0].contents != right.gpu.requests[1].contents);
    // The wrong one comes back with its outputs, so that the report can say what is wrong.
    CHECK(wrong.wrong().index == 7);
}

TEST_CASE("outputs of what stands in for a kernel are not compared, but it may fail") {
    bench wrong(doubling_but([](auto&, int, int, float y) -> element { return y + 1; }));
    auto kernel = wrong.compiled();
    kernel.stands_in = true;
    auto const judge = [](bench& b, lkt::compiled_kernel const& k) {
        return lkt::verify_kernel(b.gpu, k, b.task, b.task.launch, {}, b.suite, {}, b.options);
    };
    CHECK(!judge(wrong, kernel).value());
    CHECK(wrong.verdict().value());
    bench raced([](fake_launch&) -> outcome { return lkt::race{"it does"}; });
    kernel = raced.compiled();
    kernel.stands_in = true;
    CHECK(judge(raced, kernel).value());
}

TEST_CASE("kernels that are verified together have the verdicts that they have alone") {
    bench b(doubling_but([](auto&, int, int, float y) -> element { return y + 1; }));
    auto const compiled = [&](char const* text) {
        lkt::compile_request request;
        request.source.text = text;
        request.signature = b.task.signature;
        return std::get<lkt::compiled_kernel>(b.gpu.compile(request, {}).value());
    };
    auto const right = compiled("double it"), wrong = compiled("candidate");
    lkt::launch_formula none = b.task.launch;
    none.grid[0] = lkt::expression::parse("nothing").value();
    std::vector<lkt::seconds> times, no_times;
    std::vector<lkt::kernel_to_verify> kernels{{wrong, b.task.launch, {}, b.options},
                                               {right, b.task.launch, {}, b.options},
                                               {right, none, {}, b.options}};
    kernels[0].options.times = &no_times;
    kernels[1].options.times = &times;
    struct counted { // in each batch, and which of them are timed
        fake_backend& inner;
        std::vector<std::vector<bool>> batches{};
        auto device(lkt::call_context const& x) { return inner.device(x); }
        auto compile(lkt::compile_request const& r, lkt::call_context const& x) {
            return inner.compile(r, x);
        }
        auto
        run(lkt::compiled_kernel const& k, lkt::run_request const& r, lkt::call_context const& x) {
            return inner.run(k, r, x);
        }
        std::vector<lkt::result<lkt::compile_outcome>>
        compile_all(std::span<lkt::compile_request const>, lkt::call_context const&) {
            return {};
        }
        std::vector<lkt::result<lkt::run_outcome>> run_all(std::span<lkt::kernel_run const> runs,
                                                           lkt::call_context const& x) {
            batches.emplace_back();
            std::vector<lkt::result<lkt::run_outcome>> all;
            for (auto const& r : runs) {
                batches.back().push_back(r.timed);
                all.push_back(inner.run(r.kernel, r.request, x));
            }
            return all;
        }
        std::size_t runs_at_once() const { return 3; }
    } gpu{b.gpu};
    lkt::gpu_ref const seen(gpu);
    auto const all = lkt::verify_kernels(seen, kernels, b.task, b.suite, {});
    REQUIRE(all.size() == 3);
    CHECK(std::holds_alternative<lkt::wrong_output>(all[0].value().value()));
    CHECK_FALSE(all[1].value());
    CHECK(std::holds_alternative<lkt::launch_failed>(all[2].value().value()));
    // The wrong one takes part in the first test alone, the one without a launch in none.
    REQUIRE(gpu.batches.size() == b.suite.tests.size());
    CHECK(gpu.batches.front().size() == 2);
    CHECK(gpu.batches.back().size() == 1);
    // What was asked for its times is timed on the timed test, and nowhere else.
    CHECK(times.size() == b.suite.tests.size());
    std::size_t timed = 0;
    for (auto const& batch : gpu.batches)
        timed += static_cast<std::size_t>(std::count(batch.begin(), batch.end(), true));
    CHECK(timed == 1);
    // One by one the same comes out.
    for (std::size_t k = 0; k < 3; ++k) {
        auto const alone = lkt::verify_kernel(
            b.gpu, kernels[k].kernel, b.task, kernels[k].launch, {}, b.suite, {}, b.options);
        CHECK(alone.value().has_value() == all[k].value().has_value());
    }
    CHECK(lkt::verify_kernels(seen, {}, b.task, b.suite, {}).empty());
}

TEST_CASE("small outputs come back, so that their errors are judged as a whole") {
    // 2^-15 too much everywhere: within the bound of a large element, and no rounding error.
    auto const off = doubling_but(
        [](auto&, int, int, float y) -> element { return y + std::copysign(0x1p-14f, y); });
    bench b(off);
    b.gpu.compares = true;
    auto const v = b.verdict();
    REQUIRE(v->has_value());
    auto const& w = std::get<lkt::wrong_output>(**v);
    CHECK(w.pattern.find("no element is far off, but the root mean square of all errors is") == 0);
    CHECK(w.as == lkt::verdict::precision);
    CHECK(w.test == "N=100"); // 33 elements are too few to say
    b.options.returned_bytes = 0;
    CHECK(!b.verdict()->has_value());
}

TEST_CASE("a comparator judges in the place of the bounds, and wherever outputs lie") {
    auto const reversed = [](fake_launch& l) -> outcome {
        auto const n = static_cast<std::size_t>(l.get<int>(2));
        for (std::size_t k = 0; k < n; ++k) l.set<float>(1, k, 2 * l.get<float>(0, n - 1 - k));
        return std::nullopt;
    };
    bench b(reversed);
    CHECK(b.verdict()->has_value());
    b.gpu.compares = true;
    b.suite.comparators = {{1, [](auto const& test, auto const& expected, auto const& got) {
                                CHECK(test.size.front().first == "N");
                                double sum = 0;
                                for (std::size_t k = 0; k < got.lanes(); ++k)
                                    sum += lkt::lane_as_double(got, k) -
                                           lkt::lane_as_double(expected, k);
                                return std::fabs(sum) < 1e-3
                                           ? std::nullopt
                                           : std::optional<std::string>("the sum is off");
                            }}};
    CHECK(!b.verdict()->has_value());
    bench greedy(doubling_but([](auto&, int, int, float y) -> element { return y + 1; }));
    greedy.suite.comparators = b.suite.comparators;
    CHECK(greedy.wrong().pattern.find("the sum is off") == 0);
}

TEST_CASE("scratch is not judged, neither the original's nor a candidate's") {
    auto const noisy = [](fake_launch& l) -> outcome {
        for (std::size_t k = 0; k < 5; ++k)
            l.set<float>(3, k, static_cast<float>(l.number) * 1000 + l.get<float>(3, 7));
        return test::doubling(l);
    };
    for (bool compares : {false, true}) {
        fake_backend gpu;
        gpu.compares = compares;
        gpu.kernels["double it"] = noisy;
        auto task = test::doubling_problem(100);
        task.signature.arguments.push_back(task.signature.arguments[1]);
        task.signature.arguments.back().name = "room";
        task.signature.arguments.back().flow = lkt::direction::inout;
        task.arguments.push_back(task.arguments[1]);
        CHECK(!lkt::prepare_suite(gpu, task, lkt::signature_tests{}.generate(task, {}).value(), {})
                   .has_value()); // it changes from launch to launch
        task.arguments.back().scratch = true;
        auto const suite =
            lkt::prepare_suite(gpu, task, lkt::signature_tests{}.generate(task, {}).value(), {})
                .value();
        CHECK(suite.directions[3] == lkt::direction::out);
        CHECK(suite.notes.empty());
        lkt::compile_request request;
        request.source.text = "double it";
        request.signature = task.signature;
        auto const kernel = std::get<lkt::compiled_kernel>(gpu.compile(request, {}).value());
        CHECK(!lkt::verify_kernel(gpu, kernel, task, task.launch, {}, suite, {})->has_value());
    }
}

TEST_CASE("what is wrong gets a name") {
    auto const kind = [](test::fake_kernel candidate) {
        bench b(std::move(candidate));
        return b.wrong().as;
    };
    using lkt::verdict;
    CHECK(kind([](fake_launch&) -> outcome { return std::nullopt; }) == verdict::wrong_output);
    CHECK(kind(doubling_but([](auto&, int, int, float) -> element { return 0; })) ==
          verdict::trivial_output);
    CHECK(kind(doubling_but([](auto&, int i, int n, float y) -> element {
              return i < n / 2 ? element(y) : std::nullopt;
          })) == verdict::partial);
    // Right where the buffer is known to hold NaN, or 0, before the launch.
    CHECK(kind([](fake_launch& l) -> outcome {
              return l.get<std::uint32_t>(1, 0) == 0xffffffffu ? test::doubling(l) : std::nullopt;
          }) == verdict::work_skipping);
    CHECK(kind(doubling_but([](fake_launch& l, int i, int, float y) -> element {
              return l.get<float>(1, static_cast<std::size_t>(i)) + y;
          })) == verdict::trivial_output);
    // One launch leaves something behind for the next.
    CHECK(kind([](fake_launch& l) -> outcome {
              return l.number < 1 ? test::doubling(l) : std::nullopt;
          }) == verdict::stateful);
    // It looks so, but nothing that a launch leaves behind decides: a fresh one is wrong as well.
    CHECK(kind([n = 0](fake_launch& l) mutable -> outcome {
              return n++ < 1 ? test::doubling(l) : std::nullopt;
          }) == verdict::nondeterminism);
    CHECK(kind(doubling_but([](auto&, int, int n, float y) -> element {
              return n == 100 ? y : y + 3;
          })) == verdict::specialised);
    CHECK(kind(doubling_but([](fake_launch& l, int i, int, float y) -> element {
              return i == 11 ? y + static_cast<float>(l.number) : y;
          })) == verdict::race);
    CHECK(kind(doubling_but([](auto&, int, int, float y) -> element {
              return static_cast<float>(lkt::detail::rounded_to(lkt::scalar_type::bfloat16, y));
          })) == verdict::precision);
    std::vector<float> answer;
    CHECK(kind([&answer](fake_launch& l) -> outcome {
              if (l.get<int>(2) != 100) return test::doubling(l);
              if (answer.empty())
                  for (std::size_t k = 0; k < 100; ++k) answer.push_back(2 * l.get<float>(0, k));
              for (std::size_t k = 0; k < 100; ++k) l.set<float>(1, k, answer[k]);
              return std::nullopt;
          }) == verdict::replay_cache);
}

TEST_CASE("what launches told of one configuration holds for another that looks like it") {
    int wrong = 1; // elements of the timed test, in a way that changes from launch to launch
    bench b(doubling_but([&](fake_launch& l, int i, int n, float y) -> element {
        if (wrong == 0) return n == 100 ? 0 : y;
        return n == 100 && i < wrong ? y + static_cast<float>(l.number + 1) : y;
    }));
    std::vector<lkt::explained_output> explained;
    b.options.explained = &explained;
    std::size_t launches = 0;
    auto const verdict = [&](std::int64_t block) {
        std::size_t const before = b.gpu.requests.size();
        lkt::configuration const config{{{"BLOCK", block}}};
        auto const found = lkt::verify_kernel(
            b.gpu, b.compiled(), b.task, b.task.launch, config, b.suite, {}, b.options);
        REQUIRE(found.has_value());
        launches = b.gpu.requests.size() - before;
        return std::get<lkt::wrong_output>(found->value());
    };
    auto const first = verdict(32);
    CHECK(first.as == lkt::verdict::race);
    CHECK(first.pattern.find("assumed to be") == std::string::npos);
    std::size_t const all = launches;

    auto const second = verdict(64);
    CHECK(second.as == lkt::verdict::race);
    CHECK(launches < all);
    CHECK(second.pattern.find("only element 0; ") == 0); // its own
    CHECK(second.pattern.find(
              "; assumed to be wrong for the same reason as BLOCK=32, which was launched again: "
              "every wrong element differs from one launch to the next") != std::string::npos);
    CHECK(explained.size() == 1);

    // What looks different is looked into: many wrong elements, or all of them 0.
    wrong = 50;
    CHECK(verdict(128).pattern.find("assumed to be") == std::string::npos);
    CHECK(launches == all);
    wrong = 0;
    CHECK(verdict(256).as == lkt::verdict::trivial_output);
    CHECK(launches == all);
    CHECK(explained.size() == 3);

    // Nobody else's: without that memory each is launched again.
    wrong = 1;
    b.options.explained = nullptr;
    CHECK(verdict(64).pattern.find("assumed to be") == std::string::npos);
    CHECK(launches == all);
}

TEST_CASE("a WGSL text with subgroups is told of other devices") {
    bench b(doubling_but([](auto&, int i, int, float y) -> element { return i % 3 ? y : y + 1; }));
    lkt::kernel_source const source{lkt::language::wgsl, "enable subgroups; ...", ""};
    b.options.source = &source;
    CHECK(b.wrong().as == lkt::verdict::portability);
}

TEST_CASE("a launch of too many threads for a CPU is left out where nobody asked for it") {
    bench b(test::doubling);
    std::vector<std::string> left_out;
    b.options.unchecked = &left_out;
    auto kernel = b.compiled();
    auto const run = [&] {
        b.gpu.requests.clear();
        left_out.clear();
        auto const v =
            lkt::verify_kernel(b.gpu, kernel, b.task, b.task.launch, {}, b.suite, {}, b.options);
        REQUIRE(v.has_value());
        CHECK(!v->has_value());
        return b.gpu.requests.size();
    };
    CHECK(run() == 3);
    kernel.most_threads = 64; // 33 elements take two blocks of 32, 100 take four
    CHECK(run() == 3);        // the user's sizes
    for (auto& t : b.suite.tests) t.test.origin = lkt::test_origin::hidden_size;
    CHECK(run() == 1);
    REQUIRE(left_out.size() == 1);
    CHECK(left_out.front().find("more than 64 threads") != std::string::npos);
    // Those that are run have the time that so many turns take.
    kernel.most_threads = 1'000'000;
    b.options.time_limit = lkt::seconds{1e-6};
    CHECK(run() == 3);
    for (auto const& r : b.gpu.requests) CHECK(r.time_limit > lkt::seconds{6e-4});
    // Slow is not wrong on a CPU, until many are.
    b.options.time_limit = {};
    CHECK(run() == 3);
    for (auto const& r : b.gpu.requests) CHECK(r.time_limit == lkt::seconds{60});
    b.gpu.takes = lkt::seconds{40};
    left_out.clear();
    CHECK(run() == 2);
    REQUIRE(left_out.size() == 1);
    CHECK(left_out.front().find("since others took 80 s on the CPU") != std::string::npos);
    for (auto& t : b.suite.tests) t.test.origin = lkt::test_origin::asked;
    CHECK(run() == 3);
    for (auto const& r : b.gpu.requests) CHECK(r.time_limit == lkt::seconds{5});
}

TEST_CASE("a launch that takes too long names its test and the size") {
    bench b([](fake_launch&) -> outcome {
        return lkt::failure(lkt::timed_out{lkt::seconds{5}, "launch"});
    });
    auto const v = b.verdict();
    REQUIRE(v.has_value());
    REQUIRE(v->has_value());
    auto const& late = std::get<lkt::timed_out>(**v);
    auto const& test = *std::ranges::find_if(
        b.suite.tests, [&](auto const& t) { return t.test.name == late.test; });
    CHECK(late.size == test.test.size);
    CHECK(lkt::describe(**v).find("in test `" + late.test + "`") != std::string::npos);
}

TEST_CASE("nothing can be as expected where nothing was expected") {
    bench b(test::doubling);
    for (auto& t : b.suite.tests) t.expected_id = 0;
    b.gpu.lies = true;
    auto const v = b.verdict();
    REQUIRE(!v.has_value());
    CHECK(v.error().code == "lkt.verify.report");
}
