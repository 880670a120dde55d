// SPDX-License-Identifier: BSL-1.0
// Pseudo-random bytes that tell nothing of their key, nor of the bytes of another key: what memory
// holds before a launch, which launches are compared, which inputs are drawn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lkt {

/// The key of a stream: 256 bits.
struct secret_key {
    std::array<std::uint32_t, 8> words{};
    friend bool operator==(secret_key const&, secret_key const&) = default;
};

/// The key that belongs to a seed; the same one each time.
[[nodiscard]] secret_key secret_of(std::uint64_t seed);

/// A key for one purpose, derived from `key` by a one-way function: it reveals nothing about `key`
/// or about other keys derived from it. Purposes of one program differ in their text; at most 24
/// bytes of it count.
[[nodiscard]] secret_key
derived(secret_key const& key, std::string_view purpose, std::uint64_t a = 0, std::uint64_t b = 0);

/// A number that belongs to `derived(key, purpose, a, b)`.
[[nodiscard]] std::uint64_t
drawn(secret_key const& key, std::string_view purpose, std::uint64_t a = 0, std::uint64_t b = 0);

/// Writes the stream of `key` from byte `offset` on. About 1 GB/s a core.
void fill(std::span<std::byte> to, secret_key const& key, std::uint64_t offset = 0);

namespace detail {

/// One block of ChaCha (Bernstein 2008; RFC 8439 with a counter of 64 bits): 16 words.
template <int Rounds>
[[nodiscard]] constexpr std::array<std::uint32_t, 16>
chacha(std::array<std::uint32_t, 8> const& key, std::uint64_t counter, std::uint64_t nonce) {
    std::uint32_t const before[16] = {0x61707865U,
                                      0x3320646eU,
                                      0x79622d32U,
                                      0x6b206574U,
                                      key[0],
                                      key[1],
                                      key[2],
                                      key[3],
                                      key[4],
                                      key[5],
                                      key[6],
                                      key[7],
                                      static_cast<std::uint32_t>(counter),
                                      static_cast<std::uint32_t>(counter >> 32),
                                      static_cast<std::uint32_t>(nonce),
                                      static_cast<std::uint32_t>(nonce >> 32)};
    std::uint32_t x[16]{};
    for (int k = 0; k < 16; ++k) x[k] = before[k];
    // Plain arrays and shifts: a build without optimisation calls one function a quarter round.
    auto const quarter =
        [](std::uint32_t& a, std::uint32_t& b, std::uint32_t& c, std::uint32_t& d) {
            a += b, d ^= a, d = d << 16 | d >> 16;
            c += d, b ^= c, b = b << 12 | b >> 20;
            a += b, d ^= a, d = d << 8 | d >> 24;
            c += d, b ^= c, b = b << 7 | b >> 25;
        };
    for (int round = 0; round < Rounds; round += 2) {
        quarter(x[0], x[4], x[8], x[12]), quarter(x[1], x[5], x[9], x[13]);
        quarter(x[2], x[6], x[10], x[14]), quarter(x[3], x[7], x[11], x[15]);
        quarter(x[0], x[5], x[10], x[15]), quarter(x[1], x[6], x[11], x[12]);
        quarter(x[2], x[7], x[8], x[13]), quarter(x[3], x[4], x[9], x[14]);
    }
    std::array<std::uint32_t, 16> made{};
    for (std::size_t k = 0; k < 16; ++k) made[k] = x[k] + before[k];
    return made;
}

/// Rounds of the streams that fill memory; keys are derived by 20.
inline constexpr int filling_rounds = 8;

} // namespace detail
} // namespace lkt
