// SPDX-License-Identifier: BSL-1.0
// Tests that a problem file declares.
#pragma once

#include <lkt/problems/detail/problem_reader.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail::problems {

void problem_reader::read_test(json_field const& item) {
    item.only({"name", "arguments"});
    declared_test test;
    test.name = item.find("name") ? item.at("name").text()
                                  : "declared test " + std::to_string(task_.tests.size() + 1);
    for (declared_test const& other : task_.tests)
        if (other.name == test.name)
            item.wrong_value("there are two tests called " + in_backticks(test.name, 40));
    for (auto const& [name, f] : item.at("arguments").members()) {
        std::size_t const i = declared_index(f, name);
        argument const& a = task_.signature.arguments[i];
        if (task_.flow(i) == direction::out)
            f.wrong_value("the kernel does not read " + name + " before a launch");
        if (!a.pointer && task_.arguments[i].value.text().find("ProblemSize") != std::string::npos)
            f.wrong_value(name + " follows from the size: it is " +
                          in_backticks(task_.arguments[i].value.text(), 40));
        declared_fill const fill = read_fill(f);
        if (!fill.inject.empty() && !is_floating(a.type.scalar))
            f.at("inject").wrong_value("the kernel declares " + in_backticks(a.spelling) +
                                       ", which has no special values");
        test.arguments.emplace_back(i, fill);
    }
    task_.tests.push_back(std::move(test));
}

/// What times are taken with, where T1 has no words for it.
void problem_reader::read_fills(json_field const& fills) {
    auto const domain = lkt_->find("domain");
    for (auto const& [name, f] : fills.members()) {
        std::size_t const i = declared_index(f, name);
        argument_spec& spec = task_.arguments[i];
        if (!task_.signature.arguments[i].pointer && !spec.random)
            f.wrong_value(name + " is a formula or a number, so it is not filled");
        declared_fill const fill = read_fill(f);
        if (!fill.inject.empty())
            f.wrong_value("special values are for lkt.tests: times are taken without them");
        spec.fill = fill.fill;
        // It says what is fair to test, too, where no domain does.
        if (!domain || !domain->find(name)) spec.min = spec.max = std::nullopt;
    }
}

namespace problem_parts {

double number_or(json_field const& f, std::string_view name, double otherwise) {
    auto const member = f.find(name);
    return member ? member->number() : otherwise;
}
double share_or(json_field const& f, std::string_view name, double otherwise) {
    double const share = number_or(f, name, otherwise);
    if (!(share >= 0 && share <= 1)) f.at(name).wrong_value("a share must be between 0 and 1");
    return share;
}

/// Each distribution with its parameters.
struct known_distribution {
    std::string_view name;
    std::vector<std::string_view> parameters;
};
std::vector<known_distribution> known_distributions() {
    return {{"uniform", {"low", "high"}},
            {"normal", {"mean", "stddev"}},
            {"sparse", {"fraction"}},
            {"constant", {"value"}},
            {"one_hot", {}},
            {"spikes", {"low", "high", "fraction"}},
            {"alternating", {}},
            {"extremes", {}},
            {"permutation", {}},
            {"indices", {"below"}},
            {"sorted", {}},
            {"cancellation", {"magnitude", "residual_low", "residual_high"}}};
}

/// `parameters` is an object; `name` is a known one.
distribution
distribution_of(std::string_view name, json_field const& parameters, expression const& below) {
    json_field const& f = parameters;
    if (name == "uniform") {
        uniform const u{number_or(f, "low", -1), number_or(f, "high", 1)};
        if (!(u.low <= u.high)) f.wrong_value("low is above high");
        return u;
    }
    if (name == "normal") {
        normal const n{number_or(f, "mean", 0), number_or(f, "stddev", 1)};
        if (!(n.stddev >= 0)) f.at("stddev").wrong_value("it is negative");
        return n;
    }
    if (name == "sparse") return sparse{share_or(f, "fraction", sparse{}.fraction)};
    if (name == "constant") return constant{f.at("value").number()};
    if (name == "one_hot") return one_hot{};
    if (name == "spikes") {
        spikes const usual;
        spikes const s{number_or(f, "low", usual.low),
                       number_or(f, "high", usual.high),
                       share_or(f, "fraction", usual.fraction)};
        if (!(s.low <= s.high)) f.wrong_value("low is above high");
        return s;
    }
    if (name == "alternating") return alternating{};
    if (name == "extremes") return extremes{};
    if (name == "permutation") return permutation{};
    if (name == "indices") return indices{below};
    if (name == "sorted") return ascending{};
    cancellation const usual;
    cancellation const c{number_or(f, "magnitude", usual.magnitude),
                         number_or(f, "residual_low", usual.residual_low),
                         number_or(f, "residual_high", usual.residual_high)};
    if (!(c.magnitude > 0)) f.at("magnitude").wrong_value("it is not above 0");
    if (!(c.residual_low <= c.residual_high)) f.wrong_value("residual_low is above residual_high");
    return c;
}

special_value special_of(json_field const& f) {
    static constexpr std::pair<std::string_view, special_value> known[] = {
        {"nan", special_value::nan},
        {"inf", special_value::infinity},
        {"-inf", special_value::minus_infinity},
        {"-0", special_value::minus_zero},
        {"denormal", special_value::denormal}};
    std::string const name = f.text();
    for (auto const& [spelling, value] : known)
        if (name == spelling) return value;
    f.wrong_value(in_backticks(name, 40) + " is not one of nan, inf, -inf, -0, denormal");
}

} // namespace problem_parts

/// `"one_hot"`, `{"distribution": "uniform", "low": 0}` or `{"uniform": {"low": 0}}`, the objects
/// with `inject` and `fraction` beside.
declared_fill problem_reader::read_fill(json_field const& f) const {
    using namespace problem_parts;
    auto const all = known_distributions();
    auto const find = [&](std::string_view name) {
        return std::find_if(all.begin(), all.end(), [&](auto const& d) { return d.name == name; });
    };
    auto const named = [&](json_field const& where) {
        std::string const name = where.text();
        std::string list;
        for (auto const& d : all) list += (list.empty() ? "" : ", ") + std::string(d.name);
        if (find(name) == all.end())
            where.wrong_value(in_backticks(name, 40) + " is not one of " + list);
        return name;
    };
    json::value const none = json::object();
    declared_fill fill;
    if (f.value().is_string()) {
        std::string const name = named(f);
        fill.fill = distribution_of(
            name, json_field(none, f.path()), below_of(name, json_field(none, f.path())));
        return fill;
    }
    // Where `distribution` names it, its parameters lie beside; else its name holds them.
    std::string name;
    std::optional<json_field> parameters;
    if (auto const d = f.find("distribution"); d && d->value().is_string()) {
        name = named(*d);
        parameters = f;
    } else {
        json_field const holder = d ? *d : f;
        for (auto const& [key, member] : holder.members()) {
            if (key == "inject" || key == "fraction") continue;
            if (find(key) == all.end()) (void)named(json_field(json::value(key), member.path()));
            if (parameters) f.wrong_value("there is more than one distribution");
            name = key;
            parameters = member;
        }
    }
    if (!parameters) {
        if (!f.find("inject")) f.wrong_value("there is neither a distribution nor inject");
        name = "uniform";
        parameters = json_field(none, f.path());
    }
    bool const beside = parameters->path() == f.path();
    for (auto const& [key, member] : parameters->members()) {
        auto const& own = find(name)->parameters;
        bool const known = std::find(own.begin(), own.end(), key) != own.end() ||
                           (beside && (key == "distribution" || key == "inject" ||
                                       (key == "fraction" && f.find("inject"))));
        if (!known) reject("field", member.path() + " is not a known field of " + name);
    }
    fill.fill = distribution_of(name, *parameters, below_of(name, *parameters));
    if (auto const list = f.find("inject")) {
        if (list->value().is_string())
            fill.inject.push_back(special_of(*list));
        else
            for (json_field const& item : list->items()) fill.inject.push_back(special_of(item));
        if (!(beside && name == "sparse")) fill.fraction = share_or(f, "fraction", fill.fraction);
    }
    return fill;
}

/// Of `indices`.
expression problem_reader::below_of(std::string const& name, json_field const& parameters) const {
    if (name != "indices") return 1;
    json_field const f = parameters.at("below");
    expression const below = formula(f);
    auto const n = below.evaluate_integer(scope_of(task_.size, {}));
    if (!n) f.wrong_value(n.error().message);
    if (*n < 1) f.wrong_value("there is no index below " + std::to_string(*n));
    return below;
}

} // namespace lkt::detail::problems
