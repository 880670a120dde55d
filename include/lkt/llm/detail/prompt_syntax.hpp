// SPDX-License-Identifier: BSL-1.0
// How the text of a prompt is read; see <lkt/llm/prompt.hpp>.
#pragma once

#include <lkt/core/error.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace lkt::diagnostic {

/// Not constexpr: a constant expression that gets here does not compile, and its line is shown.
template <class Words>
void refuse_prompt(char const*, char const*) {}

} // namespace lkt::diagnostic

namespace lkt::detail {

/// The first thing that is wrong with a text.
struct prompt_defect {
    enum class kinds : unsigned char { none, unclosed, unknown, missing };
    kinds kind = kinds::none;
    std::string_view name; ///< between the braces; of an unclosed one, the rest of its line
    std::size_t line = 0;  ///< counted from 1; 0 of what is missing

    constexpr explicit operator bool() const { return kind != kinds::none; }
};

/// A stretch of a prompt.
struct prompt_piece {
    enum class kinds : unsigned char { text, placeholder, unclosed };
    kinds kind = kinds::text;
    std::string_view text; ///< of a placeholder, its name
    std::size_t size = 0;  ///< in the source
};

/// The first piece of `rest`, which is not empty.
[[nodiscard]] constexpr prompt_piece next_piece(std::string_view rest) {
    if (rest.starts_with("$${")) return {prompt_piece::kinds::text, rest.substr(1, 2), 3};
    if (rest.starts_with("${")) {
        std::size_t const end = rest.find_first_of("}\n", 2);
        if (end == rest.npos || rest[end] == '\n')
            return {prompt_piece::kinds::unclosed, rest.substr(2, end - 2), 2};
        return {prompt_piece::kinds::placeholder, rest.substr(2, end - 2), end + 1};
    }
    std::string_view const text = rest.substr(0, rest.find('$', 1));
    return {prompt_piece::kinds::text, text, text.size()};
}

[[nodiscard]] constexpr bool holds(std::span<std::string_view const> names, std::string_view name) {
    for (std::string_view const each : names)
        if (each == name) return true;
    return false;
}

[[nodiscard]] constexpr bool uses(std::string_view text, std::string_view name) {
    while (!text.empty()) {
        prompt_piece const piece = next_piece(text);
        if (piece.kind == prompt_piece::kinds::placeholder && piece.text == name) return true;
        text.remove_prefix(piece.size);
    }
    return false;
}

[[nodiscard]] constexpr prompt_defect
find_prompt_defect(std::string_view text,
                   std::span<std::string_view const> known,
                   std::span<std::string_view const> required) {
    using enum prompt_defect::kinds;
    std::size_t line = 1;
    for (std::string_view rest = text; !rest.empty();) {
        prompt_piece const piece = next_piece(rest);
        if (piece.kind == prompt_piece::kinds::unclosed) return {unclosed, piece.text, line};
        if (piece.kind == prompt_piece::kinds::placeholder && !holds(known, piece.text))
            return {unknown, piece.text, line};
        for (char const c : piece.text) line += c == '\n';
        rest.remove_prefix(piece.size);
    }
    for (std::string_view const name : required)
        if (!uses(text, name)) return {missing, name, 0};
    return {};
}

[[nodiscard]] error prompt_error(prompt_defect const& wrong,
                                 std::span<std::string_view const> known);

/// Appends the value of the member `name`; false where it has none.
using append_call = bool (*)(void const* words, std::string_view name, std::string& out);

[[nodiscard]] std::string render_prompt(std::string_view text, void const* words, append_call call);

} // namespace lkt::detail
