// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/wgsl/wgsl_defaults.hpp>

#include <lkt/core/string_tools.hpp>
#include <lkt/lang/wgsl/detail/wgsl_parser.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>

#include <cstdint>

namespace lkt {

namespace detail::lang {

/// A number as a literal of that type.
std::string wgsl_literal(scalar_type type, double value) {
    switch (type) {
    case scalar_type::boolean:
        return value != 0 ? "true" : "false";
    case scalar_type::uint32:
        return std::to_string(static_cast<std::uint64_t>(value)) + "u";
    case scalar_type::float16:
        return real_text(value) + "h";
    case scalar_type::float32:
        return real_text(value) + "f";
    default:
        return std::to_string(static_cast<std::int64_t>(value));
    }
}

} // namespace detail::lang

result<std::variant<std::string, refused>> wgsl_with_defaults(kernel_source const& source,
                                                              configuration const& config) {
    namespace dl = detail::lang;
    auto const module = reflect_wgsl(source);
    if (!module) return module.error();
    auto values = override_values_of(*module, config);
    if (auto* no = std::get_if<refused>(&values)) return std::variant<std::string, refused>(*no);
    auto const& numbers = std::get<override_values>(values);
    auto tokens = dl::wgsl_lexer(source).run();
    if (!tokens) return tokens.error();
    auto const syntax = dl::wgsl_parser(source, std::move(*tokens)).run();
    if (!syntax) return syntax.error();
    std::string text;
    std::size_t at = 0;
    for (dl::wgsl_declaration const& d : syntax->declarations) {
        if (d.what != dl::wgsl_declaration::sort::override) continue;
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            if (config.values[k].first != syntax->name(d)) continue;
            scalar_type type = scalar_type::int32;
            for (wgsl_override const& o : module->overrides)
                if (o.name == syntax->name(d)) type = o.type;
            std::size_t const semicolon = syntax->tokens[d.end].begin;
            std::size_t begin = semicolon;
            for (std::size_t t = d.token; t < d.end && begin == semicolon; ++t)
                if (syntax->tokens[t].is("=")) begin = syntax->tokens[t].begin;
            text += source.text.substr(at, begin - at);
            text += (begin == semicolon ? " = " : "= ") + dl::wgsl_literal(type, numbers[k].second);
            at = semicolon;
        }
    }
    return std::variant<std::string, refused>(text + source.text.substr(at));
}

} // namespace lkt
