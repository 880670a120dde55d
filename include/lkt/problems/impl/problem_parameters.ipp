// SPDX-License-Identifier: BSL-1.0
// Tuning parameters of a problem file.
#pragma once

#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/lang/expression/parse_parameter.hpp>
#include <lkt/problems/detail/problem_reader.hpp>
#include <lkt/problems/detail/python_list.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace lkt::detail::problems {

void problem_reader::read_space(json_field const& space) {
    space.check_spelling({"TuningParameters", "Conditions"});
    if (auto const list = space.find("TuningParameters"))
        for (json_field const& item : list->items()) read_parameter(item);
    if (auto const list = space.find("Conditions"))
        for (json_field const& item : list->items()) {
            item.check_spelling({"Expression", "Parameters"});
            json_field const text = item.at("Expression");
            expression const condition = formula(text);
            for (std::string const& name : condition.names())
                if (parameter(name) == nullptr)
                    text.wrong_value("unknown tuning parameter " + in_backticks(name, 40),
                                     right_name(name));
            task_.restrictions.push_back(condition);
        }
}

void problem_reader::read_parameter(json_field const& item) {
    item.check_spelling({"Name", "Type", "Values", "Default"});
    tunable_parameter p;
    p.name = item.at("Name").text();
    if (!is_identifier(p.name))
        item.at("Name").wrong_value(in_backticks(p.name, 40) + " is not an identifier");
    if (parameter(p.name) != nullptr)
        item.at("Name").wrong_value("there are two parameters called " + p.name);
    std::string const type = item.find("Type") ? item.at("Type").text() : "";
    for (std::string_view const known : {"", "int", "uint", "float", "bool", "string"})
        if (type == known) p.values = values_of_parameter(item.at("Values"), type);
    if (p.values.empty() && type != "int" && type != "uint" && type != "float" && type != "bool" &&
        type != "string" && !type.empty())
        item.at("Type").wrong_value(in_backticks(type, 40) +
                                    " is not one of int, uint, float, bool, string");
    if (p.values.empty()) item.at("Values").wrong_value("there are no values");
    if (auto const e = settle_values(p.name, p.values)) item.at("Values").wrong_value(e->message);
    if (auto const d = item.find("Default")) choose_default(p, *d, type);
    task_.parameters.push_back(std::move(p));
}

tunable_parameter const* problem_reader::parameter(std::string_view name) const {
    for (tunable_parameter const& p : task_.parameters)
        if (p.name == name) return &p;
    return nullptr;
}

parameter_value problem_reader::plain_value(json_field const& f) {
    json::value const& v = f.value();
    if (v.is_bool()) return v.get_bool();
    if (v.is_string()) return f.text();
    if (v.is_double()) return v.get_double();
    return f.integer();
}

std::vector<parameter_value> problem_reader::values_of_parameter(json_field const& f,
                                                                 std::string const& type) const {
    std::vector<parameter_value> values;
    if (f.value().is_array()) {
        for (json_field const& item : f.items()) values.push_back(plain_value(item));
    } else if (f.value().is_string()) {
        auto read = python_list::read(f.text());
        if (!read) reject("value", f.path() + ": " + read.error().message, read.error().hint);
        values = std::move(*read);
    } else {
        f.wrong_type("a list of values, as JSON or as a Python expression");
    }
    for (parameter_value& v : values) v = converted(f, std::move(v), type);
    return values;
}

parameter_value
problem_reader::converted(json_field const& f, parameter_value v, std::string const& type) {
    auto const* i = std::get_if<std::int64_t>(&v);
    auto const* d = std::get_if<double>(&v);
    auto const* b = std::get_if<bool>(&v);
    bool const text = std::holds_alternative<std::string>(v);
    if ((type == "int" || type == "uint") && d != nullptr && std::trunc(*d) == *d &&
        std::fabs(*d) < 9e15)
        return static_cast<std::int64_t>(*d);
    if ((type == "int" || type == "uint") && b != nullptr) return std::int64_t{*b};
    if (type == "float" && i != nullptr) return static_cast<double>(*i);
    if (type == "bool" && i != nullptr && (*i == 0 || *i == 1)) return *i == 1;
    bool const fits = type.empty() || (type == "int" && i != nullptr) ||
                      (type == "uint" && i != nullptr && *i >= 0) ||
                      (type == "float" && d != nullptr) || (type == "bool" && b != nullptr) ||
                      (type == "string" && text);
    if (!fits) f.wrong_value(value_text(v) + " is not a value of type " + type);
    return v;
}

/// The default comes first. Files in use have defaults that are not among the values.
void problem_reader::choose_default(tunable_parameter& p,
                                    json_field const& f,
                                    std::string const& type) {
    std::vector<json_field> one;
    if (f.value().is_array()) one = f.items();
    if (one.size() > 1) f.wrong_type("one value");
    json_field const& single = one.empty() ? f : one.front();
    if (f.value().is_array() && one.empty()) f.wrong_type("one value");
    parameter_value v = converted(f, plain_value(single), type);
    if (auto const* i = std::get_if<std::int64_t>(&v);
        i != nullptr && std::holds_alternative<double>(p.values.front()))
        v = static_cast<double>(*i);
    auto const at = std::find(p.values.begin(), p.values.end(), v);
    if (at == p.values.end())
        out_.warnings.push_back(f.path() + ": " + value_text(v) + " is not among the values of " +
                                p.name + "; the default is " + value_text(p.values.front()));
    else
        std::rotate(p.values.begin(), at, at + 1);
}

} // namespace lkt::detail::problems
