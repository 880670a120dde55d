// SPDX-License-Identifier: BSL-1.0
#include <lkt/search/local_search.hpp>

#include <lkt/search/exhaustive.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace {

/// 4096 configurations, of which `A * B` leaves 3328.
lkt::search_space large_space() {
    std::vector<lkt::parameter_value> const eight{std::int64_t{1},
                                                  std::int64_t{2},
                                                  std::int64_t{3},
                                                  std::int64_t{4},
                                                  std::int64_t{5},
                                                  std::int64_t{6},
                                                  std::int64_t{7},
                                                  std::int64_t{8}};
    std::vector<lkt::tunable_parameter> const parameters{
        {"A", eight}, {"B", eight}, {"C", eight}, {"D", eight}};
    std::vector<lkt::expression> const some{lkt::expression::parse("A * B <= 36").value()};
    return lkt::search_space::make(parameters, some).value();
}

double value(lkt::configuration const& c, char const* name) {
    return static_cast<double>(std::get<std::int64_t>(*c.find(name)));
}

/// The least, 1, is at A=6, B=4, C=3, D=7; every fifth configuration fails.
std::optional<lkt::seconds> time_of(lkt::configuration const& c) {
    double const d = std::fabs(value(c, "A") - 6) + std::fabs(value(c, "B") - 4) +
                     2 * std::fabs(value(c, "C") - 3) + std::fabs(value(c, "D") - 7);
    if (static_cast<int>(value(c, "A") + 3 * value(c, "D") + value(c, "B")) % 5 == 0 && d > 0)
        return std::nullopt;
    return lkt::seconds{1 + d};
}

} // namespace

TEST_CASE("a local search keeps the laws of search policies, whatever its budget") {
    for (lkt::search_budget const& b : {lkt::search_budget{},
                                        lkt::search_budget{.configurations = 7},
                                        lkt::search_budget{.share = 0.4}})
        test::check_batch_search_policy([&] { return lkt::local_search(b); });
}

TEST_CASE("a budget is at least one configuration, and at most all of them") {
    CHECK(lkt::search_budget{}.of(10) == 10);
    CHECK(lkt::search_budget{.configurations = 4}.of(10) == 4);
    CHECK(lkt::search_budget{.configurations = 40}.of(10) == 10);
    CHECK(lkt::search_budget{.share = 0.25}.of(10) == 3);
    CHECK(lkt::search_budget{.share = 1e-9}.of(10) == 1);
    CHECK(lkt::search_budget{.configurations = 4, .share = 0.2}.of(10) == 2);
    CHECK(lkt::search_budget{.configurations = 4}.of(0) == 0);
}

TEST_CASE("a space within the budget is tried whole, in its order") {
    auto const space = test::ordinary_space();
    auto const alike = [](auto const&) { return lkt::seconds{1}; };
    lkt::exhaustive all;
    lkt::local_search policy({.configurations = space.count()});
    CHECK((test::asked(policy, space, alike, 1000) == test::asked(all, space, alike, 1000)));
}

TEST_CASE("a share of a space: the default first, none twice, and near the best in the end") {
    auto const space = large_space();
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        lkt::local_search policy({.share = 0.05}, seed);
        auto const all = test::asked(policy, space, time_of, 10'000);
        CHECK(all.size() == policy.most_of(space.count()));
        CHECK((all.front() == *space.configurations().next()));
        std::set<std::string> different;
        for (auto const& c : all) different.insert(to_string(c));
        CHECK(different.size() == all.size());
        found += std::any_of(all.begin(), all.end(), [](auto const& c) {
            auto const time = time_of(c);
            return time && *time == lkt::seconds{1};
        });
    }
    // 167 at random have the best in one case of twenty.
    CHECK(found >= 6);
}

TEST_CASE("what a local search asks for does not depend on how many are asked for at once") {
    auto const space = large_space();
    auto const sorted = [](std::vector<lkt::configuration> all) {
        std::vector<std::string> names;
        for (auto const& c : all) names.push_back(to_string(c));
        std::sort(names.begin(), names.end());
        return names;
    };
    lkt::local_search policy({.configurations = 60});
    auto const one_by_one = sorted(test::asked(policy, space, time_of, 100));
    for (std::size_t const size : {3u, 64u})
        CHECK(sorted(test::asked_in_batches(policy, space, time_of, size, 100)) == one_by_one);
}
