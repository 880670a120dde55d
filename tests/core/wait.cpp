// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/wait.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

using namespace std::chrono_literals;

TEST_CASE("a wait lasts as long as it says") {
    auto const start = std::chrono::steady_clock::now();
    CHECK(lkt::blocking_waiter::wait(20ms, {}));
    CHECK(std::chrono::steady_clock::now() - start >= 20ms);
}

TEST_CASE("a stop request ends a wait at once") {
    std::stop_source source;
    auto const start = std::chrono::steady_clock::now();
    std::jthread stopper([&] {
        std::this_thread::sleep_for(20ms);
        source.request_stop();
    });
    CHECK_FALSE(lkt::blocking_waiter::wait(60s, source.get_token()));
    CHECK(std::chrono::steady_clock::now() - start < 10s);
}

TEST_CASE("after a stop request nothing waits") {
    std::stop_source source;
    source.request_stop();
    auto const start = std::chrono::steady_clock::now();
    CHECK_FALSE(lkt::blocking_waiter::wait(60s, source.get_token()));
    CHECK(std::chrono::steady_clock::now() - start < 10s);
}

TEST_CASE("the concept asks for a wait that says whether it was complete") {
    struct silent {
        void wait(std::chrono::milliseconds, std::stop_token const&) {}
    };
    CHECK(lkt::waiter<lkt::blocking_waiter>);
    CHECK_FALSE(lkt::waiter<silent>);
}
