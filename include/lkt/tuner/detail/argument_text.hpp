// SPDX-License-Identifier: BSL-1.0
// `EXPR[:FILL][:in|out|inout]`: what a user says of one argument, on one line.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/expression/expression.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail {

inline error argument_error(std::string message, std::string hint) {
    return {condition::rejected, "lkt.problem.argument", std::move(message), std::move(hint)};
}

/// Splits at `separator` outside brackets.
inline std::vector<std::string> split_outside_brackets(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (char const c : text) {
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        if (c == separator && depth <= 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

inline std::optional<double> finite_number(std::string const& text) {
    double value = 0;
    auto const end = text.data() + text.size();
    auto const [stop, fault] = std::from_chars(text.data(), end, value);
    if (fault != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
    return value;
}

/// `uniform(-1,1)`, `normal(0,1)`, `constant(0)`, `indices(N)`.
inline result<distribution> parse_fill(std::string const& text) {
    auto const unknown = [&] {
        return argument_error("'" + text + "' is not a way to fill a buffer",
                              "write uniform(LOW,HIGH), normal(MEAN,STDDEV), constant(VALUE) or "
                              "indices(BELOW), or in, out, inout for the direction");
    };
    auto const open = text.find('(');
    if (open == std::string::npos || text.back() != ')') return unknown();
    auto const name = text.substr(0, open);
    auto const inside = text.substr(open + 1, text.size() - open - 2);
    if (name == "indices") {
        auto below = expression::parse(inside);
        if (!below) return below.error();
        return distribution(indices{*below});
    }
    std::vector<double> values;
    for (auto const& part : split_outside_brackets(inside, ',')) {
        auto const value = finite_number(part);
        if (!value) return unknown();
        values.push_back(*value);
    }
    if (name == "uniform" && values.size() == 2 && values[0] <= values[1])
        return distribution(uniform{values[0], values[1]});
    if (name == "normal" && values.size() == 2 && values[1] >= 0)
        return distribution(normal{values[0], values[1]});
    if (name == "constant" && values.size() == 1) return distribution(constant{values[0]});
    return unknown();
}

/// Elements of a buffer with how they are drawn and which way they flow, or a scalar's value.
inline result<argument_spec> parse_argument_spec(argument const& declared, std::string_view text) {
    argument_spec spec;
    auto const parts = split_outside_brackets(text, ':');
    auto amount = expression::parse(parts[0]);
    if (!amount) {
        error wrong = amount.error();
        wrong.message = "argument `" + declared.name + "`: " + wrong.message;
        return wrong;
    }
    (declared.pointer ? spec.count : spec.value) = std::move(*amount);
    if (!declared.pointer && parts.size() > 1)
        return argument_error("the scalar `" + declared.name + "` takes only a value",
                              "drop ':" + parts[1] + "'");
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i] == "in") {
            spec.flow = direction::in;
        } else if (parts[i] == "out") {
            spec.flow = direction::out;
        } else if (parts[i] == "inout") {
            spec.flow = direction::inout;
        } else {
            auto fill = parse_fill(parts[i]);
            if (!fill) return fill.error();
            spec.fill = std::move(*fill);
        }
    }
    return spec;
}

} // namespace lkt::detail
