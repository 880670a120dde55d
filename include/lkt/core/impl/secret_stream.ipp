// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/secret_stream.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace lkt {

namespace secret_parts {

/// 512 bits, of which every one depends on all that is given.
std::array<std::uint32_t, 16>
block(secret_key const& key, std::string_view purpose, std::uint64_t a, std::uint64_t b) {
    std::array<std::uint64_t, 3> text{};
    std::memcpy(text.data(), purpose.data(), std::min(purpose.size(), sizeof text));
    auto mixed = key.words;
    for (auto const& [counter, nonce] : {std::pair{text[0], text[1]}, {text[2], a}, {b, a}}) {
        auto const made = detail::chacha<20>(mixed, counter, nonce);
        std::copy_n(made.begin(), mixed.size(), mixed.begin());
    }
    return detail::chacha<20>(mixed, 0, 0);
}

} // namespace secret_parts

secret_key secret_of(std::uint64_t seed) {
    secret_key key;
    key.words[0] = static_cast<std::uint32_t>(seed);
    key.words[1] = static_cast<std::uint32_t>(seed >> 32);
    return derived(key, "seed");
}

secret_key
derived(secret_key const& key, std::string_view purpose, std::uint64_t a, std::uint64_t b) {
    auto const made = secret_parts::block(key, purpose, a, b);
    secret_key result;
    std::copy_n(made.begin(), result.words.size(), result.words.begin());
    return result;
}

std::uint64_t
drawn(secret_key const& key, std::string_view purpose, std::uint64_t a, std::uint64_t b) {
    auto const made = secret_parts::block(key, purpose, a, b);
    return made[8] | static_cast<std::uint64_t>(made[9]) << 32;
}

void fill(std::span<std::byte> to, secret_key const& key, std::uint64_t offset) {
    constexpr std::size_t size = sizeof(std::array<std::uint32_t, 16>);
    for (std::size_t done = 0; done < to.size();) {
        auto const at = offset + done;
        auto const block = detail::chacha<detail::filling_rounds>(key.words, at / size, 0);
        auto const skip = static_cast<std::size_t>(at % size);
        auto const n = std::min(size - skip, to.size() - done);
        std::memcpy(to.data() + done, reinterpret_cast<std::byte const*>(block.data()) + skip, n);
        done += n;
    }
}

} // namespace lkt
