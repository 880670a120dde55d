// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lkt::detail {

/// CRC-32C (Castagnoli). `before` is the checksum of what came first.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

/// The same on processors without an instruction for it, eight bytes a step: the tables of
/// M. Kounavis and F. Berry, "Novel table-lookup-based algorithms for high-performance CRC
/// generation", 2008.
[[nodiscard]] std::uint32_t crc32c_by_table(std::string_view bytes, std::uint32_t before = 0);

/// 64-bit FNV-1a over texts and numbers, each with its end.
class digest {
public:
    constexpr digest& add(std::string_view text) {
        for (char const c : text) byte(static_cast<unsigned char>(c));
        return add(std::uint64_t{text.size()});
    }
    constexpr digest& add(std::uint64_t number) {
        for (int i = 0; i < 8; ++i) byte(static_cast<unsigned char>(number >> (8 * i)));
        return *this;
    }
    [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

private:
    constexpr void byte(unsigned char b) { value_ = (value_ ^ b) * 0x100000001b3u; }
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

} // namespace lkt::detail
