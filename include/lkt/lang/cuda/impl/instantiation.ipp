// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/cuda/instantiation.hpp>

#include <lkt/lang/cuda/scope_walker.hpp>

#include <utility>

namespace lkt {

namespace detail::lang {

/// `outer::name` of the kernel called `name`: where its definition stands among the namespaces.
std::string qualified_name(std::vector<token> const& tokens, std::string const& name) {
    if (name.find("::") != name.npos) return name;
    scope_walker scopes(tokens);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        scopes.past(i);
        if (!tokens[i].is("__global__")) continue;
        for (auto k = i + 1; k + 1 < tokens.size(); ++k) {
            if (tokens[k].is("{") || tokens[k].is(";")) break;
            if (tokens[k].text == name && tokens[k + 1].is("("))
                return scopes.qualification() + name;
        }
    }
    return name;
}

/// The last identifier before a default: `int TILE = 16` is called TILE.
std::string name_of_parameter(std::string const& declaration) {
    std::string name;
    if (auto const words = tokenize(declaration))
        for (auto const& w : *words) {
            if (w.is("=")) break;
            if (w.kind == token_kind::identifier) name = w.text;
        }
    return name;
}

} // namespace detail::lang

std::variant<std::string, refused> instantiation(std::vector<token> const& tokens,
                                                 signature const& s,
                                                 configuration const& definitions) {
    auto const bracket = s.name.find('<');
    auto name = detail::lang::qualified_name(tokens, s.name.substr(0, bracket));
    if (bracket != s.name.npos) { // arguments may name tunable parameters
        auto const words = tokenize(s.name.substr(bracket));
        if (!words) return refused{s.name, "its template arguments are not C++", {s.line, 0}};
        for (auto const& w : *words) {
            auto const* const value =
                w.kind == token_kind::identifier ? definitions.find(w.text) : nullptr;
            name += (value != nullptr ? definition_text(*value) : w.text) + " ";
        }
        return name;
    }
    std::string list;
    for (auto const& parameter : s.template_parameters) {
        auto const called = detail::lang::name_of_parameter(parameter);
        if (auto const* const value = definitions.find(called)) {
            list += (list.empty() ? "" : ", ") + definition_text(*value);
            continue;
        }
        if (parameter.find('=') != parameter.npos) break;
        bool const type = parameter.starts_with("typename") || parameter.starts_with("class");
        return refused{"template <" + parameter + "> " + s.name,
                       "the template parameter " + called +
                           " has no value; name the kernel with its arguments, as in " + s.name +
                           (type ? "<float>" : "<16>") + ", or define a parameter " + called,
                       {s.line, 0}};
    }
    return s.template_parameters.empty() ? name : name + "<" + list + ">";
}

} // namespace lkt
