// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/search/search_policy.hpp>
#include <lkt/search/space.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace test {

/// A space for policies: 36 combinations, of which `A * B <= 64` leaves some.
inline lkt::search_space ordinary_space() {
    std::vector<lkt::tunable_parameter> const parameters{
        {"A", {std::int64_t{1}, std::int64_t{8}, std::int64_t{64}}},
        {"B", {std::int64_t{1}, std::int64_t{8}, std::int64_t{16}, std::int64_t{64}}},
        {"KIND", {std::string("rows"), std::string("columns"), std::string("tiles")}}};
    std::vector<lkt::expression> const restrictions{lkt::expression::parse("A * B <= 64").value()};
    return lkt::search_space::make(parameters, restrictions).value();
}

using answers = std::function<std::optional<lkt::seconds>(lkt::configuration const&)>;

/// Everything that `policy` asks for, answered by `time`. Gives up after `most` questions.
template <lkt::search_policy P>
std::vector<lkt::configuration>
asked(P& policy, lkt::search_space const& space, answers const& time, std::size_t most) {
    std::vector<lkt::configuration> all;
    policy.start(space);
    while (all.size() <= most) {
        auto const c = policy.ask();
        if (!c) break;
        all.push_back(*c);
        policy.tell(*c, time(*c));
    }
    return all;
}

/// The laws of docs/search.md for any model of `search_policy`. `make` makes a fresh one.
template <class Make>
void check_search_policy(Make make) {
    auto const space = ordinary_space();
    std::size_t const most = 100 * space.count();
    answers const by_values = [](lkt::configuration const& c) -> std::optional<lkt::seconds> {
        auto const a = std::get<std::int64_t>(*c.find("A"));
        if (a == 8) return std::nullopt; // failed
        return lkt::seconds{1.0 / static_cast<double>(a + std::get<std::int64_t>(*c.find("B")))};
    };
    auto policy = make();
    auto const first = asked(policy, space, by_values, most);

    // It asks for something, for valid configurations only, and comes to an end.
    REQUIRE(!first.empty());
    for (auto const& c : first) CHECK(space.contains(c));
    REQUIRE(first.size() <= most);
    // After the end it stays there.
    CHECK(!policy.ask());
    CHECK(!policy.ask());
    // `start` begins anew, and the same answers give the same questions, in another object too.
    CHECK((asked(policy, space, by_values, most) == first));
    auto other = make();
    CHECK((asked(other, space, by_values, most) == first));
    // A start in the middle forgets what was before.
    policy.start(space);
    if (auto const c = policy.ask()) policy.tell(*c, lkt::seconds{1});
    CHECK((asked(policy, space, by_values, most) == first));
    // It ends even if everything fails.
    answers const all_fail = [](auto const&) { return std::nullopt; };
    CHECK(asked(policy, space, all_fail, most).size() <= most);

    // The smallest spaces: one configuration, and none.
    auto const one = lkt::search_space::make({}).value();
    auto const only = asked(policy, one, all_fail, 100);
    REQUIRE(!only.empty());
    CHECK(only.size() <= 100);
    CHECK(only.front().values.empty());
    std::vector<lkt::expression> const never{lkt::expression(0)};
    auto const none = lkt::search_space::make({}, never).value();
    CHECK(asked(policy, none, all_fail, 100).empty());
    // The space may be gone by the time that the policy asks.
    {
        auto const short_lived = ordinary_space();
        policy.start(short_lived);
    }
    auto const c = policy.ask();
    REQUIRE(c.has_value());
    CHECK(space.contains(*c));
}

/// Everything that `policy` asks for, in batches of at most `size`, answered by `time`.
template <lkt::batch_search_policy P>
std::vector<lkt::configuration> asked_in_batches(P& policy,
                                                 lkt::search_space const& space,
                                                 answers const& time,
                                                 std::size_t size,
                                                 std::size_t most) {
    std::vector<lkt::configuration> all;
    policy.start(space);
    while (all.size() <= most) {
        auto const batch = policy.ask(size);
        CHECK(batch.size() <= size);
        if (batch.empty()) break;
        for (auto const& c : batch) policy.tell(c, time(c));
        all.insert(all.end(), batch.begin(), batch.end());
    }
    return all;
}

/// The laws of those that are asked for many at once.
template <class Make>
void check_batch_search_policy(Make make) {
    check_search_policy(make);
    auto const space = ordinary_space();
    std::size_t const most = 100 * space.count();
    answers const by_order = [](auto const&) { return lkt::seconds{1}; };
    auto policy = make();
    auto const one_by_one = asked(policy, space, by_order, most);
    // One at a time it asks as a policy does that gives one.
    CHECK((asked_in_batches(policy, space, by_order, 1, most) == one_by_one));
    for (std::size_t const size : {std::size_t{2}, std::size_t{7}, most}) {
        auto const batches = asked_in_batches(policy, space, by_order, size, most);
        REQUIRE(!batches.empty());
        CHECK(batches.size() <= most);
        for (auto const& c : batches) CHECK(space.contains(c));
    }
    CHECK(policy.ask(7).empty()); // after the end it stays there
}

} // namespace test
