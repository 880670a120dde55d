// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/detail/checksum.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lkt::detail {

using crc_tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr crc_tables make_crc_tables() {
    crc_tables t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t c = i;
        for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1u) != 0 ? 0x82f63b78u : 0u);
        t[0][i] = c;
    }
    for (std::size_t i = 0; i < 256; ++i)
        for (std::size_t k = 1; k < 8; ++k)
            t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 0xffu];
    return t;
}

std::uint32_t crc32c_by_table(std::string_view bytes, std::uint32_t before) {
    static constexpr crc_tables t = make_crc_tables();
    std::uint32_t c = ~before;
    char const* at = bytes.data();
    std::size_t left = bytes.size();
    if constexpr (std::endian::native == std::endian::little) {
        for (; left >= 8; left -= 8, at += 8) {
            std::uint32_t low = 0, high = 0;
            std::memcpy(&low, at, 4);
            std::memcpy(&high, at + 4, 4);
            low ^= c;
            c = t[7][low & 0xffu] ^ t[6][(low >> 8) & 0xffu] ^ t[5][(low >> 16) & 0xffu] ^
                t[4][low >> 24] ^ t[3][high & 0xffu] ^ t[2][(high >> 8) & 0xffu] ^
                t[1][(high >> 16) & 0xffu] ^ t[0][high >> 24];
        }
    }
    for (; left > 0; --left, ++at)
        c = (c >> 8) ^ t[0][(c ^ static_cast<unsigned char>(*at)) & 0xffu];
    return ~c;
}

#if defined(__x86_64__) && defined(__GNUC__)

/// With the instruction that processors have had for it since SSE 4.2.
[[gnu::target("sse4.2")]] std::uint32_t crc32c_by_instruction(std::string_view bytes,
                                                              std::uint32_t before) {
    std::uint64_t c = ~before;
    char const* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8, at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        c = __builtin_ia32_crc32di(c, word);
    }
    auto rest = static_cast<std::uint32_t>(c);
    for (; left > 0; --left, ++at)
        rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(*at));
    return ~rest;
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
    static bool const has_instruction = __builtin_cpu_supports("sse4.2");
    return has_instruction ? crc32c_by_instruction(bytes, before) : crc32c_by_table(bytes, before);
}

#else

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
    return crc32c_by_table(bytes, before);
}

#endif

} // namespace lkt::detail
