// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lkt {

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3,
/// SC 2011): a keyed bijection of 128-bit counters whose outputs are random numbers. It has no
/// state, so any element can be drawn in any order, on any machine, with the same result.
[[nodiscard]] constexpr std::array<std::uint32_t, 4>
philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        std::uint64_t const a = std::uint64_t{0xD2511F53} * counter[0];
        std::uint64_t const b = std::uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(a)};
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return counter;
}

/// One independent sequence of random numbers for each (seed, test, argument): the seed is
/// Philox's key, the other two are the upper half of its counter, so two streams never meet.
struct random_stream {
    std::uint64_t seed = 0;
    std::uint32_t test = 0;
    std::uint32_t argument = 0;

    /// 128 bits that belong to `index` alone.
    [[nodiscard]] constexpr std::array<std::uint64_t, 2> block(std::uint64_t index) const {
        auto const words =
            philox4x32({low(index), high(index), argument, test}, {low(seed), high(seed)});
        return {words[0] | std::uint64_t{words[1]} << 32, words[2] | std::uint64_t{words[3]} << 32};
    }
    /// 64 bits; two neighbours share a block.
    [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t index) const {
        return block(index / 2)[index % 2];
    }

private:
    static constexpr std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }
    static constexpr std::uint32_t high(std::uint64_t v) {
        return static_cast<std::uint32_t>(v >> 32);
    }
};

/// A multiple of 2^-53 in [0, 1).
[[nodiscard]] constexpr double unit_interval(std::uint64_t bits) {
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// A whole number in [0, count) by multiplication (Lemire, Fast random integer generation in an
/// interval, 2019, without the rejection: the bias is below count / 2^64). `count` 0 means 2^64.
[[nodiscard]] constexpr std::uint64_t below(std::uint64_t count, std::uint64_t bits) {
    if (count == 0) return bits;
    std::uint64_t const bl = bits & 0xffffffff, bh = bits >> 32;
    std::uint64_t const cl = count & 0xffffffff, ch = count >> 32;
    std::uint64_t const middle = bh * cl + ((bl * cl) >> 32);
    std::uint64_t const carry = (middle & 0xffffffff) + bl * ch;
    return bh * ch + (middle >> 32) + (carry >> 32);
}

namespace detail {

// The C library's log and cos may differ in the last bit from one machine to the next, and so may
// `a * b + c`, which a compiler may contract. These use explicit fused multiply-adds only.

/// Natural logarithm of a positive normal number, by the series of artanh.
[[nodiscard]] inline double portable_log(double x) {
    int exponent = 0;
    double m = std::frexp(x, &exponent); // in [1/2, 1)
    if (m < 0.70710678118654752) {
        m *= 2;
        --exponent;
    }
    double const s = (m - 1) / (m + 1); // |s| < 0.172
    double const q = s * s;
    double sum = 1.0 / 23;
    // Quotients of constants: dividing here would cost more than all the rest.
    for (double c : {1.0 / 21,
                     1.0 / 19,
                     1.0 / 17,
                     1.0 / 15,
                     1.0 / 13,
                     1.0 / 11,
                     1.0 / 9,
                     1.0 / 7,
                     1.0 / 5,
                     1.0 / 3,
                     1.0})
        sum = std::fma(sum, q, c);
    return std::fma(exponent, 0.69314718055994531, 2 * s * sum);
}

/// cos(2 pi x) for x in [0, 1), by the Taylor series around the nearest multiple of a quarter.
[[nodiscard]] inline double portable_cos_turns(double x) {
    int const quarter = static_cast<int>(std::fma(x, 4, 0.5));              // 0 to 4
    double const angle = std::fma(-0.25, quarter, x) * 6.28318530717958648; // |angle| <= pi / 4
    double const q = angle * angle;
    double sum = 1;
    if (quarter % 2 == 0) {
        for (double c : {-1.0 / 306,
                         -1.0 / 240,
                         -1.0 / 182,
                         -1.0 / 132,
                         -1.0 / 90,
                         -1.0 / 56,
                         -1.0 / 30,
                         -1.0 / 12,
                         -1.0 / 2})
            sum = std::fma(sum * q, c, 1);
    } else {
        for (double c : {-1.0 / 342,
                         -1.0 / 272,
                         -1.0 / 210,
                         -1.0 / 156,
                         -1.0 / 110,
                         -1.0 / 72,
                         -1.0 / 42,
                         -1.0 / 20,
                         -1.0 / 6})
            sum = std::fma(sum * q, c, 1);
        sum *= -angle; // cos(y + pi / 2) = -sin y
    }
    return quarter == 2 || quarter == 3 ? -sum : sum;
}

} // namespace detail

/// A standard normal number from 128 random bits, by the method of Box and Muller (1958); its
/// magnitude is at most 8.6.
[[nodiscard]] inline double standard_normal(std::array<std::uint64_t, 2> block) {
    double const u = (static_cast<double>(block[0] >> 11) + 1) * 0x1p-53; // (0, 1]: log is finite
    double const radius = std::sqrt(-2 * detail::portable_log(u));
    return radius * detail::portable_cos_turns(unit_interval(block[1]));
}

} // namespace lkt
