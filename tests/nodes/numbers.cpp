// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/numbers.hpp>

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace {

struct hill_limits {
    int rounds = 3;
    int slope = 0;

    [[nodiscard]] static constexpr auto allowed() {
        return std::array{lkt::number_of<&hill_limits::rounds>(1, 9, "times that it climbs"),
                          lkt::number_of<&hill_limits::slope>(0, 90, "degrees")};
    }
};
struct climb {
    hill_limits limits{};
    using number_fields = lkt::fields<&climb::limits>;
};
struct walk_limits {
    int hills = 2;

    [[nodiscard]] static constexpr auto allowed() {
        return std::array{lkt::number_of<&walk_limits::hills>(1, 5, "hills")};
    }
};
struct walk { // holds another strategy
    climb up{};
    walk_limits limits{};
    using number_fields = lkt::fields<&walk::up, &walk::limits>;
};
struct nothing {};

static_assert(lkt::limits_struct<hill_limits> && !lkt::limits_struct<climb>);
static_assert(lkt::has_numbers<walk> && !lkt::has_numbers<nothing>);

std::string fault(auto const& strategy) {
    auto const ok = lkt::check_numbers(strategy, "walk");
    return ok ? "" : ok.error().message;
}

} // namespace

TEST_CASE("The numbers of a strategy are listed, those of a strategy in it too") {
    walk w;
    std::string all;
    lkt::for_each_number(w, [&](lkt::number const& n, int& value) {
        all += std::string(n.name) + "=" + std::to_string(value) + " ";
        ++value;
    });
    CHECK(all == "rounds=3 slope=0 hills=2 ");
    CHECK(w.up.limits.rounds == 4);
    CHECK(w.limits.hills == 3);
}

TEST_CASE("The first number out of range is named, with its range and what it says") {
    CHECK(fault(nothing{}).empty());
    CHECK(fault(walk{}).empty());
    CHECK(fault(walk{.up = {.limits = {.rounds = 9, .slope = 90}}}).empty());
    CHECK(fault(walk{.up = {.limits = {.rounds = 0}}, .limits = {.hills = 6}}) ==
          "walk: rounds is 0, but must be 1 to 9");
    CHECK(fault(walk{.limits = {.hills = -1}}) == "walk: hills is -1, but must be 1 to 5");
    auto const wrong = lkt::check_numbers(climb{.limits = {.slope = 91}}, "climb");
    REQUIRE(wrong.has_error());
    CHECK(wrong.error().kind == lkt::condition::rejected);
    CHECK(wrong.error().code == "lkt.strategies.number");
    CHECK(wrong.error().hint == "slope: degrees");
}

TEST_CASE("No negative number becomes a huge one") {
    CHECK(lkt::detail::count_of(-1) == 0);
    CHECK(lkt::detail::count_of(7) == 7);
}
