// SPDX-License-Identifier: BSL-1.0
#include <lkt/search/search_ref.hpp>

#include <lkt/search/exhaustive.hpp>

#include <doctest/doctest.h>

#include "conformance.hpp"

namespace {

/// Asks for one configuration after the other, and must hear of each before the next.
struct careful {
    lkt::exhaustive all{};
    bool waits = false;
    int told = 0;
    void start(lkt::search_space const& space) {
        all.start(space);
        waits = false;
    }
    std::optional<lkt::configuration> ask() {
        CHECK_FALSE(waits);
        auto next = all.ask();
        waits = next.has_value();
        return next;
    }
    void tell(lkt::configuration const&, std::optional<lkt::seconds> time) {
        waits = false;
        told += time ? 1 : 0;
    }
};

} // namespace

TEST_CASE("search_ref: a policy that gives one is asked again when it was told of that one") {
    auto const space = test::ordinary_space();
    careful policy;
    lkt::search_ref search(policy);
    search.start(space);
    std::size_t asked = 0;
    for (;;) {
        auto const batch = search.ask(8);
        if (batch.empty()) break;
        REQUIRE(batch.size() == 1);
        CHECK(search.ask(8).empty());
        search.tell(batch.front(), lkt::seconds{1});
        ++asked;
    }
    CHECK(asked == space.count());
    CHECK(policy.told == static_cast<int>(asked));
    search.start(space); // forgets that it has not been told
    CHECK(search.ask(8).size() == 1);
    search.start(space);
    CHECK(search.ask(8).size() == 1);
}

TEST_CASE("search_ref: a policy that gives many is asked for many, and none is an exhaustive one") {
    auto const space = test::ordinary_space();
    lkt::exhaustive all;
    lkt::search_ref search(all), own;
    for (auto* const one : {&search, &own}) {
        one->start(space);
        CHECK(one->ask(5).size() == 5);
        CHECK(one->ask(0).size() == 1); // 1 at least
        CHECK(one->ask(1000).size() == space.count() - 6);
        CHECK(one->ask(1).empty());
    }
    CHECK(all.ask(1).empty()); // borrowed
}
