// SPDX-License-Identifier: BSL-1.0
// Plain values as bytes, without a macro or a list: numbers, enums, strings, containers, optionals,
// pairs, tuples, variants, durations, described structs and aggregates (by Boost.PFR), and whatever
// has a `value_codec`.
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/type_name.hpp>
#include <lkt/store/bytes.hpp>
#include <lkt/store/detail/checksum.hpp>
#include <lkt/store/value_codec.hpp>

#include <array>
#include <boost/pfr/core.hpp>
#include <boost/pfr/tuple_size.hpp>
#include <chrono>
#include <concepts>
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

template <class T>
concept has_codec = requires(byte_writer& w, byte_reader& r, T& to, T const& from) {
    value_codec<T>::write(w, from);
    value_codec<T>::read(r, to);
    { value_codec<T>::shape() } -> std::convertible_to<std::uint64_t>;
};

/// Without scopes. (`name_of` would take a data member `name` for the type's own.)
template <class T>
inline constexpr std::string_view label_of = unqualified(qualified_name_of<T>);

template <class T>
inline constexpr bool is_duration = false;
template <class Rep, class Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;

template <class T>
inline constexpr bool is_variant = false;
template <class... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

template <class T>
concept optional_like = requires(T& t) {
    typename T::value_type;
    { t.has_value() } -> std::same_as<bool>;
    t.emplace();
    t.reset();
};

/// An element as it is read: of a map a pair that can be written to.
template <class V>
struct element {
    using type = V;
};
template <class K, class V>
struct element<std::pair<K const, V>> {
    using type = std::pair<K, V>;
};

template <class T>
using element_of = typename element<typename T::value_type>::type;

template <class T>
concept container = requires(T& t, element_of<T> e) {
    t.clear();
    t.insert(t.end(), std::move(e));
    t.begin();
};

template <class T>
concept tuple_like = requires { std::tuple_size<T>::value; } && !is_std_array<T>;

template <class T>
concept plain_struct = std::is_aggregate_v<T> && std::is_class_v<T> && !std::is_union_v<T>;

template <class T, class... Open>
constexpr bool can_encode();

template <class Fields, class... Open>
struct can_encode_fields;
template <class... Ts, class... Open>
struct can_encode_fields<std::tuple<Ts...>, Open...>
    : std::bool_constant<(can_encode<std::remove_cvref_t<Ts>, Open...>() && ...)> {};

template <class S, class Fields>
struct listed_types;
template <class S, auto... Members>
struct listed_types<S, fields<Members...>> {
    using type = std::tuple<std::remove_cvref_t<decltype(std::declval<S&>().*Members)>...>;
};

template <class Member>
struct class_of_member;
template <class T, class C>
struct class_of_member<T C::*> {
    using type = C;
};

/// Stands for any value.
struct anything {
    template <class T>
    operator T() const; // declared only
};

/// There is more in S than in its base (which may fit into the padding of that).
template <class S, class Base>
inline constexpr bool adds_members =
    sizeof(Base) != sizeof(S) || requires(Base base, anything more) { S{base, more}; };

/// The list is of a base alone, and S has members of its own.
template <class S, class Fields>
inline constexpr bool lists_base_only = false;
template <class S, auto First, auto... Rest>
inline constexpr bool lists_base_only<S, fields<First, Rest...>> = [] {
    using base = typename class_of_member<decltype(First)>::type;
    return !std::is_same_v<base, S> && adds_members<S, base> &&
           (std::is_same_v<typename class_of_member<decltype(Rest)>::type, base> && ...);
}();

template <class S>
inline constexpr bool lists_own_members = [] {
    if constexpr (described<S>)
        return !lists_base_only<S, typename S::state_fields>;
    else
        return false;
}();

template <class T>
using pfr_types = decltype(boost::pfr::structure_to_tuple(std::declval<T const&>()));

/// Whether T has a form as bytes; the types in `Open` are being looked at.
template <class T, class... Open>
constexpr bool can_encode() {
    if constexpr ((std::is_same_v<T, Open> || ...)) {
        return true;
    } else if constexpr (has_codec<T> || std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                         std::is_same_v<T, std::string> || is_duration<T>) {
        return true;
    } else if constexpr (!std::is_default_constructible_v<T> && !plain_struct<T>) {
        return false;
    } else if constexpr (is_std_array<T> || optional_like<T>) {
        return can_encode<typename T::value_type, Open...>();
    } else if constexpr (is_variant<T>) {
        return []<class... Ts>(std::type_identity<std::variant<Ts...>>) {
            return (can_encode<Ts, Open...>() && ...);
        }(std::type_identity<T>{});
    } else if constexpr (container<T>) {
        return can_encode<element_of<T>, Open...>();
    } else if constexpr (tuple_like<T>) {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return (can_encode<std::tuple_element_t<I, T>, Open...>() && ...);
        }(std::make_index_sequence<std::tuple_size_v<T>>{});
    } else if constexpr (described<T>) {
        return lists_own_members<T> &&
               can_encode_fields<typename listed_types<T, typename T::state_fields>::type,
                                 T,
                                 Open...>::value;
    } else if constexpr (plain_struct<T>) {
        return can_encode_fields<pfr_types<T>, T, Open...>::value;
    } else {
        return false;
    }
}

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
        boost::pfr::for_each_field(value, [&](auto const& each) { write_value(w, each); });
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
            r.fail("a number stands for no enumerator");
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
        boost::pfr::for_each_field(value, [&](auto& each) { read_value(r, each); });
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

// ------------------------------------------------------------------------------------------ shape

template <class T, class... Open>
void mix_shape(digest& d);

template <class T, class... Open>
void mix_plain(digest& d) {
    if constexpr (std::is_arithmetic_v<T>) {
        d.add(std::is_floating_point_v<T> ? "float" : std::is_signed_v<T> ? "signed" : "unsigned");
        d.add(std::uint64_t{sizeof(T)});
    } else if constexpr (std::is_enum_v<T>) {
        d.add("enum").add(label_of<T>);
        mix_shape<std::underlying_type_t<T>>(d);
        if constexpr (scoped_enum<T> && !std::is_same_v<T, std::byte>)
            for (std::size_t i = 0; i < enumerators<T>::values.size(); ++i)
                d.add(enumerators<T>::names[i])
                    .add(static_cast<std::uint64_t>(enumerators<T>::values[i]));
    } else if constexpr (std::is_same_v<T, std::string>) {
        d.add("text");
    } else if constexpr (is_duration<T>) {
        d.add("duration").add(static_cast<std::uint64_t>(T::period::num));
        d.add(static_cast<std::uint64_t>(T::period::den));
        mix_shape<typename T::rep>(d);
    } else if constexpr (is_std_array<T>) {
        d.add("array").add(std::uint64_t{std::tuple_size_v<T>});
        mix_shape<typename T::value_type, Open...>(d);
    } else if constexpr (optional_like<T>) {
        d.add("optional");
        mix_shape<typename T::value_type, Open...>(d);
    } else if constexpr (is_variant<T>) {
        d.add("variant");
        [&]<class... Ts>(std::type_identity<std::variant<Ts...>>) {
            (mix_shape<Ts, Open...>(d), ...);
        }(std::type_identity<T>{});
        d.add("end");
    } else if constexpr (container<T>) {
        d.add("container");
        mix_shape<element_of<T>, Open...>(d);
    } else if constexpr (tuple_like<T>) {
        d.add("tuple");
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (mix_shape<std::tuple_element_t<I, T>, Open...>(d), ...);
        }(std::make_index_sequence<std::tuple_size_v<T>>{});
        d.add("end");
    } else if constexpr (described<T>) {
        d.add("fields").add(label_of<T>);
        [&]<auto... Members>(fields<Members...>) {
            ((d.add(field<Members>::name),
              mix_shape<std::remove_cvref_t<decltype(std::declval<T&>().*Members)>, T, Open...>(d)),
             ...);
        }(typename T::state_fields{});
        d.add("end");
    } else {
        d.add("struct").add(label_of<T>);
        [&]<class... Ts>(std::type_identity<std::tuple<Ts...>>) {
            (mix_shape<std::remove_cvref_t<Ts>, T, Open...>(d), ...);
        }(std::type_identity<pfr_types<T>>{});
        d.add("end");
    }
}

template <class T, class... Open>
void mix_shape(digest& d) {
    if constexpr ((std::is_same_v<T, Open> || ...))
        d.add("again").add(label_of<T>);
    else if constexpr (has_codec<T>)
        d.add("codec").add(std::uint64_t{value_codec<T>::shape()});
    else
        mix_plain<T, Open...>(d);
}

} // namespace detail

/// A type that has a form as bytes. Of aggregates Boost.PFR must be able to list the members: no
/// base classes, no C arrays, no references. Of a struct with `state_fields` the listed members are
/// written; it must not have them from its base while it has members of its own. Scoped enums have
/// their enumerators below `enumerator_probes`, and bytes that stand for none of them are refused.
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

/// A value from all of the bytes, which may be anybody's: what is decoded is never larger than they
/// are, times the size of what one of them can stand for. On an error `to` is in no certain state.
/// Errors: `lkt.journal.value` (rejected).
template <encodable T>
[[nodiscard]] result<void> decode(std::string_view bytes, T& to);

/// A number that changes with the types, names and order of a type's parts: bytes that were written
/// under another one mean something else.
template <encodable T>
[[nodiscard]] std::uint64_t shape_of() {
    detail::digest d;
    detail::mix_shape<T>(d);
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
    detail::mix_plain<T>(d);
    return d.value();
}

} // namespace lkt
