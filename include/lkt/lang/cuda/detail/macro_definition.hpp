// SPDX-License-Identifier: BSL-1.0
// A macro as its line has it.
#pragma once

#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::lang {

/// A token on its way through the macros.
struct pp_token {
    token tok;
    bool blank = false;      ///< white space stands before it
    bool painted = false;    ///< a macro's name within that macro's expansion: left alone for ever
    bool from_macro = false; ///< was not there in the text
    bool literal_hash = false; ///< `#` or `##` that is no operator
};

struct macro_definition {
    enum class about : unsigned char { text, line };
    std::vector<pp_token> body;
    std::vector<std::string> parameters; ///< the last one is the rest if `variadic`
    bool function_like = false, variadic = false;
    about asks = about::text; ///< `__LINE__` asks for its line
    int busy = 0;             ///< how many expansions of it are being read

    /// Whether the token at `k` of the body is the operator `##`.
    [[nodiscard]] bool is_paste(std::size_t k) const {
        return k < body.size() && body[k].tok.is("##") && !body[k].literal_hash;
    }
    [[nodiscard]] std::optional<std::size_t> parameter(token const& t) const {
        if (!function_like || t.kind != token_kind::identifier) return {};
        auto const found = std::find(parameters.begin(), parameters.end(), t.text);
        if (found == parameters.end()) return {};
        return static_cast<std::size_t>(found - parameters.begin());
    }
};

/// Why compilers do not agree on what this token is; empty where they do.
[[nodiscard]] inline std::string_view disagreed_on(token const& t) {
    if (t.text.find('\r') != std::string::npos)
        return "a raw string has lines that end in a carriage return";
    if (t.kind == token_kind::string || t.kind == token_kind::character)
        return t.text.ends_with('"') || t.text.ends_with('\'')
                   ? std::string_view{}
                   : "a name touches this literal; put a space between them";
    if (t.kind != token_kind::identifier && t.kind != token_kind::number) return {};
    for (char const c : t.text)
        if (c == '$' || c == '\\' || static_cast<unsigned char>(c) >= 0x80)
            return "use plain letters, digits and _ in a name";
    bool const hexadecimal = t.text.starts_with("0x") || t.text.starts_with("0X");
    if (t.kind == token_kind::number && t.text.find('\'') != std::string::npos &&
        t.text.find_first_of("+-") != std::string::npos)
        return "a number cannot have both an exponent and grouped digits";
    if (t.kind == token_kind::number && !hexadecimal)
        for (auto const sign : {"p+", "p-", "P+", "P-"})
            if (t.text.find(sign) != std::string::npos)
                return "an exponent of two needs a hexadecimal number";
    return {};
}

/// Names that no text may define: what the preprocessor itself means by them.
[[nodiscard]] inline bool belongs_to_the_preprocessor(std::string_view name) {
    static constexpr auto names = std::to_array<std::string_view>(
        {"defined", "__VA_ARGS__", "__VA_OPT__", "_Pragma", "__FILE__", "__LINE__"});
    return name.starts_with("__has_") || std::find(names.begin(), names.end(), name) != names.end();
}
/// Words that are operators in C++, and no names for macros.
[[nodiscard]] inline bool is_operator_word(std::string_view name) {
    static constexpr auto words = std::to_array<std::string_view>({"and",
                                                                   "and_eq",
                                                                   "bitand",
                                                                   "bitor",
                                                                   "compl",
                                                                   "not",
                                                                   "not_eq",
                                                                   "or",
                                                                   "or_eq",
                                                                   "xor",
                                                                   "xor_eq"});
    return std::find(words.begin(), words.end(), name) != words.end();
}

/// A `#define` line behind the word `define`. The name, or what is wrong with the line.
struct read_definition {
    std::string name, defect;
    macro_definition macro;
};
[[nodiscard]] inline read_definition read_define(std::vector<pp_token> const& line) {
    read_definition r;
    auto const fail = [&r](std::string what) {
        r.defect = std::move(what);
        return std::move(r);
    };
    if (line.empty() || line[0].tok.kind != token_kind::identifier)
        return fail("#define lacks a name");
    r.name = line[0].tok.text;
    if (belongs_to_the_preprocessor(r.name) || is_operator_word(r.name))
        return fail("`" + r.name + "` is not a valid macro name");
    auto& m = r.macro;
    std::size_t at = 1;
    if (at < line.size() && line[at].tok.is("(") && !line[at].blank) {
        m.function_like = true;
        ++at;
        for (bool first = true; at < line.size() && !line[at].tok.is(")"); first = false) {
            if (m.variadic) return fail("a macro has parameters after `...`");
            if (!first && !line[at++].tok.is(","))
                return fail("a comma is missing between parameters");
            if (at >= line.size()) break;
            auto const& t = line[at++].tok;
            if (t.is("...")) {
                m.parameters.emplace_back("__VA_ARGS__");
                m.variadic = true;
                continue;
            }
            if (t.kind != token_kind::identifier || m.parameter(t) || t.is("__VA_ARGS__"))
                return fail("`" + t.text + "` is not a valid macro parameter");
            m.parameters.push_back(t.text);
            if (at < line.size() && line[at].tok.is("...")) {
                m.variadic = true;
                ++at;
            }
        }
        if (at >= line.size() || !line[at].tok.is(")"))
            return fail("the parameter list of the macro " + r.name + " is never closed");
        ++at;
    }
    m.body.assign(line.begin() + static_cast<std::ptrdiff_t>(at), line.end());
    for (std::size_t k = 0; k < m.body.size(); ++k) {
        auto const& t = m.body[k].tok;
        if (t.is("__VA_OPT__")) return fail("write `, ## __VA_ARGS__` in place of __VA_OPT__");
        if (t.is("__VA_ARGS__") && !m.parameter(t))
            return fail("__VA_ARGS__ is used outside a variadic macro");
        if (m.is_paste(k) && (k == 0 || k + 1 == m.body.size() || m.is_paste(k + 1)))
            return fail("`##` is at the start or end of a macro, or beside another `##`");
        if (m.is_paste(k) && m.body[k - 1].tok.is(",") && k + 2 < m.body.size() &&
            m.is_paste(k + 2))
            return fail("a comma is pasted to more than the rest of the arguments");
        if (m.function_like && t.is("#") &&
            (k + 1 == m.body.size() || !m.parameter(m.body[k + 1].tok)))
            return fail("`#` is not followed by a parameter of the macro");
        if (t.kind == token_kind::string && t.text.find('\n') != std::string::npos)
            return fail("a raw string of several lines is in a preprocessor line");
    }
    for (auto& t : m.body)
        if (!m.function_like && t.tok.is("#")) t.literal_hash = true;
    if (!m.body.empty()) m.body.front().blank = false;
    return r;
}

} // namespace lkt::detail::lang
