// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/expression.hpp>
#include <lkt/kernel/launch.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/kernel/source.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// What a kernel's text does not say. Amounts and extents are expressions over the sizes.
struct kernel_options {
    std::string kernel;                      ///< name; empty when the text defines one only
    problem_size size;                       ///< the timed one: `{{"N", 256}}`
    std::vector<problem_size> further_sizes; ///< verified too
    /// Elements of each buffer, value of each scalar: `{{"A", "N * N"}}`. A scalar that is called
    /// like a size needs none.
    std::vector<std::pair<std::string, std::string>> arguments;
    std::vector<tunable_parameter> parameters; ///< `{{"BLOCK", {8, 16}}}`; the first is the default
    std::vector<std::string> restrictions;
    std::vector<std::string> grid, block; ///< x, y, z; what is missing is 1
    std::string shared_bytes;             ///< empty: 0
    std::string notes;
};

namespace detail {

[[nodiscard]] inline result<expression> option_expression(std::string const& text,
                                                          std::string const& what) {
    auto e = expression::parse(text);
    if (e) return e;
    error wrong = e.error();
    wrong.message = what + ": " + wrong.message;
    return wrong;
}

[[nodiscard]] inline result<std::array<expression, 3>>
option_extents(std::vector<std::string> const& texts, char const* what) {
    std::array<expression, 3> extents{1, 1, 1};
    if (texts.empty() || texts.size() > 3)
        return error{condition::rejected,
                     "lkt.problem.launch",
                     std::string("kernel_options::") + what + " has " +
                         std::to_string(texts.size()) + " extents",
                     "give one to three expressions, for x, y and z"};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        auto e = option_expression(texts[i], what);
        if (!e) return e.error();
        extents[i] = std::move(*e);
    }
    return extents;
}

[[nodiscard]] inline result<std::vector<argument_spec>>
option_arguments(lkt::signature const& declared, kernel_options const& o) {
    auto const named = [](auto const& pairs, std::string const& name) {
        return std::find_if(
            pairs.begin(), pairs.end(), [&](auto const& p) { return p.first == name; });
    };
    for (auto const& [name, text] : o.arguments)
        if (std::none_of(declared.arguments.begin(),
                         declared.arguments.end(),
                         [&](argument const& a) { return a.name == name; }))
            return error{condition::rejected,
                         "lkt.problem.argument",
                         "the kernel " + declared.name + " has no argument `" + name + "`",
                         "name the arguments as the kernel's declaration does"};
    std::vector<argument_spec> specs;
    for (argument const& a : declared.arguments) {
        argument_spec spec;
        auto const given = named(o.arguments, a.name);
        bool const is_size = named(o.size, a.name) != o.size.end();
        if (given == o.arguments.end() && (a.pointer || !is_size))
            return error{condition::rejected,
                         "lkt.problem.argument",
                         (a.pointer ? "how many elements has the buffer `" : "which value has `") +
                             a.name + "` (" + a.spelling + ")?",
                         "add {\"" + a.name + "\", \"EXPRESSION\"} to kernel_options::arguments"};
        auto amount = option_expression(given == o.arguments.end() ? a.name : given->second,
                                        "argument `" + a.name + "`");
        if (!amount) return amount.error();
        (a.pointer ? spec.count : spec.value) = std::move(*amount);
        specs.push_back(std::move(spec));
    }
    return specs;
}

} // namespace detail

/// The problem that `source` solves. Errors say what to add: a kernel that is not found or one of
/// several, an argument without a size, an expression that does not parse.
[[nodiscard]] inline result<problem> problem_from(kernel_source source, kernel_options const& o) {
    problem p;
    auto declared = find_kernel(source, o.kernel);
    if (!declared) return declared.error();
    auto arguments = detail::option_arguments(*declared, o);
    if (!arguments) return arguments.error();
    p.reference = std::move(source);
    p.signature = std::move(*declared);
    p.arguments = std::move(*arguments);
    p.size = o.size;
    p.further_sizes = o.further_sizes;
    p.parameters = o.parameters;
    p.notes = o.notes;
    for (std::string const& text : o.restrictions) {
        auto e = detail::option_expression(text, "restriction");
        if (!e) return e.error();
        p.restrictions.push_back(std::move(*e));
    }
    if (o.grid.empty() && o.block.empty()) {
        std::vector<std::string> extents;
        for (auto const& [name, extent] : o.size)
            if (extents.size() < 3) extents.push_back(name);
        auto launch = default_geometry(extents, p.parameters);
        if (!launch) return launch.error();
        p.launch = std::move(*launch);
    } else {
        auto grid = detail::option_extents(o.grid, "grid");
        auto block = detail::option_extents(o.block, "block");
        if (!grid) return grid.error();
        if (!block) return block.error();
        p.launch.grid = std::move(*grid);
        p.launch.block = std::move(*block);
    }
    if (!o.shared_bytes.empty()) {
        auto e = detail::option_expression(o.shared_bytes, "shared_bytes");
        if (!e) return e.error();
        p.launch.shared_bytes = std::move(*e);
    }
    return p;
}

} // namespace lkt
