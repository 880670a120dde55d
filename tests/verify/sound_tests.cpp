// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/sound_tests.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/detail/copied_outputs.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/problem_tests.hpp>

#include "fake_backend.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace {

using test::fake_backend;
using test::fake_launch;
using outcome = std::optional<lkt::failure>;

struct sound_suite {
    fake_backend gpu;
    lkt::test_suite suite;
    int compiled_before = 0, runs_before = 0;
};

/// The tests of a problem, prepared with an original, and what is kept of them.
sound_suite kept(test::fake_kernel original, lkt::problem const& task = test::doubling_problem()) {
    sound_suite s;
    s.gpu.kernels["double it"] = std::move(original);
    auto tests = lkt::problem_tests{}.generate(task, {}).value();
    s.suite = lkt::prepare_suite(s.gpu, task, std::move(tests), {}).value();
    CHECK(s.suite.notes.empty());
    s.compiled_before = s.gpu.compiled;
    s.runs_before = s.gpu.runs;
    REQUIRE(lkt::keep_sound_tests(s.gpu, task, s.suite, {}).has_value());
    return s;
}
/// The bound of y that is left.
lkt::tolerance bound_of_copies(sound_suite s, lkt::problem const& task = test::doubling_problem()) {
    lkt::detail::expect_copies(task, s.suite);
    return s.suite.tests.front().bounds.front();
}
/// y = f(x), element by element.
template <class F>
test::fake_kernel mapping(F f) {
    return [f](fake_launch& l) -> outcome {
        for (std::size_t i = 0; i < static_cast<std::size_t>(l.get<int>(2)); ++i)
            l.set<float>(1, i, f(l.get<float>(0, i)));
        return std::nullopt;
    };
}
std::size_t count(lkt::test_suite const& suite, lkt::test_origin origin) {
    return static_cast<std::size_t>(
        std::count_if(suite.tests.begin(), suite.tests.end(), [&](auto const& t) {
            return t.test.origin == origin;
        }));
}
bool has_test(lkt::test_suite const& suite, std::string const& what) {
    return std::any_of(suite.tests.begin(), suite.tests.end(), [&](auto const& t) {
        return t.test.name.find(what) != std::string::npos;
    });
}
lkt::problem sized_problem() {
    auto task = test::doubling_problem();
    task.size_constraints = {lkt::expression::parse("N >= 1").value(),
                             lkt::expression::parse("N <= 200").value()};
    return task;
}

} // namespace

TEST_CASE("values that the original copies have to be equal") {
    auto const copy = [](float x) { return x; };
    auto const cut = [](float x) { return x > 0 ? x : 0.0f; };
    auto const computed = [](float x) { return x + 1e-3f; };
    CHECK(bound_of_copies(kept(mapping(copy))) == lkt::tolerance{0, 0});
    auto const larger = test::doubling_problem(512); // about half are not 0
    CHECK(bound_of_copies(kept(mapping(cut), larger), larger) == lkt::tolerance{0, 0});
    CHECK(bound_of_copies(kept(mapping(computed))).relative > 0);
    CHECK(lkt::detail::only_copies(larger, kept(mapping(cut), larger).suite));
    CHECK_FALSE(lkt::detail::only_copies(larger, kept(mapping(computed), larger).suite));
    auto flushes = test::doubling_problem();
    flushes.reference.language = lkt::language::wgsl;
    CHECK(bound_of_copies(kept(mapping(copy)), flushes).absolute ==
          std::numeric_limits<float>::min());
    auto bounded = test::doubling_problem();
    bounded.arguments[1].bound = lkt::tolerance{1e-3, 0};
    CHECK(bound_of_copies(kept(mapping(copy), bounded), bounded).relative > 0);
}

TEST_CASE("Floats move by one unit in the last place, in either direction") {
    auto const task = test::doubling_problem(1000);
    auto before = lkt::problem_tests{}.generate(task, {}).value().front();
    float const special[] = {0.0f,
                             -0.0f,
                             std::numeric_limits<float>::infinity(),
                             std::nanf(""),
                             std::numeric_limits<float>::max()};
    std::memcpy(before.arguments[0].bytes.data(), special, sizeof special);
    auto const after = lkt::moved_by_units(task, before, 1, 1, 0);
    std::size_t up = 0, down = 0;
    for (std::size_t k = 5; k < 1000; ++k) {
        float const x = before.arguments[0].lane<float>(k), y = after.arguments[0].lane<float>(k);
        if (x == 0) continue;
        (y > x ? up : down) += 1;
        CHECK(y == std::nextafter(x, y > x ? HUGE_VALF : -HUGE_VALF));
    }
    CHECK(up > 400);
    CHECK(down > 400);
    CHECK(std::memcmp(before.arguments[0].bytes.data(),
                      after.arguments[0].bytes.data(),
                      4 * sizeof(float)) == 0);
    CHECK(std::isfinite(after.arguments[0].lane<float>(4)));
    CHECK(after.arguments[2] == before.arguments[2]); // an integer
    CHECK(lkt::moved_by_units(task, before, 1, 2, 0).arguments[0] != after.arguments[0]);
    CHECK(lkt::moved_by_units(task, before, 1, 1, 1).arguments[0] != after.arguments[0]);
}

TEST_CASE("Inputs stay within their domain, and structures as they are") {
    auto task = test::doubling_problem(64);
    task.arguments[0].min = task.arguments[0].max = 1.0;
    auto const at_the_bounds = lkt::problem_tests{.menu = false}.generate(task, {}).value().front();
    CHECK(lkt::moved_by_units(task, at_the_bounds, 1, 1, 0).arguments == at_the_bounds.arguments);

    // At one end there is one way.
    task.arguments[0].min = 0.5;
    auto const down = lkt::moved_by_units(task, at_the_bounds, 1, 1, 0);
    for (std::size_t k = 0; k < 64; ++k)
        CHECK(down.arguments[0].lane<float>(k) == std::nextafter(1.0F, 0.0F));

    task = test::doubling_problem(64);
    task.arguments[0].fill = lkt::ascending{};
    auto const rising = lkt::problem_tests{.menu = false}.generate(task, {}).value().front();
    CHECK(lkt::moved_by_units(task, rising, 1, 1, 0).arguments == rising.arguments);
}

TEST_CASE("Only the widest floating type moves, and no half") {
    auto task = test::doubling_problem(64);
    task.signature.arguments[0].type.scalar = lkt::scalar_type::float16;
    auto const half = lkt::problem_tests{.menu = false}.generate(task, {}).value().front();
    CHECK(lkt::moved_by_units(task, half, 1, 1, 0).arguments[0] == half.arguments[0]);

    task = test::doubling_problem(64);
    task.signature.arguments[1].type.scalar = lkt::scalar_type::float64;
    auto const single = lkt::problem_tests{.menu = false}.generate(task, {}).value().front();
    CHECK(lkt::moved_by_units(task, single, 1, 1, 0).arguments[0] == single.arguments[0]);
    task.signature.arguments[0].type.scalar = lkt::scalar_type::float64;
    auto const both = lkt::problem_tests{.menu = false}.generate(task, {}).value().front();
    auto const moved = lkt::moved_by_units(task, both, 1, 1, 0);
    double const x = both.arguments[0].lane<double>(3), y = moved.arguments[0].lane<double>(3);
    CHECK(y == std::nextafter(x, y > x ? HUGE_VAL : -HUGE_VAL));
}

TEST_CASE(
    "A kernel that is well conditioned loses no test, and is launched once on each, or thrice "
    "more where small elements have bounds of their own") {
    auto const s = kept(test::doubling, sized_problem());
    CHECK(count(s.suite, lkt::test_origin::hidden_size) > 0);
    CHECK(count(s.suite, lkt::test_origin::menu) > 5);
    CHECK(s.suite.notes.empty());
    CHECK(s.gpu.compiled == s.compiled_before + 1);
    int runs = s.runs_before;
    for (auto const& t : s.suite.tests) {
        bool const small = std::any_of(
            t.magnitudes.begin(), t.magnitudes.end(), [](auto const& of) { return !of.empty(); });
        runs += small ? 4 : 1;
    }
    CHECK(s.gpu.runs == runs);
}

TEST_CASE("Tests of lkt's choice on which the original is ill-conditioned go, others are noted") {
    // The last bit decides, so that an honest rewrite of what comes before it may differ.
    auto const last_bit = mapping([](float x) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &x, sizeof bits);
        return static_cast<float>(bits & 1);
    });
    auto const s = kept(last_bit, sized_problem());
    CHECK(count(s.suite, lkt::test_origin::hidden_size) > 0);
    CHECK(s.suite.tests.front().test.name == "N=64");
    CHECK(count(s.suite, lkt::test_origin::asked) == 2);
    REQUIRE(s.suite.notes.size() == 4);
    CHECK(s.suite.notes[0] ==
          "the original is ill-conditioned on test `N=64`: when inputs move by 1 unit in the last "
          "place, 64 of 64 elements of `y` move by more than a quarter of their bound. An honest "
          "rewrite may differ there; a tolerance with a share of the elements (`share`) allows "
          "for it");
    CHECK(s.suite.notes[1].find("`N=64, other values`") != std::string::npos);
    // Zeros do not move, so that where there are many the others are left out.
    CHECK(s.suite.notes[2].find("are not judged") != std::string::npos);
    CHECK(s.suite.notes[3].find("tests ask only that outputs be finite: on them the original moves "
                                "by more than its bound") != std::string::npos);
    // A user who allows for it hears nothing.
    auto task = sized_problem();
    task.arguments[1].bound = lkt::tolerance{0, 0, 1};
    CHECK(kept(last_bit, task).suite.notes.empty());
}

TEST_CASE("A test on which the original moves asks for finite outputs, if its own are finite") {
    auto const bits_of = [](float x) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &x, sizeof bits);
        return bits;
    };
    auto const task = sized_problem();
    auto const number = [&](lkt::test_suite const& suite) {
        return std::find_if(suite.tests.begin(), suite.tests.end(), [](auto const& t) {
            return t.test.origin == lkt::test_origin::hidden_size && t.expected[0].count() > 8;
        });
    };
    auto const s = kept(mapping([&](float x) { return static_cast<float>(bits_of(x) & 1); }), task);
    auto const t = number(s.suite);
    REQUIRE(t != s.suite.tests.end());
    auto got = t->expected[0];
    float const infinite = std::numeric_limits<float>::infinity();
    std::memcpy(got.bytes.data() + 12, &infinite, sizeof infinite);
    auto const wrong = lkt::judge_output(task, s.suite, *t, 0, got);
    REQUIRE(wrong.has_value());
    CHECK(wrong->first == 3);
    // Near overflow nothing is asked.
    auto const far =
        kept(mapping([&](float x) { return (bits_of(x) & 1) != 0 ? 3e38f : 1.0f; }), task);
    CHECK(number(far.suite) == far.suite.tests.end());
}

TEST_CASE("Elements that rounding decides are left out, and the others are judged") {
    // Beside 1 the last bit decides, elsewhere nothing does.
    auto const step = mapping([](float x) {
        return std::fabs(x) > 0.9f && std::fabs(x) < 1.1f ? (x >= 1 ? 5.0f : -5.0f) : x;
    });
    auto task = test::doubling_problem();
    auto s = kept(step, task);
    auto const found = std::find_if(s.suite.tests.begin(), s.suite.tests.end(), [](auto const& t) {
        return t.test.name.find("zeros and ones") != std::string::npos;
    });
    REQUIRE(found != s.suite.tests.end());
    auto const open = found->open.at(0).count();
    CHECK(open > 10);
    CHECK(open <= found->open[0].size() / 2 + 4);
    REQUIRE(!s.suite.notes.empty());
    CHECK(s.suite.notes.back().find("are not judged") != std::string::npos);
    auto got = found->expected[0];
    auto const put = [&](std::size_t k, float v) {
        std::memcpy(got.bytes.data() + 4 * k, &v, sizeof v);
    };
    put(static_cast<std::size_t>(found->open[0].next(0)), 77);
    CHECK(!lkt::judge_output(task, s.suite, *found, 0, got));
    // What is no number is no matter of rounding.
    put(static_cast<std::size_t>(found->open[0].next(0)), std::nanf(""));
    auto const none = lkt::judge_output(task, s.suite, *found, 0, got);
    REQUIRE(none.has_value());
    CHECK(none->count == 1);
    put(static_cast<std::size_t>(found->open[0].next(0)), 77);
    std::size_t closed = 0;
    while (found->open[0][closed]) ++closed;
    put(closed, 77);
    auto const wrong = lkt::judge_output(task, s.suite, *found, 0, got);
    REQUIRE(wrong.has_value());
    CHECK(wrong->count == 1);
    CHECK(wrong->first == closed);
}

TEST_CASE("Whole numbers that rounding decides are left out of every test") {
    // Numbers of 8 bits, and the same by a reciprocal, which rounds in another place.
    auto const whole = [](bool reciprocal) {
        return [=](fake_launch& l) -> outcome {
            for (std::size_t i = 0; i < static_cast<std::size_t>(l.get<int>(2)); ++i) {
                float const x = l.get<float>(0, i);
                float const there = reciprocal ? x * (127.0f / 0.77f) : x * 127.0f / 0.77f;
                l.set<int>(1, i, static_cast<int>(std::rint(there)));
            }
            return std::nullopt;
        };
    };
    auto task = test::doubling_problem(4000);
    task.signature.arguments[1].type.scalar = lkt::scalar_type::int32;
    task.arguments[0].min = -0.77, task.arguments[0].max = 0.77;
    fake_backend gpu;
    gpu.kernels["double it"] = whole(false);
    gpu.kernels["another"] = whole(true);
    auto other = task;
    other.reference.text = "another";
    auto tests = lkt::problem_tests{.menu = false}.generate(task, {}).value();
    for (auto& t : tests)
        for (std::size_t k = 0; k < 4000; k += 50) { // next to where it rounds the other way
            float const x = (static_cast<float>(k / 50) + 0.5f) * (0.77f / 127.0f);
            std::memcpy(t.arguments[0].bytes.data() + 4 * k, &x, sizeof x);
        }
    auto const rewritten = lkt::prepare_suite(gpu, other, tests, {}).value();
    auto suite = lkt::prepare_suite(gpu, task, std::move(tests), {}).value();
    REQUIRE(suite.tests.size() == rewritten.tests.size());
    REQUIRE(lkt::keep_sound_tests(gpu, task, suite, {}).has_value());
    for (std::size_t n = 0; n < suite.tests.size(); ++n) {
        auto const& t = suite.tests[n];
        CHECK(t.test.origin == lkt::test_origin::asked);
        CHECK(t.expected[0] != rewritten.tests[n].expected[0]);
        CHECK(!lkt::judge_output(task, suite, t, 0, rewritten.tests[n].expected[0]));
        REQUIRE(t.open.size() == 1);
        CHECK(t.open[0].count() < 100);
    }
}

TEST_CASE("Inputs move in opposite directions, further, and where they are equal alike") {
    auto const task = test::doubling_problem(1000);
    auto before = lkt::problem_tests{}.generate(task, {}).value().front();
    for (std::size_t k = 0; k < 1000; ++k) {
        float const x = 1.0f + static_cast<float>(k % 10);
        std::memcpy(before.arguments[0].bytes.data() + 4 * k, &x, sizeof x);
    }
    auto const moved = [&](lkt::moving_style how) {
        auto const after = lkt::moved_by_units(task, before, 1, 1, 0, how);
        std::vector<float> by;
        for (std::size_t k = 0; k < 1000; ++k)
            by.push_back((after.arguments[0].lane<float>(k) - before.arguments[0].lane<float>(k)) /
                         std::ldexp(0x1p-23f, std::ilogb(before.arguments[0].lane<float>(k))));
        return by;
    };
    auto const there = moved({.farthest = 16}), back = moved({.farthest = 16, .reversed = true});
    auto const alike = moved({.farthest = 16, .equals_alike = true});
    float most = 0;
    for (std::size_t k = 0; k < 1000; ++k) {
        most = std::max(most, std::fabs(there[k]));
        CHECK((there[k] > 0) != (back[k] > 0));
        CHECK(std::fabs(alike[k]) >= 0.5f);
        CHECK(alike[k] == alike[k % 10]);
    }
    CHECK(most > 10);
    CHECK(most <= 16);
}

TEST_CASE("What moves with the inputs by less than its bound is kept") {
    // The conditioning of x^k is k.
    auto const power = [](float k) {
        return mapping([k](float x) { return std::pow(std::min(std::fabs(x), 1.0f), k); });
    };
    auto const gentle = kept(power(2)), steep = kept(power(48));
    CHECK(gentle.suite.notes.empty());
    CHECK(gentle.suite.tests.front().bounds[0].relative == 0x1p-16);
    // Beyond a quarter of the bound, which becomes four times the move.
    CHECK(steep.suite.tests.front().open.empty());
    CHECK(steep.suite.tests.front().limits[0].rms > 0x1p-16);
    CHECK(steep.suite.tests.front().limits[0].rms <= 16 * 0x1p-16);
    CHECK(!kept(mapping([](float x) { return std::sin(1e5f * x); })).suite.notes.empty());
}

TEST_CASE("An original that fails on what is next to an input drops the test") {
    auto const fragile = [](fake_launch& l) -> outcome {
        for (std::size_t i = 0; i < static_cast<std::size_t>(l.get<int>(2)); ++i) {
            float const x = l.get<float>(0, i);
            if (x == std::nextafter(1.0f, 2.0f) || x == std::nextafter(1.0f, 0.0f))
                return lkt::failure(lkt::out_of_bounds{"read of 4 bytes", {}});
        }
        return test::doubling(l);
    };
    auto const s = kept(fragile);
    CHECK_FALSE(has_test(s.suite, "zeros and ones"));
    CHECK(has_test(s.suite, "normal values"));
    REQUIRE(s.suite.notes.size() == 1);
}

TEST_CASE("Tests of the menu with constant outputs go without a word") {
    auto const positive = mapping([](float x) { return x > 0 ? x : 0.0f; });
    auto const s = kept(positive);
    CHECK_FALSE(has_test(s.suite, "signed zeros"));
    CHECK(has_test(s.suite, "zeros and ones"));
    CHECK(s.suite.notes.empty());
}

TEST_CASE("Without a float among the inputs nothing is compiled or launched") {
    auto task = test::doubling_problem();
    for (std::size_t k : {0u, 1u})
        task.signature.arguments[k].type.scalar = lkt::scalar_type::int32;
    auto const s = kept(
        [](fake_launch& l) -> outcome {
            for (std::size_t i = 0; i < static_cast<std::size_t>(l.get<int>(2)); ++i)
                l.set<int>(1, i, l.get<int>(0, i) & 7);
            return std::nullopt;
        },
        task);
    CHECK(s.gpu.compiled == s.compiled_before);
    CHECK(s.gpu.runs == s.runs_before);
}

TEST_CASE("A problem that promises compensated sums is asked for what others may lose") {
    auto task = sized_problem();
    task.properties.compensated = true;
    // What remains of 1 + x is a unit in the last place of it.
    auto const s = kept(mapping([](float x) { return (1 + x) - x; }), task);
    CHECK(has_test(s.suite, "cancellation"));
    CHECK(s.gpu.runs == s.runs_before);
}

TEST_CASE("Tests that are too large are not run, and stay") {
    fake_backend gpu;
    gpu.kernels["double it"] = mapping([](float x) { return std::sin(1e5f * x); });
    auto const task = sized_problem();
    auto suite = lkt::prepare_suite(
                     gpu, task, lkt::problem_tests{.menu = false}.generate(task, {}).value(), {})
                     .value();
    auto const all = suite.tests.size();
    lkt::soundness_options none;
    none.test_bytes = 0;
    REQUIRE(lkt::keep_sound_tests(gpu, task, suite, {}, none).has_value());
    CHECK(suite.tests.size() == all);
    CHECK(suite.notes.empty());
}

TEST_CASE("A caller who stops it gets an error") {
    fake_backend gpu;
    gpu.kernels["double it"] = test::doubling;
    auto const task = test::doubling_problem();
    auto suite =
        lkt::prepare_suite(gpu, task, lkt::problem_tests{}.generate(task, {}).value(), {}).value();
    std::stop_source stop;
    stop.request_stop();
    auto const made = lkt::keep_sound_tests(gpu, task, suite, {stop.get_token(), {}});
    REQUIRE(made.has_error());
    CHECK(made.error().kind == lkt::condition::cancelled);
}
