// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/declared_tests.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"
#include "fake_backend.hpp"

#include <lkt/verify/all_of.hpp>
#include <lkt/verify/signature_tests.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

double const infinity = std::numeric_limits<double>::infinity();

std::vector<std::string> names(std::vector<lkt::test_case> const& tests) {
    std::vector<std::string> all;
    for (auto const& t : tests) all.push_back(t.name);
    return all;
}
std::vector<lkt::test_case> made(lkt::problem const& task, lkt::declared_tests const& how = {}) {
    auto tests = how.generate(task, {});
    REQUIRE_MESSAGE(tests.has_value(), to_string(tests.error()));
    return *tests;
}
/// Every value of the first argument lies between these bounds.
void check_between(lkt::problem const& task, double low, double high) {
    auto const tests = made(task);
    CHECK(!tests.empty());
    for (auto const& t : tests) {
        CAPTURE(t.name);
        double least = infinity, most = -infinity;
        for (std::size_t k = 0; k < t.arguments[0].lanes(); ++k) {
            least = std::fmin(least, lkt::lane_as_double(t.arguments[0], k));
            most = std::fmax(most, lkt::lane_as_double(t.arguments[0], k));
        }
        CHECK(least >= low);
        CHECK(most <= high);
    }
}

} // namespace

TEST_CASE("the menu of a problem that says nothing") {
    auto const task = test::doubling_problem(256);
    CHECK(names(made(task)) == std::vector<std::string>{"N=256, normal values",
                                                        "N=256, zeros and ones",
                                                        "N=256, one-hot in `x`",
                                                        "N=256, cancellation",
                                                        "N=256, large values",
                                                        "N=256, small values",
                                                        "N=256, vanishing products",
                                                        "N=256, wide exponents",
                                                        "N=256, offset",
                                                        "N=256, scales",
                                                        "N=256, cancelling rows",
                                                        "N=256, spikes",
                                                        "N=256, regular rows",
                                                        "N=256, ranks far apart",
                                                        "N=256, extremes",
                                                        "N=256, lower bounds",
                                                        "N=256, alternating ends",
                                                        "N=256, negative values",
                                                        "N=256, ties",
                                                        "N=256, all exponents",
                                                        "N=256, denormals",
                                                        "N=256, sparse values",
                                                        "N=256, signed zeros in `x`",
                                                        "N=256, mixed values"});
    test::check_test_generator(lkt::declared_tests{}, task);
    CHECK(made(task, {.menu = false}).empty());
    auto const tests = made(task);
    CHECK(tests[4].arguments[0] != made(task, {.seed = 2})[4].arguments[0]);
    int negative = 0;
    auto const zeros = tests[tests.size() - 2];
    for (std::size_t k = 0; k < 256; ++k) {
        CHECK(zeros.arguments[0].lane<float>(k) == 0);
        negative += std::signbit(zeros.arguments[0].lane<float>(k));
    }
    CHECK(negative == 128);
    check_between(task, -0x1p120, 0x1p120);
}

TEST_CASE(
    "where a function in float64 is the judge, inputs do not overflow in a kernel's squares") {
    auto task = test::doubling_problem(256);
    task.oracle = lkt::oracle_source{lkt::oracle_source::kind::numpy, "f.py", "f"};
    for (auto const& t : made(task)) {
        if (t.name.find("all exponents") == t.name.npos) continue;
        float most = 0, least = 1;
        for (std::size_t k = 0; k < 256; ++k) {
            float const value = std::fabs(t.arguments[0].lane<float>(k));
            most = std::fmax(most, value);
            if (value > 0) least = std::fmin(least, value);
        }
        CHECK(most < 0x1p57f);
        CHECK(most > 0x1p40f);
        CHECK(least < 0x1p-100f);
        return;
    }
    FAIL("there is no such test");
}

TEST_CASE("factors whose products float16 takes for 0 come with every seed, in long sums") {
    auto task = test::doubling_problem(256);
    task.further_sizes = {{{"N", 700}}, {{"N", 90}}};
    for (auto& a : task.signature.arguments)
        if (a.pointer) a.type.scalar = lkt::scalar_type::float16;
    for (std::uint64_t const seed : {1, 2, 3, 4, 5}) {
        auto const tests = made(task, {.seed = seed});
        auto const found = std::ranges::find_if(
            tests, [](auto const& t) { return t.name.find("vanishing products") != t.name.npos; });
        REQUIRE(found != tests.end());
        CHECK(found->size[0].second == 700);
        for (std::size_t k = 0; k < 700; ++k) {
            double const x = lkt::lane_as_double(found->arguments[0], k);
            CHECK(x >= 0x1p-14);
            CHECK(x * x <= 0x1p-25);
        }
    }
    task.arguments[0].min = 0.5;
    CHECK(std::ranges::none_of(made(task), [](auto const& t) {
        return t.name.find("vanishing products") != t.name.npos;
    }));
}

TEST_CASE("one-hot inputs come one at a time") {
    auto task = test::doubling_problem(64);
    task.arguments[1].flow = lkt::direction::inout;
    auto const tests = made(task);
    auto const x = names(tests);
    REQUIRE(x[2] == "N=64, one-hot in `x`");
    REQUIRE(x[3] == "N=64, one-hot in `y`");
    int others = 0;
    for (std::size_t k = 0; k < 64; ++k) others += tests[2].arguments[1].lane<float>(k) != 0;
    CHECK(others > 60);
}

TEST_CASE("what would make all outputs alike is for one input at a time, in turn") {
    auto task = test::doubling_problem(64);
    task.arguments[1].flow = lkt::direction::inout;
    auto const all = names(made(task));
    CHECK(std::count(all.begin(), all.end(), "N=64, signed zeros in `x`") == 1);
    CHECK(std::count(all.begin(), all.end(), "N=64, signed zeros in `y`") == 0);
    CHECK(all.size() == 28);
    for (std::size_t k : {0u, 1u}) task.signature.arguments[k].type.scalar = lkt::scalar_type::int8;
    auto const whole = made(task);
    auto const ones = std::find_if(whole.begin(), whole.end(), [](auto const& t) {
        return t.name.find(", ones in `x`") != std::string::npos;
    });
    REQUIRE(ones != whole.end());
    CHECK(ones->arguments[0].lane<std::int8_t>(17) == 1);
    auto const turned = names(whole);
    CHECK(std::count(turned.begin(), turned.end(), "N=64, signed zeros in `y`") == 1);
}

TEST_CASE("a domain, a fill and a type restrict the menu") {
    auto task = test::doubling_problem(100);
    task.arguments[0].min = 0.25;
    task.arguments[0].max = 0.75;
    task.arguments[0].fill = lkt::uniform{0.25, 0.75};
    check_between(task, 0.25, 0.75);
    CHECK(names(made(task)) == std::vector<std::string>{"N=100, normal values",
                                                        "N=100, offset",
                                                        "N=100, spikes",
                                                        "N=100, regular rows",
                                                        "N=100, extremes",
                                                        "N=100, upper bounds",
                                                        "N=100, opposite ends",
                                                        "N=100, lower bounds",
                                                        "N=100, alternating ends",
                                                        "N=100, ties",
                                                        "N=100, mixed values"});
    task.arguments[0].max.reset();
    check_between(task, 0.25, infinity);
    // A fill that was given is the range where there is no domain.
    task = test::doubling_problem(100);
    task.arguments[0].fill = lkt::uniform{3, 5};
    check_between(task, 3, 5);
    task.arguments[0].min = -infinity; // but any finite value is fair here
    bool beyond = false;
    for (auto const& t : made(task))
        for (std::size_t k = 0; k < 100; ++k) beyond = beyond || t.arguments[0].lane<float>(k) < 0;
    CHECK(beyond);
    // Positions stay positions.
    task = test::doubling_problem(100);
    task.signature.arguments[0].type = {lkt::scalar_type::int32, 1};
    task.arguments[0].fill = lkt::indices{7};
    check_between(task, 0, 6);
    task.arguments[0].fill = lkt::uniform{0, 1};
    check_between(task, 0, 1);
    task.arguments[0].min = -infinity; // what T1 says of floats is no promise for these
    check_between(task, 0, 1);
    task.signature.arguments[0].type = {lkt::scalar_type::uint8, 1};
    task.arguments[0].fill = lkt::uniform{};
    check_between(task, 0, 1);
    // A structure stays.
    for (lkt::distribution const& fill : {lkt::distribution(lkt::permutation{}),
                                          lkt::distribution(lkt::ascending{}),
                                          lkt::distribution(lkt::constant{2})}) {
        task.arguments[0].fill = fill;
        CHECK(made(task).empty());
    }
}

TEST_CASE("NaN, infinity and what cancels are for kernels that promise them") {
    auto task = test::doubling_problem(1000);
    auto const largest = [&] {
        auto const tests = made(task);
        double most = 0;
        for (std::size_t k = 0; k < 1000; ++k)
            most = std::fmax(most, std::fabs(tests[3].arguments[0].lane<float>(k)));
        return most;
    };
    CHECK(largest() <= 4);
    task.properties.compensated = true;
    CHECK(largest() > 9000);
    task.properties.propagates = true;
    auto const tests = made(task);
    auto const& special = tests[tests.size() - 2];
    CHECK(special.name == "N=1000, NaN and infinity");
    int nan = 0;
    for (std::size_t k = 0; k < 1000; ++k) nan += std::isnan(special.arguments[0].lane<float>(k));
    CHECK(nan >= 3);
}

TEST_CASE("declared tests come first, and what they do not name is as ever") {
    auto task = test::doubling_problem(50);
    task.arguments[1].flow = lkt::direction::inout;
    task.tests = {{"twos", {{0, {lkt::constant{2}, {}, 0}}}},
                  {"with NaN", {{0, {lkt::uniform{}, {lkt::special_value::nan}, 0}}}}};
    auto const tests = made(task, {.menu = false});
    REQUIRE(tests.size() == 2);
    CHECK(tests[0].name == "N=50, twos");
    CHECK(tests[0].arguments[0].lane<float>(49) == 2);
    CHECK(tests[0].arguments[1].lane<float>(0) != 2);
    CHECK(made(task).size() > 10);
    CHECK(made(task)[1].name == "N=50, with NaN");
    task.arguments[0].max = 1;
    auto const refused = lkt::declared_tests{}.generate(task, {});
    REQUIRE(!refused.has_value());
    CHECK(refused.error().message ==
          "test `twos`: argument `x`: the constant 2 is outside of the argument's domain");
    CHECK(!refused.error().hint.empty());
    task.tests = {{"none", {{7, {}}}}};
    CHECK(lkt::declared_tests{}.generate(task, {}).error().code == "lkt.verify.test");
}

TEST_CASE("inputs are made at a small size, and no more than they may cost") {
    auto task = test::doubling_problem(1000);
    task.further_sizes = {{{"N", 10}}, {{"N", 400}}, {{"N", 5000}}};
    auto const size = [&](std::uint64_t small) {
        return made(task, {.small = small}).front().size[0].second;
    };
    CHECK(size(4000) == 1000);
    CHECK(size(1999) == 400); // two buffers
    CHECK(size(100) == 10);
    CHECK(size(1) == 10);                                   // the smallest there is
    CHECK(made(task, {.menu_elements = 5000}).size() == 3); // two of them at N=1000
    CHECK(made(task, {.menu_elements = 1}).size() == 1);
    task.further_sizes.clear();
    task.size_constraints = {lkt::expression::parse("N >= 1").value()};
    auto const hidden = made(task, {.small = 1000});
    CHECK(hidden.front().name.find("hidden size") == 0); // the model is not told which
    CHECK(hidden.front().size != task.size);
}

TEST_CASE("together with the tests of the signature, each input comes once") {
    auto task = test::doubling_problem(64);
    lkt::all_of both{lkt::signature_tests{}, lkt::declared_tests{}};
    auto const tests = both.generate(task, {}).value();
    CHECK(tests.front().name == "N=64");
    CHECK(tests.size() == 2 + 24);
    task.tests = {{"signs", {{0, {lkt::alternating{}, {}, 0}}}},
                  {"the same", {{0, {lkt::alternating{}, {}, 0}}}}};
    CHECK(both.generate(task, {}).value().size() == 2 + 24 + 1);
}

TEST_CASE("kinds of values meet several sizes, other ones for another seed") {
    auto task = test::doubling_problem(5000);
    task.size_constraints = {lkt::expression::parse("N >= 1").value()};
    std::vector<std::string> sizes_of_ties;
    for (std::uint64_t seed : {1u, 2u, 3u, 4u}) {
        std::size_t mixed = 0;
        for (auto const& t : made(task, {.seed = seed})) {
            if (t.name.ends_with(", ties")) sizes_of_ties.push_back(t.name);
            mixed += t.name.ends_with(", mixed values") ? 1 : 0;
        }
        CHECK(mixed >= 3); // at each size that is not tiny
    }
    std::sort(sizes_of_ties.begin(), sizes_of_ties.end());
    CHECK(std::unique(sizes_of_ties.begin(), sizes_of_ties.end()) - sizes_of_ties.begin() >= 2);
}

TEST_CASE("rows that cancel sum to 0, and equal inputs are equal") {
    auto task = test::doubling_problem(4096);
    task.arguments[1].flow = lkt::direction::inout;
    auto const tests = made(task);
    auto const named = [&](std::string const& what) {
        return *std::find_if(
            tests.begin(), tests.end(), [&](auto const& t) { return t.name == "N=4096, " + what; });
    };
    auto const cancelling = named("cancelling rows");
    double sum = 0, size = 0;
    for (std::size_t k = 0; k < 4096; ++k) {
        sum += cancelling.arguments[0].lane<float>(k);
        size += std::fabs(cancelling.arguments[0].lane<float>(k));
    }
    CHECK(std::fabs(sum) <= 1e-9 * size);
    CHECK(size > 1000);
    auto const equal = named("equal inputs"), rest = named("at rest");
    CHECK(equal.arguments[0].bytes == equal.arguments[1].bytes);
    CHECK(rest.arguments[0].lane<float>(7) == 0); // only read
    CHECK(rest.arguments[1].lane<float>(7) != 0);
    auto const denormal = named("denormals");
    for (std::size_t k = 0; k < 4096; ++k)
        CHECK(std::fabs(denormal.arguments[0].lane<float>(k)) <= 0x1p-126f);
    task.properties.fast_math = true; // flushes them
    for (auto const& name : names(made(task))) CHECK(name.find("denormals") == std::string::npos);
}

TEST_CASE("a scalar varies where nothing says that it may not, and not at the timed size") {
    auto task = test::doubling_problem(5000);
    task.size_constraints = {lkt::expression::parse("N >= 1").value()};
    auto const n = task.signature.arguments.size() - 1;
    CHECK(!lkt::fair_scalar(task, n)); // it is the size
    task.arguments[n].value = 5000;
    CHECK(!lkt::fair_scalar(task, n)); // it looks like it
    task.arguments[n].value = 100;
    CHECK(lkt::fair_scalar(task, n) == lkt::value_bounds{1, 100});
    task.arguments[n].max = 300;
    CHECK(lkt::fair_scalar(task, n)->max == 300);
    task.arguments[n].max.reset();
    std::size_t others = 0;
    for (auto const& t : made(task)) {
        auto const now = t.arguments[n].lane<std::int32_t>(0);
        CHECK(now >= 1);
        CHECK(now <= 100);
        if (t.size == task.size) CHECK(now == 100);
        others += now != 100 ? 1 : 0;
    }
    CHECK(others > 3);
    task.signature.arguments[n].type.scalar = lkt::scalar_type::float32;
    CHECK(lkt::fair_scalar(task, n) == lkt::value_bounds{});
    // A kernel may not leave out what it does for the other value of a flag.
    task.signature.arguments[n].type.scalar = lkt::scalar_type::boolean;
    task.arguments[n].value = 1;
    std::size_t off = 0;
    for (auto const& t : made(task)) {
        auto const now = t.arguments[n].lane<bool>(0);
        if (t.size == task.size) CHECK(now);
        off += now ? 0 : 1;
    }
    CHECK(off > 3);
}

TEST_CASE("making declared tests stops when asked to") {
    std::stop_source stop;
    stop.request_stop();
    auto const tests =
        lkt::declared_tests{}.generate(test::doubling_problem(), {stop.get_token(), {}});
    REQUIRE(!tests.has_value());
    CHECK(tests.error().kind == lkt::condition::cancelled);
}

TEST_CASE("the ends of a domain meet in each order, always") {
    auto task = test::doubling_problem(1000);
    task.signature.arguments[0].type = {lkt::scalar_type::int8, 1};
    task.arguments[0].min = -128;
    task.arguments[0].max = 127;
    for (std::uint64_t seed : {1U, 2U, 3U}) {
        auto const tests = made(task, {.seed = seed});
        auto const named = [&](std::string const& what) -> lkt::argument_data const& {
            auto const at = std::ranges::find(tests, "N=1000, " + what, &lkt::test_case::name);
            REQUIRE(at != tests.end());
            return at->arguments[0];
        };
        auto const &low = named("lower bounds"), &both = named("alternating ends");
        int others = 0, pairs = 0;
        for (std::size_t k = 0; k < 1000; ++k) {
            bool const first = k < 500;
            if (first) CHECK(low.lane<std::int8_t>(k) == -128);
            others += low.lane<std::int8_t>(k) != -128;
            if (k % 2 == 0)
                pairs += both.lane<std::int8_t>(k) == -128 && both.lane<std::int8_t>(k + 1) == -128;
        }
        CHECK(others > 0); // or all results would be alike
        CHECK(pairs > 200);
        CHECK(pairs <= 252);
    }
    // Without a domain a half goes to its largest numbers, whose products float32 holds.
    task = test::doubling_problem(1000);
    task.signature.arguments[0].type = {lkt::scalar_type::float16, 1};
    bool largest = false;
    for (auto const& t : made(task))
        for (std::size_t k = 0; k < 1000; ++k)
            largest = largest || lkt::lane_as_double(t.arguments[0], k) == -65504;
    CHECK(largest);
}
