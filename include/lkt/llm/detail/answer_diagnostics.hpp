// SPDX-License-Identifier: BSL-1.0
// What is no answer: one class template a defect, of which exactly one is instantiated.
#pragma once

#include <type_traits>

namespace lkt {

namespace diagnostic {

template <class Answer>
struct answer_is_no_object {
    static_assert(!std::is_same_v<Answer, Answer>,
                  "[lkt.llm.answer] Answer is not a struct that lists its members, and servers "
                  "accept nothing else: put it into such a struct");
};
template <class Struct>
struct undescribed_struct {
    static_assert(!std::is_same_v<Struct, Struct>,
                  "[lkt.llm.answer] Struct does not list its members: using state_fields = "
                  "lkt::fields<&Struct::member, ...>;");
};
template <class Struct>
struct recursive_struct {
    static_assert(!std::is_same_v<Struct, Struct>,
                  "[lkt.llm.answer] Struct contains itself, so an answer could be endless: refer "
                  "to the parts by index or by name instead");
};
template <class Type>
struct no_answer_type {
    static_assert(!std::is_same_v<Type, Type>,
                  "[lkt.llm.answer] Type cannot be read from an answer: use bool, integers, float, "
                  "double, std::string, enums, std::optional, std::vector, std::array, "
                  "std::map<std::string, ...>, std::variant of structs, or structs of these");
};
template <class Struct>
struct not_default_constructible {
    static_assert(!std::is_same_v<Struct, Struct>,
                  "[lkt.llm.answer] Struct needs a default constructor: its members are filled in "
                  "one by one");
};
template <class Enum>
struct unnamed_enumerators {
    static_assert(!std::is_same_v<Enum, Enum>,
                  "[lkt.llm.answer] Enum has no enumerators that lkt can find (scoped, from 0 to "
                  "63): specialise lkt::enum_names<Enum>");
};
template <class Variant>
struct ambiguous_variant {
    static_assert(!std::is_same_v<Variant, Variant>,
                  "[lkt.llm.answer] Variant has an alternative that is not a struct with its own "
                  "name and without a member called kind: the kind tells them apart");
};
template <class Struct, auto Member>
struct foreign_note {
    static_assert(
        !std::is_same_v<Struct, Struct>,
        "[lkt.llm.answer-note] Struct has a note on Member, which its state_fields do not "
        "list");
};
template <auto Member>
struct idle_bound {
    static_assert(
        !std::is_same_v<decltype(Member), decltype(Member)>,
        "[lkt.llm.answer-note] Member has a bound that its type does not support: items is "
        "for lists and maps, range for numbers, length for texts");
};
template <auto Member>
struct empty_bound {
    static_assert(!std::is_same_v<decltype(Member), decltype(Member)>,
                  "[lkt.llm.answer-note] Member has a bound that nothing satisfies: the minimum is "
                  "above the maximum");
};

} // namespace diagnostic

} // namespace lkt
