// SPDX-License-Identifier: BSL-1.0
// What files hold: numbers, little endian, and texts. Written without checks, read with all of
// them, since a file may have been damaged, or be another's.
#pragma once

#include <lkt/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace lkt {

namespace detail {

/// Numbers in a file are little-endian on all machines. No <algorithm>, which costs more to include
/// than everything else here.
inline void swap_to_little_endian(char* raw, std::size_t size) {
    if constexpr (std::endian::native == std::endian::big)
        for (std::size_t i = 0; i < size / 2; ++i) {
            char const low = raw[i];
            raw[i] = raw[size - 1 - i];
            raw[size - 1 - i] = low;
        }
}

} // namespace detail

/// Appends to a string.
class byte_writer {
public:
    explicit byte_writer(std::string& out) : out_(out) {}

    template <class T>
        requires std::is_arithmetic_v<T>
    void number(T value) {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        detail::swap_to_little_endian(raw, sizeof(T));
        out_.append(raw, sizeof(T));
    }
    /// Seven bits a byte, the lowest first: small counts take one byte.
    void count(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
        out_.push_back(static_cast<char>(value));
    }
    void raw(std::string_view bytes) { out_.append(bytes); }
    void text(std::string_view bytes) {
        count(bytes.size());
        raw(bytes);
    }

private:
    std::string& out_;
};

/// Reads from a string. After the first read that does not fit, all reads return empty values, so a
/// caller reads everything and checks `good()` once. No value is larger than the remaining bytes.
class byte_reader {
public:
    explicit byte_reader(std::string_view bytes) : whole_(bytes.size()), rest_(bytes) {}

    template <class T>
        requires std::is_arithmetic_v<T>
    [[nodiscard]] T number() {
        if constexpr (std::is_same_v<T, bool>) { // any other bit pattern in a bool is undefined
            auto const byte = number<unsigned char>();
            if (byte > 1) fail("a truth value is neither 0 nor 1");
            return byte == 1;
        } else {
            T value{};
            char raw[sizeof(T)];
            auto const from = take(sizeof(T));
            if (from.empty()) return value;
            std::memcpy(raw, from.data(), sizeof(T));
            detail::swap_to_little_endian(raw, sizeof(T));
            std::memcpy(&value, raw, sizeof(T));
            return value;
        }
    }
    [[nodiscard]] std::uint64_t count() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            auto const byte = number<unsigned char>();
            if (shift == 63 && byte > 1) break;
            value |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) return good_ ? value : 0;
        }
        fail("a count does not end");
        return 0;
    }
    /// A view of the bytes that were given; empty when there are not as many.
    [[nodiscard]] std::string_view take(std::uint64_t size) {
        if (size > rest_.size()) {
            fail("the bytes end too early");
            return {};
        }
        auto const taken = rest_.substr(0, static_cast<std::size_t>(size));
        rest_.remove_prefix(taken.size());
        return taken;
    }
    [[nodiscard]] std::string_view text() { return take(count()); }

    /// Nothing more is read; the first reason stays.
    void fail(std::string_view why) {
        if (!good_) return;
        good_ = false;
        why_ = why;
        fault_ = whole_ - rest_.size();
        rest_ = {};
    }
    /// Values within values, so that nesting cannot use up the stack: false when it is too deep.
    [[nodiscard]] bool enter() {
        if (depth_ >= max_depth) fail("values are nested too deeply");
        if (good_) ++depth_;
        return good_;
    }
    void leave() { --depth_; }
    static constexpr int max_depth = 200;

    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] bool complete() const { return good_ && rest_.empty(); }
    [[nodiscard]] std::size_t left() const { return rest_.size(); }
    [[nodiscard]] std::size_t fault() const { return fault_; }  ///< where it failed
    [[nodiscard]] std::string_view why() const { return why_; } ///< a literal; empty while good

private:
    std::size_t whole_;
    std::string_view rest_;
    bool good_ = true;
    int depth_ = 0;
    std::size_t fault_ = 0;
    std::string_view why_;
};

} // namespace lkt
