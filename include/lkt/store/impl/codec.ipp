// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/store/codec.hpp>

#include <bit>
#include <cstring>

namespace lkt::detail {

error no_such_value(byte_reader const& r, std::string_view type) {
    std::string what = "the bytes are no value of " + std::string(type) + ": ";
    what += r.good() ? std::to_string(r.left()) + " of them are left over"
                     : std::string(r.why()) + ", at byte " + std::to_string(r.fault());
    return {condition::rejected, "lkt.journal.value", std::move(what), {}};
}

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

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
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

} // namespace lkt::detail

namespace lkt {

void value_codec<expression>::write(byte_writer& w, expression const& e) { w.text(e.text()); }

void value_codec<expression>::read(byte_reader& r, expression& e) {
    auto const text = r.text();
    if (!r.good()) return;
    auto parsed = expression::parse(text);
    if (!parsed) return r.fail("a text is no expression");
    e = std::move(*parsed);
}

std::uint64_t value_codec<expression>::shape() { return shape_of<std::string>(); }

} // namespace lkt
