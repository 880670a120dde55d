// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/sha256.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace lkt {

namespace sha256_parts {

constexpr std::array<std::uint32_t, 64> rounds = {
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U,
    0xab1c5ed5U, 0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU,
    0x9bdc06a7U, 0xc19bf174U, 0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU,
    0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU, 0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U,
    0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U, 0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU,
    0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U, 0xa2bfe8a1U, 0xa81a664bU,
    0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U, 0x19a4c116U,
    0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U,
    0xc67178f2U};

} // namespace sha256_parts

void sha256::take_block(std::byte const* block) {
    std::uint32_t w[64];
    for (int k = 0; k < 16; ++k)
        w[k] = std::to_integer<std::uint32_t>(block[4 * k]) << 24 |
               std::to_integer<std::uint32_t>(block[4 * k + 1]) << 16 |
               std::to_integer<std::uint32_t>(block[4 * k + 2]) << 8 |
               std::to_integer<std::uint32_t>(block[4 * k + 3]);
    // Plain shifts: a build without optimisation calls no function in here.
    for (int k = 16; k < 64; ++k) {
        std::uint32_t const a = w[k - 15], b = w[k - 2];
        w[k] = w[k - 16] + ((a >> 7 | a << 25) ^ (a >> 18 | a << 14) ^ a >> 3) + w[k - 7] +
               ((b >> 17 | b << 15) ^ (b >> 19 | b << 13) ^ b >> 10);
    }
    std::uint32_t a = state_[0], b = state_[1], c = state_[2], d = state_[3];
    std::uint32_t e = state_[4], f = state_[5], g = state_[6], h = state_[7];
    std::uint32_t const* const keys = sha256_parts::rounds.data();
    for (int k = 0; k < 64; ++k) {
        std::uint32_t const one = h +
                                  ((e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7)) +
                                  ((e & f) ^ (~e & g)) + keys[k] + w[k];
        std::uint32_t const two = ((a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10)) +
                                  ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    std::uint32_t const made[] = {a, b, c, d, e, f, g, h};
    for (std::size_t k = 0; k < 8; ++k) state_[k] += made[k];
}

sha256& sha256::add(std::span<std::byte const> bytes) {
    auto held = static_cast<std::size_t>(length_ % rest_.size());
    length_ += bytes.size();
    if (held > 0) {
        auto const n = std::min(rest_.size() - held, bytes.size());
        std::copy_n(bytes.begin(), n, rest_.begin() + static_cast<std::ptrdiff_t>(held));
        bytes = bytes.subspan(n);
        if (held + n < rest_.size()) return *this;
        take_block(rest_.data());
    }
    for (; bytes.size() >= rest_.size(); bytes = bytes.subspan(rest_.size()))
        take_block(bytes.data());
    std::copy(bytes.begin(), bytes.end(), rest_.begin());
    return *this;
}

sha256& sha256::add_number(std::uint64_t number) {
    std::array<std::byte, 8> bytes;
    for (std::size_t k = 0; k < 8; ++k) bytes[k] = static_cast<std::byte>(number >> 8 * k);
    return add(bytes);
}

std::string sha256::hex() const {
    sha256 whole = *this;
    std::uint64_t const bits = length_ * 8;
    std::array<std::byte, 72> padding{std::byte{0x80}};
    auto const zeros = 1 + (119 - length_ % 64) % 64; // then 8 bytes of length fill the block
    for (std::size_t k = 0; k < 8; ++k)
        padding[zeros + k] = static_cast<std::byte>(bits >> (56 - 8 * k));
    whole.add(std::span(padding).first(zeros + 8));
    constexpr char const* digits = "0123456789abcdef";
    std::string text;
    for (std::uint32_t const word : whole.state_)
        for (int shift = 28; shift >= 0; shift -= 4) text += digits[word >> shift & 15];
    return text;
}

} // namespace lkt
