// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/time_source.hpp>

#include <doctest/doctest.h>

#include <chrono>

using namespace std::chrono_literals;

TEST_CASE("without a word it is the steady clock, which nobody moves") {
    lkt::time_source const clock;
    CHECK_FALSE(clock.is_manual());
    auto const before = std::chrono::steady_clock::now();
    clock.advance(24h);
    clock.advance_to(before + 24h);
    CHECK(clock.now() >= before);
    CHECK(clock.now() < before + 1h);
}

TEST_CASE("a manual clock stands still until it is moved, and never goes back") {
    auto const clock = lkt::time_source::manual();
    CHECK(clock.is_manual());
    auto const start = clock.now();
    CHECK(clock.now() == start);
    clock.advance(90min);
    CHECK(clock.now() == start + 90min);
    clock.advance_to(start + 1h);
    CHECK(clock.now() == start + 90min);
    clock.advance_to(start + 2h);
    CHECK(clock.now() == start + 2h);
}

TEST_CASE("copies share the time") {
    auto const clock = lkt::time_source::manual();
    auto const copy = clock;
    clock.advance(1s);
    CHECK(copy.now() == clock.now());
    CHECK(lkt::time_source::manual().now() != clock.now());
}
