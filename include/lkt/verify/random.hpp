// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace lkt {

namespace detail {
struct philox {
    static constexpr std::uint32_t multiplier_a = 0xD2511F53, multiplier_c = 0xCD9E8D57;
    static constexpr std::uint32_t step_low = 0x9E3779B9, step_high = 0xBB67AE85; ///< of the key
    static constexpr int rounds = 10;
};
} // namespace detail

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3,
/// SC 2011): a keyed bijection of 128-bit counters whose outputs are random numbers. It has no
/// state, so any element can be drawn in any order, on any machine, with the same result.
[[nodiscard]] constexpr std::array<std::uint32_t, 4>
philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    using detail::philox;
    for (int round = 0; round < philox::rounds; ++round) {
        std::uint64_t const from_a = std::uint64_t{philox::multiplier_a} * counter[0];
        std::uint64_t const from_c = std::uint64_t{philox::multiplier_c} * counter[2];
        counter = {static_cast<std::uint32_t>(from_c >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(from_c),
                   static_cast<std::uint32_t>(from_a >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(from_a)};
        key[0] += philox::step_low;
        key[1] += philox::step_high;
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
    auto const whole = static_cast<std::int64_t>(bits >> 11); // unsigned ones are slower to convert
    return static_cast<double>(whole) * 0x1p-53;
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
/// Natural logarithm of a positive normal number, by the series of artanh.
[[nodiscard]] double portable_log(double x);
/// cos(2 pi x) for x in [0, 1), by the Taylor series around the nearest multiple of a quarter.
[[nodiscard]] double portable_cos_turns(double x);
} // namespace detail

/// A standard normal number from 128 random bits, by the method of Box and Muller (1958); its
/// magnitude is at most 8.6.
[[nodiscard]] double standard_normal(std::array<std::uint64_t, 2> block);

} // namespace lkt
