// SPDX-License-Identifier: BSL-1.0
// Names of types, variables, members and enumerators as the compiler spells them, at compile time.
#pragma once

#include <lkt/config.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lkt {

namespace detail {

// Each of these is asked for its own spelling; the part around the argument is found once with a
// known argument, so that no compiler's format is written down here.
template <class T>
constexpr std::string_view spelled_type() {
    return __PRETTY_FUNCTION__;
}
template <auto const& Object>
constexpr std::string_view spelled_object() {
    return __PRETTY_FUNCTION__;
}
template <auto... Values>
constexpr std::string_view spelled_values() {
    return __PRETTY_FUNCTION__;
}

struct spelling_frame {
    std::size_t before, after;
};

constexpr spelling_frame frame_around(std::string_view whole, std::string_view known) {
    auto const at = whole.find(known);
    return {at, whole.size() - at - known.size()};
}

constexpr std::string_view inside(std::string_view whole, spelling_frame frame) {
    return whole.substr(frame.before, whole.size() - frame.before - frame.after);
}

inline constexpr int spelling_probe = 0;

constexpr spelling_frame object_frame() {
    auto const whole = spelled_object<spelling_probe>();
    auto const qualified = std::string_view("lkt::detail::spelling_probe");
    if (whole.find(qualified) != whole.npos) return frame_around(whole, qualified);
    return frame_around(whole, "spelling_probe");
}

inline constexpr auto type_frame = frame_around(spelled_type<double>(), "double");
inline constexpr auto values_frame = frame_around(spelled_values<12345>(), "12345");

/// Where the last `::` outside of brackets ends; 0 when there is none.
constexpr std::size_t last_scope(std::string_view text) {
    std::size_t start = 0;
    int depth = 0;
    char const* const letters = text.data();
    auto const length = text.size();
    for (std::size_t i = 0; i < length; ++i) {
        char const c = letters[i];
        if (c >= 'A' && c <= 'Z') continue;
        if (c >= '_' && c <= 'z') continue;
        if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
        if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
        if (depth == 0 && c == ':' && i + 1 < length && letters[i + 1] == ':') start = i + 2;
    }
    return start;
}

constexpr std::string_view unqualified(std::string_view text) {
    return text.substr(last_scope(text));
}

constexpr std::string_view without_arguments(std::string_view text) {
    auto const open = text.find('<');
    return open == text.npos || open == 0 ? text : text.substr(0, open);
}

} // namespace detail

/// The type with its scopes, `ns::tuned`.
template <class T>
inline constexpr std::string_view qualified_name_of =
    detail::inside(detail::spelled_type<T>(), detail::type_frame);

/// The type without its scopes, `tuned`; a `static constexpr name` in the type wins.
template <class T>
inline constexpr std::string_view name_of = [] {
    if constexpr (requires { std::string_view(T::name); })
        return std::string_view(T::name);
    else
        return detail::unqualified(qualified_name_of<T>);
}();

/// A variable's own name without scopes and template arguments; lambdas have one too this way.
template <auto const& Object>
inline constexpr std::string_view object_name = detail::without_arguments(
    detail::unqualified(detail::inside(detail::spelled_object<Object>(), detail::object_frame())));

/// The name behind a pointer to a member or a function: `&state::best_ms` gives `best_ms`.
template <auto Pointer>
inline constexpr std::string_view pointee_name = [] {
    auto text = detail::unqualified(
        detail::inside(detail::spelled_values<Pointer>(), detail::values_frame));
    if (text.starts_with('&')) text.remove_prefix(1);
    return text;
}();

/// Enumerators are probed from 0 to one below this.
inline constexpr int enumerator_probes = 64;

namespace detail {

template <class E>
inline constexpr int probes_of =
    std::is_same_v<std::underlying_type_t<E>, bool> ? 2 : enumerator_probes;

template <class E, int... I>
constexpr std::string_view spelled_enumerators(std::integer_sequence<int, I...>) {
    // Looking into it is what makes clang instantiate an enum that is a member of a template.
    constexpr bool looked_into [[maybe_unused]] = requires { E::no_such_enumerator; };
    return inside(spelled_values<static_cast<E>(I)...>(), values_frame);
}

/// `(built)2` or `((anonymous namespace)::built)2` is not an enumerator: a digit follows the cast.
constexpr bool spells_enumerator(std::string_view text) {
    auto const close = text.rfind(')');
    auto const rest = close == text.npos ? text : text.substr(close + 1);
    return !rest.empty() && (rest[0] < '0' || rest[0] > '9') && rest[0] != '-';
}

/// True when the rest of a list, from position `at` and value `value` on, is casts of numbers
/// alone. Most enums are short, and their long rest need not be read letter by letter.
constexpr bool only_casts(std::string_view list, std::size_t at, int value, int probes) {
    auto const close = list.rfind(')');
    auto const open = list.rfind(", ");
    if (close == list.npos || open == list.npos || close < open) return false;
    auto const cast = close + 1 - (open + 2); // the length of `(built)`
    auto const length = list.size();
    char const* const text = list.data(); // pointers are what compilers evaluate fastest
    for (; value < probes; ++value) {
        auto const end = at + cast + (value < 10 ? 1 : 2);
        if (end > length || text[at] != '(' || text[at + cast - 1] != ')') return false;
        if (text[at + cast] != '0' + (value < 10 ? value : value / 10)) return false;
        if (end < length && text[end] != ',') return false;
        at = end + 2;
    }
    return true;
}

/// Calls `each(value, name)` for every enumerator in a list as the compiler spells it.
template <class Each>
constexpr void for_each_enumerator(std::string_view list, int probes, Each each) {
    int depth = 0, value = 0;
    std::size_t start = 0;
    auto const length = list.size();
    char const* const text = list.data();
    for (std::size_t i = 0; i <= length; ++i) {
        char const c = i < length ? text[i] : ',';
        if (c > '>' && c < '{') continue; // letters, mostly
        if (c == '<' || c == '(' || c == '{') ++depth;
        if (c == '>' || c == ')' || c == '}') --depth;
        if (c != ',' || depth > 0) continue;
        auto const item = list.substr(start, i - start);
        bool const named = spells_enumerator(item);
        if (named) each(value, unqualified(item));
        ++value;
        start = i + 2; // the separator is a comma and a space
        if (named && only_casts(list, start, value, probes)) return;
    }
}

template <class E>
inline constexpr std::string_view enumerator_list =
    spelled_enumerators<E>(std::make_integer_sequence<int, probes_of<E>>{});

template <class E>
constexpr int count_enumerators() {
    int count = 0;
    for_each_enumerator(enumerator_list<E>, probes_of<E>, [&](int, std::string_view) { ++count; });
    return count;
}

} // namespace detail

template <class E>
concept scoped_enum = std::is_enum_v<E> && !std::is_convertible_v<E, std::underlying_type_t<E>>;

/// The enumerators of a scoped enum with values in [0, `enumerator_probes`), by value.
template <scoped_enum E>
struct enumerators {
    static constexpr int count = detail::count_enumerators<E>();

private:
    struct table {
        std::array<int, count> values{};
        std::array<std::string_view, count> names{};
    };
    static constexpr table all = [] {
        table t;
        std::size_t n = 0;
        detail::for_each_enumerator(detail::enumerator_list<E>,
                                    detail::probes_of<E>,
                                    [&](int value, std::string_view name) {
                                        t.values[n] = value;
                                        t.names[n++] = name;
                                    });
        return t;
    }();

public:
    static constexpr std::array<int, count> values = all.values;
    static constexpr std::array<std::string_view, count> names = all.names;

    /// Position of a value among the enumerators; -1 if no enumerator has this value.
    [[nodiscard]] static constexpr int index(long long value) {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] == value) return static_cast<int>(i);
        return -1;
    }
};

} // namespace lkt
