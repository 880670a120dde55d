// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/expression/parameters.hpp>

#include <lkt/core/string_tools.hpp>

namespace lkt {

parameter_value const* configuration::find(std::string_view name) const {
    for (auto const& [n, v] : values)
        if (n == name) return &v;
    return nullptr;
}

std::string value_text(parameter_value const& value) {
    if (auto const* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
    if (auto const* d = std::get_if<double>(&value)) return real_text(*d);
    if (auto const* b = std::get_if<bool>(&value)) return *b ? "True" : "False";
    std::string text = "'";
    for (char const c : std::get<std::string>(value)) {
        if (c == '\\' || c == '\'') text += '\\';
        text += c;
    }
    return text + "'";
}

std::string definition_text(parameter_value const& value) {
    if (auto const* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
    if (auto const* s = std::get_if<std::string>(&value)) return *s;
    return value_text(value);
}

std::string to_string(configuration const& config) {
    std::string text;
    for (auto const& [name, value] : config.values)
        text += (text.empty() ? "" : ", ") + name + "=" + value_text(value);
    return text;
}

std::string to_string(tunable_parameter const& parameter) {
    std::string text = parameter.name;
    for (std::size_t i = 0; i < parameter.values.size(); ++i)
        text += (i == 0 ? "=" : ",") + value_text(parameter.values[i]);
    return text;
}

configuration default_configuration(std::vector<tunable_parameter> const& parameters) {
    configuration config;
    for (tunable_parameter const& p : parameters)
        if (!p.values.empty()) config.values.emplace_back(p.name, p.values.front());
    return config;
}

} // namespace lkt
