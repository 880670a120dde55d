// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/described.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/schema.hpp>

#include "answers.hpp"

#include <limits>
#include <list>
#include <type_traits>

using namespace lkt;

namespace {

// Verdicts are values first; tests/compile_fail/llm has the sentences.
template <class T>
using defect = detail::answer_defect<T>;

struct no_list {
    int a{};
};
struct family {
    std::vector<family> children;
    using state_fields = lkt::fields<&family::children>;
};
struct even;
struct odd {
    std::map<std::string, even> next;
    using state_fields = lkt::fields<&odd::next>;
};
struct even {
    std::optional<odd> next;
    using state_fields = lkt::fields<&even::next>;
};
struct needs_value {
    explicit needs_value(int v) : value(v) {}
    int value;
    using state_fields = lkt::fields<&needs_value::value>;
};
struct letter {
    char c{};
    using state_fields = lkt::fields<&letter::c>;
};
struct deep {
    std::vector<std::optional<std::vector<std::list<int>>>> lists;
    using state_fields = lkt::fields<&deep::lists>;
};
enum unscoped { one, two };
enum class far_away { value = 100 };
enum class empty {};
struct with_kind {
    int kind{};
    using state_fields = lkt::fields<&with_kind::kind>;
};
struct part {
    int a{}, b{};
    std::vector<std::string> names;
    using state_fields = lkt::fields<&part::a, &part::names>;
};
struct foreign : part {
    static constexpr auto notes = lkt::notes(lkt::note<&part::b>("not listed"));
};
struct idle_items : part {
    static constexpr auto notes = lkt::notes(lkt::note<&part::a>("", lkt::items{1}));
};
struct idle_range : part {
    static constexpr auto notes = lkt::notes(lkt::note<&part::names>("", lkt::range{1}));
};
struct long_keys {
    std::vector<std::map<std::string, int>> counts;
    using state_fields = lkt::fields<&long_keys::counts>;
    static constexpr auto notes = lkt::notes(lkt::note<&long_keys::counts>("", lkt::length{1}));
};
struct idle_length : part {
    static constexpr auto notes = lkt::notes(lkt::note<&part::a>("", lkt::length{1}));
};
struct empty_range : part {
    static constexpr auto notes = lkt::notes(lkt::note<&part::a>("", lkt::range{2, 1}));
};
struct all_well : part {
    static constexpr auto notes =
        lkt::notes("About.", lkt::note<&part::names>("text", lkt::length{1, 2}, lkt::items{3, 4}));
};

} // namespace

TEST_CASE("a note holds a text and bounds") {
    constexpr auto list = all_well::notes;
    static_assert(list.about == "About." && list.each.size() == 1);
    constexpr answer_note note = list.each[0];
    static_assert(note.text == "text" && note.has_items && note.has_length && !note.has_range);
    CHECK(note.items.min == 3);
    CHECK(note.items.max == 4);
    CHECK(note.length.max == 2);
    CHECK(lkt::range{.max = 3}.min == -std::numeric_limits<double>::infinity());
    CHECK(notes("alone").each.empty());
}

TEST_CASE("answers may be made of these types") {
    static_assert(answer_struct<lkt_test::opinion> && answer_struct<lkt_test::plan>);
    static_assert(answer_struct<lkt_test::next_move> && answer_struct<lkt_test::argument_roles>);
    static_assert(answer_struct<all_well> && answer_struct<long_keys>);
    static_assert(answer_part<int> && !answer_struct<int>);
    static_assert(answer_part<signed char> && answer_part<unsigned long long>);
    static_assert(answer_part<lkt_test::precision>); // it has names of its own
    static_assert(std::is_void_v<defect<std::vector<std::map<std::string, std::array<bool, 2>>>>>);
    CHECK(answer_struct<lkt_test::accuracy>);
}

TEST_CASE("and of no others; the most fundamental defect is named") {
    static_assert(std::is_same_v<defect<no_list>, diagnostic::undescribed_struct<no_list>>);
    static_assert(std::is_same_v<defect<family>, diagnostic::recursive_struct<family>>);
    static_assert(std::is_same_v<defect<odd>, diagnostic::recursive_struct<odd>>);
    static_assert(
        std::is_same_v<defect<needs_value>, diagnostic::not_default_constructible<needs_value>>);
    static_assert(std::is_same_v<defect<letter>, diagnostic::no_answer_type<char>>);
    static_assert(std::is_same_v<defect<deep>, diagnostic::no_answer_type<std::list<int>>>);
    static_assert(std::is_same_v<defect<long double>, diagnostic::no_answer_type<long double>>);
    static_assert(std::is_same_v<defect<char const*>, diagnostic::no_answer_type<char const*>>);
    static_assert(
        std::is_same_v<defect<std::map<int, int>>, diagnostic::no_answer_type<std::map<int, int>>>);
    static_assert(std::is_same_v<defect<std::optional<std::optional<int>>>,
                                 diagnostic::no_answer_type<std::optional<std::optional<int>>>>);
    static_assert(std::is_same_v<defect<unscoped>, diagnostic::unnamed_enumerators<unscoped>>);
    static_assert(std::is_same_v<defect<far_away>, diagnostic::unnamed_enumerators<far_away>>);
    static_assert(std::is_same_v<defect<empty>, diagnostic::unnamed_enumerators<empty>>);
    using numbers = std::variant<int, double>;
    static_assert(std::is_same_v<defect<numbers>, diagnostic::ambiguous_variant<numbers>>);
    using kinds = std::variant<part, with_kind>;
    static_assert(std::is_same_v<defect<kinds>, diagnostic::ambiguous_variant<kinds>>);
    using duplicates = std::variant<part, part>;
    static_assert(std::is_same_v<defect<duplicates>, diagnostic::ambiguous_variant<duplicates>>);
    CHECK_FALSE(answer_part<std::variant<part, letter>>);
}

TEST_CASE("notes are checked too") {
    static_assert(std::is_same_v<defect<foreign>, diagnostic::foreign_note<foreign, &part::b>>);
    static_assert(std::is_same_v<defect<idle_items>, diagnostic::idle_bound<&part::a>>);
    static_assert(std::is_same_v<defect<idle_range>, diagnostic::idle_bound<&part::names>>);
    static_assert(std::is_same_v<defect<idle_length>, diagnostic::idle_bound<&part::a>>);
    static_assert(std::is_same_v<defect<empty_range>, diagnostic::empty_bound<&part::a>>);
    CHECK_FALSE(answer_struct<foreign>);
}
