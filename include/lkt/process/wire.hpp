// SPDX-License-Identifier: BSL-1.0
// How services write what they exchange. Both ends are the same program on one machine, so numbers
// travel as they lie in memory; the reader still trusts nothing, since a worker may have been hurt.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lkt {

/// A number of fixed layout: what `packer` and `unpacker` move byte by byte.
template <class T>
concept wire_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends values to a string of bytes: `packer{}.put(3).put("text")`.
class packer {
public:
    template <wire_number T>
    packer& put(T value) {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        bytes_.append(raw, sizeof(T));
        return *this;
    }
    packer& put(std::string_view text);
    packer& put(std::string const& text) { return put(std::string_view{text}); }
    packer& put(char const* text) { return put(std::string_view{text}); }
    /// A range of numbers or of texts, preceded by how many there are.
    template <class Range>
        requires requires(Range const& r) { r.size(), r.begin(), r.end(); } &&
                 (!std::is_convertible_v<Range const&, std::string_view>)
    packer& put(Range const& range) {
        put(static_cast<std::uint64_t>(range.size()));
        for (auto const& element : range) put(element);
        return *this;
    }
    [[nodiscard]] std::string const& bytes() const& { return bytes_; }
    [[nodiscard]] std::string bytes() && { return std::move(bytes_); }

private:
    std::string bytes_;
};

/// Reads them back. The first read that does not fit makes all later ones return empty values, so
/// a caller reads everything and asks `complete()` once.
class unpacker {
public:
    explicit unpacker(std::string_view bytes) : rest_(bytes) {}

    template <wire_number T>
    [[nodiscard]] T get() {
        T value{};
        if (take(sizeof(T))) {
            std::memcpy(&value, rest_.data(), sizeof(T));
            rest_.remove_prefix(sizeof(T));
        }
        if constexpr (std::is_same_v<T, bool>) { // any other bit pattern in a bool is undefined
            unsigned char raw = 0;
            std::memcpy(&raw, &value, 1);
            value = raw != 0;
        }
        return value;
    }
    /// A view into the bytes that were given.
    [[nodiscard]] std::string_view text();
    /// How many elements follow, each of at least `least` bytes (so no bomb can be announced).
    [[nodiscard]] std::size_t count(std::size_t least = 1);
    /// Everything that has not been read.
    [[nodiscard]] std::string_view rest() { return std::exchange(rest_, {}); }
    /// Says that what was read makes no sense: nothing more is read.
    void fail() { good_ = false; }
    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] bool complete() const { return good_ && rest_.empty(); }

private:
    bool take(std::uint64_t size);

    std::string_view rest_;
    bool good_ = true;
};

} // namespace lkt
