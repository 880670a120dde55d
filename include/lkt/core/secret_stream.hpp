// SPDX-License-Identifier: BSL-1.0
// Pseudo-random bytes that tell nothing of their key, nor of the bytes of another key: what memory
// holds before a launch, which launches are compared, which inputs are drawn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// Four words of a block. Vectors of g++ and clang, and calls that are always inlined: a build
/// without optimisation has as few instructions for a row as any other.
using chacha_row = std::uint32_t __attribute__((vector_size(16)));

[[gnu::always_inline]] inline chacha_row turned_left(chacha_row row, int bits) {
    return row << bits | row >> (32 - bits);
}

/// One block of ChaCha (Bernstein 2008; RFC 8439 with a counter of 64 bits): 16 words.
template <int Rounds>
[[nodiscard]] std::array<std::uint32_t, 16>
chacha(std::array<std::uint32_t, 8> const& key, std::uint64_t counter, std::uint64_t nonce) {
    chacha_row const before[4] = {{0x61707865U, 0x3320646eU, 0x79622d32U, 0x6b206574U},
                                  {key[0], key[1], key[2], key[3]},
                                  {key[4], key[5], key[6], key[7]},
                                  {static_cast<std::uint32_t>(counter),
                                   static_cast<std::uint32_t>(counter >> 32),
                                   static_cast<std::uint32_t>(nonce),
                                   static_cast<std::uint32_t>(nonce >> 32)}};
    auto a = before[0], b = before[1], c = before[2], d = before[3];
    for (int round = 0; round < Rounds; ++round) { // four quarter rounds each
        a += b, d = turned_left(d ^ a, 16);
        c += d, b = turned_left(b ^ c, 12);
        a += b, d = turned_left(d ^ a, 8);
        c += d, b = turned_left(b ^ c, 7);
        // Columns become diagonals, and diagonals columns.
        if (round % 2 == 0) {
            b = __builtin_shufflevector(b, b, 1, 2, 3, 0);
            c = __builtin_shufflevector(c, c, 2, 3, 0, 1);
            d = __builtin_shufflevector(d, d, 3, 0, 1, 2);
        } else {
            b = __builtin_shufflevector(b, b, 3, 0, 1, 2);
            c = __builtin_shufflevector(c, c, 2, 3, 0, 1);
            d = __builtin_shufflevector(d, d, 1, 2, 3, 0);
        }
    }
    chacha_row const made[4] = {a + before[0], b + before[1], c + before[2], d + before[3]};
    std::array<std::uint32_t, 16> words;
    std::memcpy(words.data(), made, sizeof words);
    return words;
}

/// Rounds of the streams that fill memory; keys are derived by 20.
inline constexpr int filling_rounds = 8;

} // namespace detail
} // namespace lkt
