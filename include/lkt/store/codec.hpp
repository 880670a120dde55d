// SPDX-License-Identifier: BSL-1.0
// Plain values as bytes, without a macro or a list: numbers, enums, strings, containers, optionals,
// pairs, tuples, variants, durations, described structs and aggregates, and whatever has a
// `value_codec`.
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/type_name.hpp>
#include <lkt/store/bytes.hpp>
#include <lkt/store/detail/checksum.hpp>
#include <lkt/store/detail/encodable.hpp>
#include <lkt/store/detail/members.hpp>
#include <lkt/store/detail/shape.hpp>
#include <lkt/store/value_codec.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

// ------------------------------------------------------------------------------------------ write

template <class T>
void write_value(byte_writer& w, T const& value);

template <class T>
void write_plain(byte_writer& w, T const& value) {
    if constexpr (std::is_arithmetic_v<T>) {
        w.number(value);
    } else if constexpr (std::is_enum_v<T>) {
        w.number(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
        w.text(value);
    } else if constexpr (is_duration<T>) {
        w.number(value.count());
    } else if constexpr (is_std_array<T>) {
        for (auto const& e : value) write_value(w, e);
    } else if constexpr (optional_like<T>) {
        w.number(value.has_value());
        if (value.has_value()) write_value(w, *value);
    } else if constexpr (is_variant<T>) {
        w.count(value.index());
        std::visit([&](auto const& held) { write_value(w, held); }, value);
    } else if constexpr (container<T>) {
        // A mark before each element and none of how many there are: what was appended to is
        // changed at its end alone.
        for (auto const& e : value) {
            w.number(true);
            if constexpr (std::is_same_v<typename T::value_type, bool>)
                w.number(static_cast<bool>(e));
            else
                write_value(w, e);
        }
        w.number(false);
    } else if constexpr (tuple_like<T>) {
        std::apply([&](auto const&... each) { (write_value(w, each), ...); }, value);
    } else if constexpr (described<T>) {
        for_each_field(value, [&](std::string_view, auto const& each) { write_value(w, each); });
    } else {
        with_members(value, [&](auto const&... each) { (write_value(w, each), ...); });
    }
}

template <class T>
void write_value(byte_writer& w, T const& value) {
    if constexpr (has_codec<T>)
        value_codec<T>::write(w, value);
    else
        write_plain(w, value);
}

// ------------------------------------------------------------------------------------------- read

template <class T>
void read_value(byte_reader& r, T& value);

template <class E>
void read_enum(byte_reader& r, E& value) {
    auto const number = r.number<std::underlying_type_t<E>>();
    // Tables are indexed by scoped enums: one that has no name must not get in.
    if constexpr (scoped_enum<E> && !std::is_same_v<E, std::byte>)
        if (enumerators<E>::index(static_cast<long long>(number)) < 0) {
            r.fail("a number does not match any enumerator");
            return;
        }
    value = static_cast<E>(number);
}

template <class V, std::size_t I = 0>
void read_alternative(byte_reader& r, V& value, std::uint64_t index) {
    if constexpr (I < std::variant_size_v<V>) {
        if (index == I) return read_value(r, value.template emplace<I>());
        return read_alternative<V, I + 1>(r, value, index);
    } else {
        r.fail("a variant has no alternative of this number");
    }
}

template <class T>
void read_parts(byte_reader& r, T& value) {
    if (!r.enter()) return;
    if constexpr (is_std_array<T>) {
        for (auto& e : value) read_value(r, e);
    } else if constexpr (optional_like<T>) {
        value.reset();
        if (r.number<bool>()) read_value(r, value.emplace());
    } else if constexpr (is_variant<T>) {
        read_alternative(r, value, r.count());
    } else if constexpr (container<T>) {
        value.clear();
        while (r.number<bool>()) {
            element_of<T> e{};
            read_value(r, e);
            if (!r.good()) break;
            value.insert(value.end(), std::move(e));
        }
    } else if constexpr (tuple_like<T>) {
        std::apply([&](auto&... each) { (read_value(r, each), ...); }, value);
    } else if constexpr (described<T>) {
        for_each_field(value, [&](std::string_view, auto& each) { read_value(r, each); });
    } else {
        with_members(value, [&](auto&... each) { (read_value(r, each), ...); });
    }
    r.leave();
}

template <class T>
void read_value(byte_reader& r, T& value) {
    if constexpr (has_codec<T>)
        value_codec<T>::read(r, value);
    else if constexpr (std::is_arithmetic_v<T>)
        value = r.number<T>();
    else if constexpr (std::is_enum_v<T>)
        read_enum(r, value);
    else if constexpr (std::is_same_v<T, std::string>)
        value = r.text();
    else if constexpr (is_duration<T>)
        value = T(r.number<typename T::rep>());
    else
        read_parts(r, value);
}

} // namespace detail

/// A type that can be encoded as bytes. An aggregate has at most 26 members, no base classes, no C
/// arrays and no references. A struct with `state_fields` is written as the
/// listed members; it must not inherit the list if it has members of its own. Scoped enums must
/// have their enumerators below `enumerator_probes`, and bytes that match none of them are refused.
template <class T>
concept encodable = detail::can_encode<T>();

/// Appends a value to `out`.
template <encodable T>
void encode(std::string& out, T const& value) {
    byte_writer w(out);
    detail::write_value(w, value);
}
template <encodable T>
[[nodiscard]] std::string encoded(T const& value) {
    std::string out;
    encode(out, value);
    return out;
}

/// Decodes a value from all of the bytes, which may be untrusted: the memory used is bounded by
/// their number times the size of the largest element that one byte can encode. After an error the
/// state of `to` is unspecified. Errors: `lkt.journal.value` (rejected).
template <encodable T>
[[nodiscard]] result<void> decode(std::string_view bytes, T& to);

/// A number that changes with the types, names and order of a type's parts: bytes that were written
/// under another one mean something else.
template <encodable T>
[[nodiscard]] std::uint64_t shape_of() {
    detail::digest d;
    detail::mix_shape<T>(d, nullptr);
    return d.value();
}

namespace detail {
[[nodiscard]] error no_such_value(byte_reader const& r, std::string_view type);
}

template <encodable T>
result<void> decode(std::string_view bytes, T& to) {
    byte_reader r(bytes);
    detail::read_value(r, to);
    if (!r.complete()) return detail::no_such_value(r, detail::label_of<T>);
    return {};
}

template <class T>
void compiled_codec<T>::write(byte_writer& w, T const& value) {
    detail::write_plain(w, value);
}
template <class T>
void compiled_codec<T>::read(byte_reader& r, T& value) {
    detail::read_parts(r, value);
}
template <class T>
std::uint64_t compiled_codec<T>::shape() {
    detail::digest d;
    detail::mix_plain<T>(d, nullptr);
    return d.value();
}

} // namespace lkt
