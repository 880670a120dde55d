// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/fill.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace lkt {

namespace fill_parts {

std::uint64_t number(int launch) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(launch));
}

void noise(std::span<std::byte> to, secret_key const& key) {
    auto const first = to.first(std::min(to.size(), noise_period));
    fill(first, key);
    for (std::size_t done = first.size(); done < to.size(); done *= 2)
        std::memcpy(to.data() + done, to.data(), std::min(done, to.size() - done));
}

/// One element again and again; bytes beyond the last whole one have its beginning.
void repeat(std::span<std::byte> to, std::span<std::byte const> element) {
    std::memcpy(to.data(), element.data(), std::min(element.size(), to.size()));
    for (std::size_t done = std::min(element.size(), to.size()); done < to.size(); done *= 2)
        std::memcpy(to.data() + done, to.data(), std::min(done, to.size() - done));
}

/// The number 1, little endian, as 8 bytes of which the first count.
std::array<std::byte, 8> one(scalar_type type) {
    std::uint64_t bits = 1;
    if (type == scalar_type::float4_e2m1) bits = 0x22;
    if (type == scalar_type::float8_e4m3) bits = 0x38;
    if (type == scalar_type::float8_e5m2) bits = 0x3c;
    if (type == scalar_type::float16) bits = 0x3c00;
    if (type == scalar_type::bfloat16) bits = 0x3f80;
    if (type == scalar_type::float32) bits = 0x3f800000;
    if (type == scalar_type::float64) bits = 0x3ff0000000000000;
    std::array<std::byte, 8> bytes{};
    std::memcpy(bytes.data(), &bits, bytes.size());
    return bytes;
}

/// The bits that make a quiet NaN of any bits.
std::uint64_t nan_bits(scalar_type type) {
    if (type == scalar_type::float8_e4m3) return 0x7f;
    if (type == scalar_type::float8_e5m2) return 0x7e;
    if (type == scalar_type::float16) return 0x7e00;
    if (type == scalar_type::bfloat16) return 0x7fc0;
    if (type == scalar_type::float32) return 0x7fc00000;
    if (type == scalar_type::float64) return 0x7ff8000000000000;
    return 0;
}

void nans(std::span<std::byte> to, secret_key const& key, scalar_type type) {
    noise(to, key);
    auto const size = size_of(type);
    std::array<std::byte, 8> mask{};
    auto const bits = nan_bits(type);
    std::memcpy(mask.data(), &bits, mask.size());
    // By eight bytes, which hold whole elements.
    std::uint64_t wide = 0;
    for (std::size_t k = 0; k < 8; ++k)
        reinterpret_cast<std::byte*>(&wide)[k] = mask[k % size]; // NOLINT
    std::size_t at = 0;
    for (; at + 8 <= to.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, to.data() + at, 8);
        word |= wide;
        std::memcpy(to.data() + at, &word, 8);
    }
    for (; at < to.size(); ++at) to[at] |= mask[at % size];
}

void nearly_right(std::span<std::byte> to,
                  secret_key const& key,
                  scalar_type type,
                  std::span<std::byte const> like) {
    if (to.empty()) return;
    std::memcpy(to.data(), like.data(), std::min(to.size(), like.size()));
    constexpr std::size_t group = 8;
    auto const size = size_of(type), count = to.size() / size;
    auto const groups = (count + group - 1) / group;
    // A byte says which of eight elements is off, and eight say what it is.
    std::array<std::byte, 9 * 512> drawn{};
    for (std::size_t g = 0; g < groups; ++g) {
        auto const at = g % 512;
        if (at == 0) {
            auto const rest = std::min<std::size_t>(512, groups - g);
            fill(std::span{drawn}.first(9 * rest), key, 9 * g);
        }
        auto const first = g * group, n = std::min(group, count - first);
        auto const place = std::min<std::size_t>(place_of_noise(drawn[9 * at]), n - 1);
        auto* const element = to.data() + (first + place) * size;
        // Noise that happens to be right is none.
        if (std::memcmp(element, &drawn[9 * at + 1], size) == 0)
            *element ^= std::byte{0x55};
        else
            std::memcpy(element, &drawn[9 * at + 1], size);
    }
}

} // namespace fill_parts

fill_kind
fill_of_launch(secret_key const& run, int launch, std::size_t argument, fill_choices choices) {
    if (choices.certain) return fill_kind::noise;
    // Ten launches get ten kinds in an order of their own, so that none of them is missing.
    constexpr int group = 10;
    std::array<fill_kind, group> kinds{fill_kind::zeros,
                                       fill_kind::ones,
                                       fill_kind::nans,
                                       fill_kind::other_test,
                                       fill_kind::nearly_right}; // and noise
    std::fill(kinds.begin() + 5, kinds.end(), fill_kind::noise);
    auto const place = ((launch % group) + group) % group;
    auto const first = fill_parts::number((launch - place) / group);
    auto order = drawn(run, "kind of fill", first, argument);
    for (std::uint64_t n = group; n > 1; --n) {
        std::swap(kinds[n - 1], kinds[order % n]);
        order /= n;
    }
    auto const kind = kinds[static_cast<std::size_t>(place)];
    bool const there = kind == fill_kind::nans           ? choices.nans
                       : kind == fill_kind::other_test   ? choices.other_test
                       : kind == fill_kind::nearly_right ? choices.nearly_right
                                                         : true;
    return there ? kind : fill_kind::noise;
}

secret_key fill_key(secret_key const& run, int launch, std::size_t argument) {
    return derived(run, "fill", fill_parts::number(launch), argument);
}

void write_fill(std::span<std::byte> to,
                fill_kind kind,
                secret_key const& key,
                scalar_type type,
                std::span<std::byte const> like) {
    switch (kind) {
    case fill_kind::noise:
        return fill_parts::noise(to, key);
    case fill_kind::zeros:
        if (!to.empty()) std::memset(to.data(), 0, to.size());
        return;
    case fill_kind::ones: {
        auto const bytes = fill_parts::one(type);
        return fill_parts::repeat(to, std::span{bytes}.first(size_of(type)));
    }
    case fill_kind::nans:
        return fill_parts::nans(to, key, type);
    case fill_kind::other_test:
        if (!to.empty()) std::memcpy(to.data(), like.data(), std::min(to.size(), like.size()));
        return;
    case fill_kind::nearly_right:
        return fill_parts::nearly_right(to, key, type, like);
    }
}

} // namespace lkt
