// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace lkt {

namespace detail {
/// A round of Philox, whose key grows from one to the next.
struct philox_key {
    std::uint32_t low = 0, high = 0;

    constexpr void
    mix(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c, std::uint32_t& d) const {
        std::uint64_t const from_a = std::uint64_t{0xD2511F53} * a;
        std::uint64_t const from_c = std::uint64_t{0xCD9E8D57} * c;
        a = static_cast<std::uint32_t>(from_c >> 32) ^ b ^ low;
        b = static_cast<std::uint32_t>(from_c);
        c = static_cast<std::uint32_t>(from_a >> 32) ^ d ^ high;
        d = static_cast<std::uint32_t>(from_a);
    }
    constexpr void grow() {
        low += 0x9E3779B9;
        high += 0xBB67AE85;
    }
};
inline constexpr int philox_rounds = 10;
} // namespace detail

/// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3,
/// SC 2011): a keyed bijection of 128-bit counters whose outputs are random numbers. It has no
/// state, so any element can be drawn in any order, on any machine, with the same result.
[[nodiscard]] constexpr std::array<std::uint32_t, 4>
philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    detail::philox_key round_key{key[0], key[1]};
    for (int round = 0; round < detail::philox_rounds; ++round, round_key.grow())
        round_key.mix(counter[0], counter[1], counter[2], counter[3]);
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
    /// `bits` of the indices from 2 `first` on, a number for each of `all`, of which there is an
    /// even count. Each round goes over all blocks, which compilers turn into vector instructions.
    template <std::size_t N>
    constexpr void read(std::uint64_t first, std::array<std::uint64_t, N>& all) const {
        static_assert(N % 2 == 0, "two numbers share a block");
        std::array<std::uint32_t, N / 2> a{}, b{}, c{}, d{};
        for (std::size_t k = 0; k < N / 2; ++k) {
            a[k] = low(first + k);
            b[k] = high(first + k);
            c[k] = argument;
            d[k] = test;
        }
        detail::philox_key key{low(seed), high(seed)};
        for (int round = 0; round < detail::philox_rounds; ++round, key.grow())
            for (std::size_t k = 0; k < N / 2; ++k) key.mix(a[k], b[k], c[k], d[k]);
        for (std::size_t k = 0; k < N / 2; ++k) {
            all[2 * k] = a[k] | std::uint64_t{b[k]} << 32;
            all[2 * k + 1] = c[k] | std::uint64_t{d[k]} << 32;
        }
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
/// Natural logarithm of a positive normal number, by the series of artanh.
[[nodiscard]] double portable_log(double x);
/// cos(2 pi x) for x in [0, 1), by the Taylor series around the nearest multiple of a quarter.
[[nodiscard]] double portable_cos_turns(double x);
} // namespace detail

/// A standard normal number from 128 random bits, by the method of Box and Muller (1958); its
/// magnitude is at most 8.6.
[[nodiscard]] double standard_normal(std::array<std::uint64_t, 2> block);

} // namespace lkt
