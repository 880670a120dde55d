// SPDX-License-Identifier: BSL-1.0
#include <lkt/search/exhaustive.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"

TEST_CASE("exhaustive keeps the laws of search policies") {
    test::check_search_policy([] { return lkt::exhaustive(); });
}

TEST_CASE("exhaustive asks for every valid configuration once, in the order of the space") {
    auto const space = test::ordinary_space();
    lkt::exhaustive policy;
    auto const all = test::asked(policy, space, [](auto const&) { return lkt::seconds{1}; }, 1000);
    std::vector<lkt::configuration> expected;
    for (auto cursor = space.configurations(); auto c = cursor.next();) expected.push_back(*c);
    CHECK((all == expected));
    CHECK(all.size() == space.count());
    for (std::size_t k = 0; k < all.size(); ++k)
        CHECK(std::count(all.begin(), all.end(), all[k]) == 1);
}

TEST_CASE("exhaustive asks for as many at once as are wanted, before it is told of any") {
    test::check_batch_search_policy([] { return lkt::exhaustive(); });
    auto const space = test::ordinary_space();
    lkt::exhaustive policy;
    policy.start(space);
    CHECK(policy.ask(5).size() == 5);
    CHECK(policy.ask(1000).size() == space.count() - 5);
    CHECK(policy.ask(1).empty());
}

TEST_CASE("a policy that was never started asks for nothing") {
    lkt::exhaustive policy;
    CHECK(policy.ask(3).empty());
    CHECK(!policy.ask());
}
