// SPDX-License-Identifier: BSL-1.0
// Prompts as templates, checked at compile time against the struct that fills them.
#pragma once

#include <lkt/core/fields.hpp>
#include <lkt/core/result.hpp>
#include <lkt/llm/detail/prompt_syntax.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt {

namespace detail {

// The shortest text that reads back as the same number.
void append_number(std::string& out, long long value);
void append_number(std::string& out, unsigned long long value);
void append_number(std::string& out, float value);
void append_number(std::string& out, double value);
void append_number(std::string& out, long double value);
template <std::integral T>
void append_number(std::string& out, T value) {
    if constexpr (std::is_signed_v<T>)
        append_number(out, static_cast<long long>(value));
    else
        append_number(out, static_cast<unsigned long long>(value));
}

/// Writes the text of a member in a prompt; false if there is none: an optional without a value, or
/// an empty list.
template <class T>
bool append_value(std::string& out, T const& value) {
    if constexpr (std::convertible_to<T const&, std::string_view>) {
        out += std::string_view(value);
    } else if constexpr (std::integral<T> || std::floating_point<T>) {
        append_number(out, value);
    } else if constexpr (requires { *value, value.has_value(); }) {
        return value.has_value() && append_value(out, *value);
    } else {
        for (auto const& item : value) {
            if (&item != &*value.begin()) out += '\n';
            out += "- ";
            append_value(out, item);
        }
        return value.begin() != value.end();
    }
    return true;
}

template <class T>
inline constexpr bool is_word =
    std::convertible_to<T const&, std::string_view> ||
    (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>) ||
    std::floating_point<T>;
template <class T>
inline constexpr bool is_prompt_value = is_word<T>;
template <class T>
inline constexpr bool is_prompt_value<std::optional<T>> = is_prompt_value<T>;
template <class T>
inline constexpr bool is_prompt_value<std::vector<T>> = is_word<T>;

template <class Fields>
struct prompt_names;
template <auto... Members>
struct prompt_names<fields<Members...>> {
    static constexpr std::array<std::string_view, sizeof...(Members)> names{
        field<Members>::name...};
    template <class Words>
    static constexpr bool shown =
        (is_prompt_value<std::remove_cvref_t<decltype(std::declval<Words const&>().*Members)>> &&
         ...);
};
template <class Words>
inline constexpr auto names_in_prompts = prompt_names<typename Words::state_fields>::names;
template <class Words>
inline constexpr std::array<std::string_view, 0> names_required_in_prompts{};
template <class Words>
    requires requires { typename Words::required_fields; }
inline constexpr auto names_required_in_prompts<Words> =
    prompt_names<typename Words::required_fields>::names;

} // namespace detail

/// A text with placeholders `${name}`, each a member that `Words` lists as `state_fields`. Members
/// that `Words` lists as `required_fields` must occur.
///
/// A `$` without a following `{` is literal, and so is every brace: C, CUDA, WGSL and JSON need no
/// escapes in a prompt. `$${` gives `${`.
///
/// Members are texts, numbers (in their shortest form), optional ones of these, and vectors of
/// these, which become lists: each element on a line of its own, after `- `. Values are inserted as
/// they are; a `${name}` inside a value is plain text. If an optional has no value or a list is
/// empty, the line of its placeholder is left out; so is a paragraph (up to the next blank line)
/// that has lost all of its lines with placeholders.
///
/// ```
/// struct words {
///     std::string kernel;
///     std::optional<std::string> notes;
///     using state_fields = lkt::fields<&words::kernel, &words::notes>;
///     using required_fields = lkt::fields<&words::kernel>;
/// };
/// lkt::prompt<words> const p = "Make ${kernel} faster.\n\nNotes of the user:\n${notes}\n";
/// p.render({"f", {}}); // "Make f faster.\n"
/// ```
template <described Words>
class prompt {
    static_assert(detail::prompt_names<typename Words::state_fields>::template shown<Words>,
                  "[lkt.llm.prompt] Words has a member that a prompt cannot show: it needs texts, "
                  "numbers, optional ones of these, or vectors of them");

public:
    /// From a literal. A faulty one does not compile.
    template <std::size_t N>
    consteval prompt(char const (&text)[N]) : literal_(text, N - 1) {
        switch (prompt_syntax(literal_).kind) {
            using enum detail::prompt_defect::kinds;
        case none:
            break;
        case unclosed:
            diagnostic::refuse_prompt<Words>("[lkt.llm.prompt] A ${ has no } on its line", text);
            break;
        case unknown:
            diagnostic::refuse_prompt<Words>("[lkt.llm.prompt] A ${name} does not name a member",
                                             text);
            break;
        case missing:
            diagnostic::refuse_prompt<Words>("[lkt.llm.prompt] A required member is unused", text);
            break;
        }
    }

    /// Of a text that is known at run time only. Errors (rejected): `lkt.prompt.unknown`,
    /// `lkt.prompt.unclosed`, `lkt.prompt.missing`, with placeholder, line and the known names.
    [[nodiscard]] static result<prompt> parse(std::string_view text) {
        if (auto const wrong = prompt_syntax(text))
            return detail::prompt_error(wrong, detail::names_in_prompts<Words>);
        return prompt(text, at_run_time{});
    }

    /// As written, with its placeholders.
    [[nodiscard]] constexpr std::string_view text() const {
        return owned_.empty() ? literal_ : std::string_view(owned_.data(), owned_.size());
    }

    /// The text with the values of `words` in it. Linear in the size of the result.
    [[nodiscard]] std::string render(Words const& words) const {
        return detail::render_prompt(
            text(), &words, [](void const* address, std::string_view name, std::string& out) {
                bool there = false;
                for_each_field(*static_cast<Words const*>(address),
                               [&](std::string_view known, auto const& value) {
                                   if (known == name) there = detail::append_value(out, value);
                               });
                return there;
            });
    }

    friend constexpr bool operator==(prompt const& a, prompt const& b) {
        return a.text() == b.text();
    }

private:
    struct at_run_time {};
    prompt(std::string_view text, at_run_time) : owned_(text.begin(), text.end()) {}

    static constexpr detail::prompt_defect prompt_syntax(std::string_view text) {
        return detail::find_prompt_defect(
            text, detail::names_in_prompts<Words>, detail::names_required_in_prompts<Words>);
    }

    std::string_view literal_;
    std::vector<char> owned_; // no std::string: one that is empty cannot leave a consteval function
};

/// The struct of prompts without placeholders.
struct no_words {
    using state_fields = fields<>;
};

} // namespace lkt
