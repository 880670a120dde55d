// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/generated_sizes.hpp>

#include <doctest/doctest.h>

#include "fake_backend.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>

namespace {

lkt::expression formula(std::string const& text) { return lkt::expression::parse(text).value(); }

/// C[m, n] = A[m, k] * B[k, n] in tiles.
lkt::problem product(std::initializer_list<char const*> constraints) {
    auto task = test::doubling_problem();
    task.size = {{"M", 512}, {"N", 512}, {"K", 512}};
    lkt::argument c = task.signature.arguments[1];
    task.signature.arguments = {task.signature.arguments[0], task.signature.arguments[0], c};
    task.signature.arguments[1].name = "b";
    lkt::argument_spec a;
    task.arguments = {a, a, a};
    task.arguments[0].count = formula("M * K");
    task.arguments[1].count = formula("K * N");
    task.arguments[2].count = formula("M * N");
    task.parameters = {{"TILE", {std::int64_t{16}, std::int64_t{8}, std::int64_t{48}}}};
    task.launch.grid = {formula("ceil_div(N, TILE)"), formula("ceil_div(M, TILE)"), 1};
    task.launch.block = {formula("TILE"), formula("TILE"), 1};
    for (char const* text : constraints) task.size_constraints.push_back(formula(text));
    return task;
}
/// The generated sizes, after it was checked that each is fair, cheap and new.
std::vector<lkt::problem_size> sizes(lkt::problem const& task, lkt::size_options options = {}) {
    auto const all = lkt::generated_sizes(task, options);
    CHECK(all.size() <= static_cast<std::size_t>(options.count));
    for (std::size_t k = 0; k < all.size(); ++k) {
        CHECK(lkt::fair_size(task, all[k]));
        CHECK(all[k] != task.size);
        CHECK(std::count(all.begin(), all.end(), all[k]) == 1);
        std::int64_t elements = 0;
        for (auto const& spec : task.arguments)
            elements += spec.count.evaluate_integer(lkt::scope_of(all[k], {})).value();
        // What lies beyond the named sizes may be 2.5 times the timed one.
        CHECK(elements <=
              std::max<std::int64_t>(static_cast<std::int64_t>(options.max_elements), 1966080));
        for (std::size_t d = 0; d < all[k].size(); ++d)
            CHECK(all[k][d].first == task.size[d].first);
    }
    return all;
}

} // namespace

TEST_CASE("one size is as large as the constraints allow, in one of its extents") {
    auto task = product({"M >= 1", "M <= 700", "N >= 1", "N < 900", "K >= 1", "K <= 600"});
    for (std::uint64_t seed = 1; seed < 9; ++seed) {
        auto const all = sizes(task, {.seed = seed, .count = 9});
        CHECK(std::any_of(all.begin(), all.end(), [](lkt::problem_size const& s) {
            return s[0].second == 700 || s[1].second == 899 || s[2].second == 600;
        }));
    }
}

TEST_CASE("a problem that does not say which sizes are fair gets none") {
    CHECK(lkt::generated_sizes(product({})).empty());
    auto task = product({"1 == 1"});
    task.size.clear();
    CHECK(lkt::generated_sizes(task).empty());
}

TEST_CASE(
    "free sizes lie between and beyond the named ones, beside them, are unequal, equal, small") {
    auto task = product({"min(ProblemSize) >= 1"});
    task.further_sizes = {{{"M", 40}, {"N", 20}, {"K", 9}}};
    for (std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
        auto const all = sizes(task, {.seed = seed, .count = 9});
        REQUIRE(all.size() == 9);
        CHECK(all == lkt::generated_sizes(task, {.seed = seed, .count = 9}));
        if (seed > 1) CHECK(all != lkt::generated_sizes(task, {.seed = seed - 1, .count = 9}));
        auto const most = [&](std::size_t k) {
            std::int64_t high = 0;
            for (auto const& [name, extent] : all[k]) high = std::max(high, extent);
            return high;
        };
        CHECK(most(0) <= 1024); // twice another one, at most
        CHECK(most(2) > 512);
        bool beside = false;
        for (std::size_t d = 0; d < 3; ++d)
            for (auto const* named : {&task.size, &task.further_sizes[0]}) {
                auto const apart = std::abs(all[3][d].second - (*named)[d].second);
                beside = beside || (apart > 0 && apart < 10);
            }
        CHECK(beside);
        auto const [low, high] =
            std::minmax_element(all[4].begin(), all[4].end(), [](auto const& a, auto const& b) {
                return a.second < b.second;
            });
        CHECK(high->second >= 16 * low->second);
        // Beside a multiple of a tile, and no multiple itself: what a kernel without a tail misses.
        bool ragged = false;
        for (auto const& [name, extent] : all[5]) ragged = ragged || extent % 8 != 0;
        CHECK(ragged);
        CHECK(all[6][0].second == all[6][1].second);
        CHECK(all[6][0].second == all[6][2].second);
        CHECK(most(7) <= 3);
    }
    CHECK(sizes(task, {.count = 20}).size() == 20);
    CHECK(sizes(task, {.count = 0}).empty());
}

TEST_CASE("what is drawn is rounded to the constraints, not rejected by them") {
    auto const task = product({"M % 100 == 0 and N % 64 == 0", "K == 2 * N", "M > 100"});
    std::size_t beyond = 0;
    for (std::uint64_t seed = 1; seed < 41; ++seed) {
        auto const all = sizes(task, {.seed = seed, .count = 9});
        CHECK(all.size() >= 4);
        for (auto const& size : all) beyond += size[0].second > 512 || size[1].second > 512 ? 1 : 0;
    }
    CHECK(beyond > 0);
}

TEST_CASE("constraints with equalities and divisors are met") {
    for (auto constraints :
         {std::initializer_list<char const*>{"M == N", "K % 32 == 0"},
          std::initializer_list<char const*>{"M % 48 == 0", "N % 48 == 0", "K % 48 == 0", "K > 0"},
          std::initializer_list<char const*>{"M == N", "N == K"},
          std::initializer_list<char const*>{"M == 2 * N", "K >= 17"},
          std::initializer_list<char const*>{"ProblemSize[0] % 100 == 0 and M <= 1000"},
          std::initializer_list<char const*>{"N in [64, 256, 1024]", "K == 512 or K == 7"}}) {
        CAPTURE(*constraints.begin());
        CHECK(sizes(product(constraints)).size() >= 2);
    }
    CHECK(sizes(product({"M == 5 and N == 5 and K == 6"})).size() <= 1);
    CHECK(sizes(product({"M == 987654"})).empty()); // nobody could test it either
    CHECK(sizes(product({"1 // 0"})).empty());
}

TEST_CASE("0 is a size where its arguments have elements and its launch has blocks") {
    auto task = test::doubling_problem();
    task.size_constraints = {formula("N >= 0")};
    task.arguments[0].count = task.arguments[1].count = formula("N + 1");
    task.launch.grid[0] = formula("ceil_div(N + 1, 32)");
    CHECK(lkt::fair_size(task, {{"N", 0}}));
    bool zero = false;
    for (auto const& size : sizes(task, {.count = 40})) zero = zero || size[0].second == 0;
    CHECK(zero);
    task.launch.grid[0] = formula("ceil_div(N, 32)");
    CHECK(!lkt::fair_size(task, {{"N", 0}}));
    for (auto const& size : sizes(task, {.count = 40})) CHECK(size[0].second > 0);
}

TEST_CASE("a size is unfair where an argument or a launch is impossible") {
    auto task = test::doubling_problem();
    CHECK(lkt::fair_size(task, {{"N", 300}}));
    task.signature.arguments[2].type = {lkt::scalar_type::int8, 1};
    CHECK(!lkt::fair_size(task, {{"N", 300}})); // n is no int8
    CHECK(lkt::fair_size(task, {{"N", 100}}));
    task.signature.arguments[0].constant_count = 64;
    CHECK(!lkt::fair_size(task, {{"N", 100}}));
    CHECK(lkt::fair_size(task, {{"N", 64}}));
    task = test::doubling_problem();
    task.parameters = {{"BLOCK", {std::int64_t{32}, std::int64_t{256}}}};
    task.launch.grid[0] = formula("N // BLOCK");
    CHECK(!lkt::fair_size(task, {{"N", 100}})); // no block of 256 threads
    CHECK(lkt::fair_size(task, {{"N", 256}}));
    task.restrictions = {formula("BLOCK < 100")};
    CHECK(lkt::fair_size(task, {{"N", 100}}));
    task.size_constraints = {formula("N % 32 == 0")};
    CHECK(!lkt::fair_size(task, {{"N", 100}}));
}
