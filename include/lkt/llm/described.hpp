// SPDX-License-Identifier: BSL-1.0
// How a struct says what an answer looks like: its members once more, and what it asks of them.
#pragma once

#include <lkt/core/fields.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>

namespace lkt {

/// How many elements a list or a map has; of lists of lists, the outermost.
struct items {
    std::size_t min = 0, max = std::numeric_limits<std::size_t>::max();
};

/// Which numbers are allowed, the ends included: of the member, or each one that it holds. Whole
/// numbers are compared exactly up to 2^53.
struct range {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
};

/// How many characters (code points) a text has: the member, or each one that it holds, the keys of
/// maps included.
struct length {
    std::size_t min = 0, max = std::numeric_limits<std::size_t>::max();
};

/// Requirements on a member beyond its type.
struct answer_note {
    std::string_view text;
    lkt::items items;
    lkt::range range;
    lkt::length length;
    bool has_items = false, has_range = false, has_length = false;

    constexpr void add(lkt::items bound) { items = bound, has_items = true; }
    constexpr void add(lkt::range bound) { range = bound, has_range = true; }
    constexpr void add(lkt::length bound) { length = bound, has_length = true; }
};

/// A note, and the member that it is on.
template <auto Member>
struct member_note {
    answer_note what;
};

/// `note<&plan::steps>("most promising first", items{1, 5})`: what the model reads about a member,
/// and bounds, which are enforced. A bound that the member's type does not support does not
/// compile.
template <auto Member, class... Bounds>
    requires std::is_member_object_pointer_v<decltype(Member)>
[[nodiscard]] constexpr member_note<Member> note(std::string_view text, Bounds... bounds) {
    member_note<Member> made{};
    made.what.text = text;
    (made.what.add(bounds), ...);
    return made;
}

/// The notes of a struct; `about` is on the struct as a whole.
template <auto... Members>
struct note_list {
    std::string_view about;
    std::array<answer_note, sizeof...(Members)> each;
};

/// A struct's member: `static constexpr auto notes = lkt::notes("A plan.", lkt::note<...>(...));`.
template <auto... Members>
[[nodiscard]] constexpr note_list<Members...> notes(std::string_view about,
                                                    member_note<Members>... each) {
    return {about, {each.what...}};
}
template <auto... Members>
[[nodiscard]] constexpr note_list<Members...> notes(member_note<Members>... each) {
    return {{}, {each.what...}};
}

/// An enumerator, and how an answer spells it.
template <class E>
struct named {
    E value;
    std::string_view name;
};
template <class E>
named(E, std::string_view) -> named<E>;
template <class E, std::size_t N>
named(E, char const (&)[N]) -> named<E>;

/// How answers spell the enumerators of `E`, for enums that are not scoped, whose values are
/// outside [0, `enumerator_probes`), or whose names say too little. Specialise it: `template <>
/// inline constexpr auto lkt::enum_names<E> = std::array{lkt::named{E::a, "one"}};`
template <class E>
inline constexpr auto enum_names = nullptr;

} // namespace lkt
