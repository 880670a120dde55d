// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/definitions.hpp>

#include <lkt/lang/detail/template_names.hpp>
#include <lkt/lang/tuned_text.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/lang/wgsl/wgsl_defaults.hpp>

#include <lkt/core/string_tools.hpp>
#include <lkt/lang/cuda/named_numbers.hpp>
#include <lkt/lang/cuda/tokens.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>

namespace lkt::detail::lang {

/// Words before a name that do not make a declaration of it: `return BLOCK;`.
bool precedes_a_use(token const& t) {
    for (std::string_view const word : {"return",
                                        "case",
                                        "else",
                                        "do",
                                        "goto",
                                        "throw",
                                        "sizeof",
                                        "and",
                                        "or",
                                        "not",
                                        "co_return",
                                        "in"})
        if (t.is(word)) return true;
    return false;
}

/// `constexpr int BLOCK = 16`, `const int BLOCK{16}`, `enum { BLOCK = 16 }`, `int BLOCK;`.
std::optional<refused> own_declaration(std::vector<token> const& tokens,
                                       configuration const& config,
                                       std::set<std::string> const& bound) {
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
        token const& t = tokens[i];
        if (t.directive || t.kind != token_kind::identifier || config.find(t.text) == nullptr ||
            bound.contains(t.text))
            continue;
        token const& before = tokens[i - 1];
        token const& after = tokens[i + 1];
        bool const type_before =
            before.kind == token_kind::identifier && !precedes_a_use(before) && !before.directive;
        bool const declares = type_before && (after.is("=") || after.is(";") || after.is("{") ||
                                              after.is(",") || after.is(")"));
        bool const enumerator = (before.is("{") || before.is(",")) && after.is("=");
        if (declares || enumerator)
            return refused{before.text + " " + t.text,
                           "the text declares the tunable parameter " + t.text +
                               " itself; delete the declaration, or write #define",
                           t.where};
    }
    return {};
}

/// `text` without the definitions of the names that `defined` knows.
template <class Defined>
std::string without_own_definitions(std::string_view text,
                                    std::vector<token> const& tokens,
                                    Defined const& defined) {
    std::string kept;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        if (!tokens[i].directive || !tokens[i].first) continue;
        if (!tokens[i + 1].is("define") && !tokens[i + 1].is("undef")) continue;
        if (!tokens[i + 2].directive || !defined(tokens[i + 2].text)) continue;
        std::size_t last = i + 2;
        while (last + 1 < tokens.size() && tokens[last + 1].directive && !tokens[last + 1].first)
            ++last;
        std::string_view const line =
            text.substr(tokens[i].begin, tokens[last].end - tokens[i].begin);
        kept += text.substr(at, tokens[i].begin - at);
        for (char const c : line)
            if (c == '\n') kept += c;
        at = tokens[last].end;
        i = last;
    }
    kept += text.substr(at);
    return kept;
}

/// WGSL's text stays as it is; the values reach the pipeline beside it.
result<std::variant<std::string, refused>> with_overrides(kernel_source const& source,
                                                          configuration const& config) {
    auto const module = reflect_wgsl(source);
    if (!module) return module.error();
    auto values = override_values_of(*module, config);
    if (auto* no = std::get_if<refused>(&values)) return std::variant<std::string, refused>(*no);
    return std::variant<std::string, refused>(source.text);
}

} // namespace lkt::detail::lang

namespace lkt {

result<std::variant<tuned_text, refused>> tuned_text_of(kernel_source const& source,
                                                        configuration const& config) {
    namespace dl = detail::lang;
    using either = std::variant<tuned_text, refused>;
    if (source.language == language::wgsl) {
        auto text = wgsl_with_defaults(source, config);
        if (!text) return text.error();
        if (auto* no = std::get_if<refused>(&*text)) return either(std::move(*no));
        return either(tuned_text{{}, std::move(std::get<std::string>(*text))});
    }
    auto const tokens = tokenize(source.text);
    if (!tokens) return tokens.error();
    std::set<std::string> const bound = dl::template_names(*tokens);
    if (auto declared = dl::own_declaration(*tokens, config, bound))
        return either(std::move(*declared));
    tuned_text made;
    for (auto const& [name, value] : config.values) {
        if (!is_identifier(name))
            return error{condition::rejected,
                         "lkt.parameter.name",
                         "the parameter's name " + in_backticks(name, 40) + " is not an identifier",
                         {}};
        std::string meaning = definition_text(value);
        if (meaning.find_first_of("\r\n\\") != std::string::npos)
            return error{condition::rejected,
                         "lkt.parameter.text",
                         "the value " + in_backticks(meaning, 40) + " of " + name +
                             " contains a line break or a backslash",
                         {}};
        if (!bound.contains(name)) made.macros.emplace_back(name, std::move(meaning));
    }
    made.text = dl::without_own_definitions(source.text, *tokens, [&](std::string const& name) {
        return config.find(name) != nullptr;
    });
    return either(std::move(made));
}

result<std::variant<std::string, refused>> with_definitions(kernel_source const& source,
                                                            configuration const& config) {
    if (source.language == language::wgsl) return detail::lang::with_overrides(source, config);
    auto made = tuned_text_of(source, config);
    if (!made) return made.error();
    if (auto* no = std::get_if<refused>(&*made))
        return std::variant<std::string, refused>(std::move(*no));
    auto const& tuned = std::get<tuned_text>(*made);
    std::string text;
    for (auto const& [name, meaning] : tuned.macros)
        text += "#define " + name + " " + meaning + "\n";
    std::string origin;
    for (char const c : source.origin)
        if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20) origin += c;
    text += "#line 1 \"" + (origin.empty() ? "kernel" : origin) + "\"\n";
    return std::variant<std::string, refused>(text + tuned.text);
}

std::string without_definitions(std::string_view text, std::vector<std::string> const& names) {
    auto const tokens = tokenize(text);
    if (!tokens) return std::string(text);
    return detail::lang::without_own_definitions(text, *tokens, [&](std::string const& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    });
}

configuration names_of_maps(kernel_source const& source,
                            std::vector<tensor_map> const& maps,
                            configuration const& config) {
    configuration names = config;
    std::vector<std::string> wanted;
    for (tensor_map const& map : maps)
        for (expression const& e : map.expressions())
            for (std::string const& name : e.names())
                if (names.find(name) == nullptr) wanted.push_back(name);
    if (wanted.empty()) return names;
    auto const text = with_definitions(source, config);
    if (text && std::holds_alternative<std::string>(*text))
        for (auto const& [name, number] : named_numbers(std::get<std::string>(*text), wanted))
            names.values.emplace_back(name, number);
    return names;
}

} // namespace lkt
