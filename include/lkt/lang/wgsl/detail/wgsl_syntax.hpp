// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl/detail/wgsl_tokens.hpp>

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

namespace lkt::detail::lang {

using wgsl_node_id = std::uint32_t;
inline constexpr wgsl_node_id no_node = std::numeric_limits<wgsl_node_id>::max();

/// A part of an expression, or of a type: both are names with template lists in WGSL.
struct wgsl_node {
    enum class sort : unsigned char { literal, name, call, unary, binary, index, member };
    sort what = sort::literal;
    std::size_t token = 0;               ///< the literal, the name or the operator
    std::vector<wgsl_node_id> templates; ///< of a name: what stands between < and >
    std::vector<wgsl_node_id> operands;  ///< of a call: the callee, then the arguments
    unsigned depth = 1;
};

/// `@name(arguments)`.
struct wgsl_attribute {
    std::size_t token = 0; ///< its name
    std::vector<wgsl_node_id> arguments;
};

/// A member of a struct, or a parameter of a function.
struct wgsl_field {
    std::size_t token = 0; ///< its name
    std::vector<wgsl_attribute> attributes;
    wgsl_node_id type = no_node;
    std::size_t begin = 0, end = 0; ///< tokens
};

/// What stands at module scope.
struct wgsl_declaration {
    enum class sort : unsigned char { constant, override, variable, alias, structure, function };
    sort what = sort::constant;
    std::size_t token = 0;          ///< its name
    std::size_t begin = 0, end = 0; ///< tokens, attributes included, without the semicolon
    std::vector<wgsl_attribute> attributes;
    std::vector<wgsl_node_id> templates; ///< of a variable: address space and access
    wgsl_node_id type = no_node;         ///< of a function: what it returns
    wgsl_node_id value = no_node;
    std::vector<wgsl_field> fields;           ///< members or parameters
    std::size_t body_begin = 0, body_end = 0; ///< of a function: tokens between the braces
};

/// A module as its text says it.
struct wgsl_syntax {
    std::vector<wgsl_token> tokens;
    std::vector<wgsl_node> nodes;
    std::vector<wgsl_declaration> declarations;
    std::unordered_map<std::string_view, std::size_t> by_name; ///< of declarations
    std::vector<std::string> enables, requirements;

    [[nodiscard]] wgsl_declaration const* find(std::string_view name) const {
        auto const found = by_name.find(name);
        return found == by_name.end() ? nullptr : &declarations[found->second];
    }
    [[nodiscard]] std::string_view name(wgsl_declaration const& d) const {
        return tokens[d.token].text;
    }
    [[nodiscard]] wgsl_attribute const* attribute(std::vector<wgsl_attribute> const& all,
                                                  std::string_view name) const {
        for (wgsl_attribute const& a : all)
            if (tokens[a.token].is(name)) return &a;
        return nullptr;
    }
    /// The text of [begin, end) as written, comments and line ends gone.
    [[nodiscard]] std::string spelling(std::size_t begin, std::size_t end) const {
        std::string text;
        for (std::size_t i = begin; i < end && text.size() < 400; ++i) {
            wgsl_token const& t = tokens[i];
            if (i > begin && t.begin > tokens[i - 1].begin + tokens[i - 1].text.size()) text += ' ';
            text += t.text;
        }
        return text;
    }
};

/// How strongly a binary operator binds, -1 for what is none.
inline int wgsl_precedence(wgsl_token const& t) {
    if (t.what != wgsl_token::sort::symbol) return -1;
    static constexpr std::pair<std::string_view, int> table[] = {{"||", 0},
                                                                 {"&&", 1},
                                                                 {"|", 2},
                                                                 {"^", 3},
                                                                 {"&", 4},
                                                                 {"==", 5},
                                                                 {"!=", 5},
                                                                 {"<", 5},
                                                                 {">", 5},
                                                                 {"<=", 5},
                                                                 {">=", 5},
                                                                 {"<<", 6},
                                                                 {">>", 6},
                                                                 {"+", 7},
                                                                 {"-", 7},
                                                                 {"*", 8},
                                                                 {"/", 8},
                                                                 {"%", 8}};
    for (auto const& [text, bound] : table)
        if (t.text == text) return bound;
    return -1;
}

} // namespace lkt::detail::lang
