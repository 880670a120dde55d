// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/retry.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

using lkt::condition;
using std::chrono::milliseconds;

namespace {

struct no_next {
    int attempts = 1;
};
struct wrong_return {
    int next(condition, int, lkt::retry_delay) const { return 1; }
};
struct not_const {
    lkt::retry_delay next(condition, int, lkt::retry_delay) { return {}; }
};
struct own {
    lkt::retry_delay next(condition, int, lkt::retry_delay) const { return {}; }
};

template <lkt::backoff Policy>
struct takes_policy {};

} // namespace

TEST_CASE("the concept takes the three policies and a user's own, and nothing less") {
    CHECK(lkt::retry_policy<lkt::backoff>);
    CHECK(lkt::retry_policy<lkt::fixed>);
    CHECK(lkt::retry_policy<lkt::never>);
    CHECK(lkt::retry_policy<own>);
    CHECK_FALSE(lkt::retry_policy<no_next>);
    CHECK_FALSE(lkt::retry_policy<wrong_return>);
    CHECK_FALSE(lkt::retry_policy<not_const>);
}

TEST_CASE("backoff doubles its waits up to the cap and counts the first attempt") {
    constexpr lkt::backoff policy{.attempts = 5, .first_ms = 100, .cap_ms = 300};
    static_assert(policy.next(condition::transient, 1) == milliseconds(100));
    CHECK(policy.next(condition::transient, 2) == milliseconds(200));
    CHECK(policy.next(condition::transient, 3) == milliseconds(300));
    CHECK(policy.next(condition::transient, 4) == milliseconds(300));
    CHECK_FALSE(policy.next(condition::transient, 5).has_value());
}

TEST_CASE("only transient failures are repeated") {
    for (auto c : {condition::rejected,
                   condition::exhausted,
                   condition::unavailable,
                   condition::cancelled,
                   condition::suspended}) {
        CAPTURE(to_string(c));
        CHECK_FALSE(lkt::backoff{}.next(c, 1).has_value());
        CHECK_FALSE(lkt::fixed{}.next(c, 1).has_value());
    }
    CHECK_FALSE(lkt::never{}.next(condition::transient, 1).has_value());
}

TEST_CASE("a hint lengthens a wait, and ends the attempts when it is too long") {
    constexpr lkt::backoff policy{.first_ms = 100, .max_hint_ms = 5000};
    CHECK(policy.next(condition::transient, 1, milliseconds(4000)) == milliseconds(4000));
    CHECK(policy.next(condition::transient, 1, milliseconds(10)) == milliseconds(100));
    CHECK_FALSE(policy.next(condition::transient, 1, milliseconds(5001)).has_value());
    CHECK(lkt::fixed{.delay_ms = 50}.next(condition::transient, 1, milliseconds(70)) ==
          milliseconds(70));
}

TEST_CASE("jitter stays within its share, repeats for a seed and differs between seeds") {
    constexpr lkt::backoff a{
        .attempts = 100, .first_ms = 1000, .factor = 1, .jitter_percent = 50, .seed = 1};
    constexpr lkt::backoff b{
        .attempts = 100, .first_ms = 1000, .factor = 1, .jitter_percent = 50, .seed = 2};
    int different = 0;
    for (int attempt = 1; attempt < 99; ++attempt) {
        auto const wait = a.next(condition::transient, attempt);
        REQUIRE(wait.has_value());
        CHECK(wait->count() >= 1000);
        CHECK(wait->count() < 1500);
        CHECK(wait == a.next(condition::transient, attempt));
        different += wait != b.next(condition::transient, attempt);
    }
    CHECK(different > 90);
}

TEST_CASE("full jitter waits anything up to the time without it") {
    constexpr lkt::backoff policy{
        .attempts = 1000, .first_ms = 1023, .factor = 1, .full_jitter = true, .seed = 7};
    std::int64_t sum = 0, least = 1023, most = 0;
    for (int attempt = 1; attempt < 1000; ++attempt) {
        auto const wait = policy.next(condition::transient, attempt);
        REQUIRE(wait.has_value());
        CHECK(wait == policy.next(condition::transient, attempt));
        sum += wait->count();
        least = std::min<std::int64_t>(least, wait->count());
        most = std::max<std::int64_t>(most, wait->count());
    }
    CHECK(least < 20);
    CHECK(most > 1003);
    CHECK(most <= 1023);
    CHECK(sum / 999 > 450);
    CHECK(sum / 999 < 573);
    // What the other side asks for is not shortened.
    CHECK(policy.next(condition::transient, 1, milliseconds(5000)) == milliseconds(5000));
}

TEST_CASE("a policy without a seed takes the one of the call, another keeps its own") {
    constexpr lkt::backoff open{.first_ms = 1000, .full_jitter = true};
    int different = 0;
    for (unsigned seed = 1; seed < 100; ++seed)
        different += open.reseeded(seed).next(condition::transient, 1) !=
                     open.reseeded(seed + 1).next(condition::transient, 1);
    CHECK(different > 90);
    constexpr lkt::backoff fixed{.full_jitter = true, .seed = 3};
    CHECK(fixed.reseeded(9) == fixed);
}

TEST_CASE("the policy for servers") {
    for (unsigned seed = 1; seed < 50; ++seed) {
        auto const policy = lkt::transport_retry.reseeded(seed);
        CHECK(*policy.next(condition::transient, 1) <= milliseconds(500));
        CHECK(*policy.next(condition::transient, 2) <= milliseconds(1000));
        CHECK(*policy.next(condition::transient, 3) <= milliseconds(2000));
        CHECK_FALSE(policy.next(condition::transient, 4).has_value());
        CHECK(policy.next(condition::transient, 1, milliseconds(120'000)) == milliseconds(120'000));
        CHECK_FALSE(policy.next(condition::transient, 1, milliseconds(120'001)).has_value());
    }
}

TEST_CASE("extreme knobs neither overflow nor wait a negative time") {
    constexpr lkt::backoff steep{.attempts = 2'000'000,
                                 .first_ms = 2'000'000'000,
                                 .factor = 2'000'000'000,
                                 .cap_ms = 2'000'000'000};
    CHECK(steep.next(condition::transient, 1'000'000) == milliseconds(2'000'000'000));
    constexpr lkt::backoff negative{.first_ms = -5, .cap_ms = -1};
    CHECK(negative.next(condition::transient, 1) == milliseconds(0));
    CHECK(lkt::fixed{.delay_ms = -5}.next(condition::transient, 1) == milliseconds(0));
}

TEST_CASE("policies are structural and compare") {
    using policy = takes_policy<lkt::backoff{.attempts = 4}>;
    CHECK(std::is_empty_v<policy>);
    CHECK(lkt::backoff{.attempts = 4} == lkt::backoff{.attempts = 4});
    CHECK_FALSE(lkt::backoff{.attempts = 4} == lkt::backoff{});
    CHECK(lkt::fixed{} == lkt::fixed{});
}
