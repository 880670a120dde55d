// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/exactness.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace {

constexpr lkt::value_type real{lkt::scalar_type::float32, 1};
constexpr lkt::value_type wide{lkt::scalar_type::float64, 1};
constexpr lkt::tolerance bound{0x1p-16, 0x1p-13};
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// What becomes of an output that is wrong beside the original's.
std::optional<lkt::mismatch> judged(std::vector<float> const& expected,
                                    std::vector<float> const& got,
                                    std::vector<double> const& exact,
                                    lkt::error_limits const& limits = {},
                                    std::vector<lkt::magnitude_limit> const& magnitudes = {}) {
    auto const e = lkt::make_buffer<float>(real, expected);
    auto const g = lkt::make_buffer<float>(real, got);
    auto found = lkt::judge_output(e, g, bound, limits);
    if (!found) found = lkt::judge_magnitudes(e, g, bound, magnitudes);
    REQUIRE(found);
    return lkt::judge_by_exact(
        std::move(*found), e, g, lkt::make_buffer<double>(wide, exact), bound, limits, magnitudes);
}

} // namespace

TEST_CASE("exactness: an output that is as near to the exact values as the original's is right") {
    CHECK_FALSE(judged({1.01F, 2.01F}, {1, 2}, {1, 2}));
    CHECK_FALSE(judged({1.01F, 2.01F}, {0.99F, 1.99F}, {1, 2}));
    // Within the bound of the exact ones, where the original happens to be exact.
    CHECK_FALSE(judged({1.01F, 2}, {1, 2.00005F}, {1, 2}));
    // However far off the original is.
    CHECK_FALSE(judged({1.5F, 1}, {0.7F, 2}, {1, 2}));
}

TEST_CASE("exactness: noise of one element excuses no other") {
    auto const hidden = judged({1.01F, 2, 3}, {1, 2.005F, 3}, {1, 2, 3});
    REQUIRE(hidden);
    CHECK(hidden->count == 1);
    CHECK(hidden->first == 1);
    CHECK(judged({1.01F, 2.01F}, {1.02F, 2.01F}, {1, 2}));
    CHECK(judged({1.01F}, {nan}, {1}));
    // What float64 makes of the text is something else, and the output is neither.
    CHECK(judged({1, 2, 3}, {1, 2, 2.5F}, {2, 4, 6}));
    CHECK(judged({1, 2, 3}, {3, 5, 9.5F}, {2, 4, 6}));
    CHECK(judged({nan, 2, 3}, {5, 2, 3}, {2, 2, 3}, {.nonfinite = true}));
    CHECK_FALSE(judged({nan, 2, 3}, {2, 2, 3}, {2, 2, 3}, {.nonfinite = true}));
}

TEST_CASE("exactness: all errors together are judged beside exact values, too") {
    std::vector<float> original, better, shifted;
    std::vector<double> exact;
    for (int k = 0; k < 256; ++k) {
        double const x = 1 + k / 256.0;
        exact.push_back(x);
        original.push_back(static_cast<float>(x * (1 + 0x1p-17)));
        better.push_back(static_cast<float>(x));
        shifted.push_back(static_cast<float>(x * (1 - 0x1p-16)));
    }
    lkt::error_limits const limits = lkt::default_limits(real.scalar);
    CHECK_FALSE(judged(original, better, exact, limits));
    auto const found = judged(original, shifted, exact, limits);
    REQUIRE(found);
    CHECK_FALSE(found->whole.empty());
}

TEST_CASE(
    "exactness: errors that many elements share, or that chance explains, have no direction") {
    auto const limits = lkt::default_limits(real.scalar);
    /// Of 100 elements with so many different values, each off by 0.9 * 2^-16 of the scale.
    auto const right = [&](int different, auto const& up) {
        std::vector<float> expected, got;
        for (int k = 0; k < 100; ++k) {
            double const x = 1 + k % different / 100.0;
            expected.push_back(static_cast<float>(x));
            got.push_back(static_cast<float>(x + (up(k) ? 1.35 : -1.35) * 0x1p-16));
        }
        return !lkt::judge_output(lkt::make_buffer<float>(real, expected),
                                  lkt::make_buffer<float>(real, got),
                                  bound,
                                  limits);
    };
    CHECK_FALSE(right(100, [](int) { return true; }));
    CHECK(right(100, [](int k) { return k % 3 != 0; })); // two of three
    CHECK(right(17, [](int) { return true; }));
}

TEST_CASE("exactness: small elements beside large ones have bounds of their own") {
    std::vector<float> expected, zeros;
    std::vector<double> exact;
    for (int k = 0; k < 64; ++k) {
        expected.push_back(k % 4 == 0 ? 1e-5F * static_cast<float>(k + 1) / 64 : 1);
        zeros.push_back(k % 4 == 0 ? 0 : 1.0F);
        exact.push_back(expected.back());
    }
    auto const e = lkt::make_buffer<float>(real, expected);
    auto const t = lkt::make_buffer<double>(wide, exact);
    auto const limits = lkt::magnitude_limits(e, &t, nullptr, bound);
    CHECK_FALSE(limits.empty());
    auto const z = lkt::make_buffer<float>(real, zeros);
    CHECK_FALSE(lkt::judge_output(e, z, bound, {})); // that is why
    auto const found = lkt::judge_magnitudes(e, z, bound, limits);
    REQUIRE(found);
    CHECK(found->count >= 8);
    // Their own bound is what is said.
    REQUIRE(found->allowed.has_value());
    CHECK(*found->allowed < bound.absolute / 16);
    auto const said = lkt::describe_mismatch(*found, e, z, bound, {}).pattern;
    CHECK(said.find(lkt::significant(*found->allowed) + " is allowed") != std::string::npos);
    CHECK(judged(expected, zeros, exact, {}, limits));
    CHECK_FALSE(lkt::judge_magnitudes(e, e, bound, limits));
    // Where the original is as far off, by its own rounding or by that of its inputs, it stays.
    auto noisy = exact;
    for (std::size_t k = 0; k < noisy.size(); ++k) noisy[k] += 1e-5;
    auto const n = lkt::make_buffer<double>(wide, noisy);
    CHECK_FALSE(lkt::judge_magnitudes(e, z, bound, lkt::magnitude_limits(e, &n, nullptr, bound)));
    auto const m = lkt::make_buffer<float>(real, std::vector<float>(noisy.begin(), noisy.end()));
    CHECK_FALSE(lkt::judge_magnitudes(e, z, bound, lkt::magnitude_limits(e, &t, &m, bound)));
    CHECK(lkt::magnitude_limits(e, nullptr, nullptr, bound).empty());
    // So it may be by what a kernel rounds inside.
    CHECK(lkt::judge_magnitudes(e, z, bound, lkt::magnitude_limits(e, &t, nullptr, bound, 1e-9)));
    CHECK_FALSE(
        lkt::judge_magnitudes(e, z, bound, lkt::magnitude_limits(e, &t, nullptr, bound, 1e-4)));
    // So it does where another run shows it.
    auto raised = limits;
    lkt::raise_limits(raised, e, e, bound);
    CHECK(lkt::judge_magnitudes(e, z, bound, raised));
    lkt::raise_limits(raised, e, m, bound);
    CHECK_FALSE(lkt::judge_magnitudes(e, z, bound, raised));
}
