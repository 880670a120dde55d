// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/tuner/problem_from.hpp>

#include <lkt/kernel/bound_scalars.hpp>
#include <lkt/kernel/launch.hpp>
#include <lkt/kernel/peaks.hpp>
#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/lang/fixed_block.hpp>
#include <lkt/tuner/detail/argument_text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace lkt {

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

[[nodiscard]] inline result<std::vector<argument_spec>> option_arguments(
    signature const& declared, std::vector<std::uint64_t> const& counts, kernel_options const& o) {
    auto const named = [](auto const& list, auto member, std::string const& name) {
        return std::find_if(
            list.begin(), list.end(), [&](auto const& x) { return x.*member == name; });
    };
    std::vector<argument_spec> specs(declared.arguments.size());
    std::vector<bool> given(specs.size(), false);
    for (auto const& [name, text] : o.arguments) {
        auto const at = named(declared.arguments, &argument::name, name);
        if (at == declared.arguments.end()) {
            std::string names;
            for (argument const& a : declared.arguments)
                names += (names.empty() ? "" : ", ") + a.name;
            return argument_error("the kernel " + declared.name + " has no argument `" + name + "`",
                                  "its arguments are: " + names);
        }
        auto const i = static_cast<std::size_t>(at - declared.arguments.begin());
        if (given[i])
            return argument_error("the argument `" + name + "` is given twice", "give it once");
        auto spec = parse_argument_spec(*at, text);
        if (!spec) return spec.error();
        specs[i] = std::move(*spec);
        given[i] = true;
    }
    for (std::size_t i = 0; i < specs.size(); ++i) {
        argument const& a = declared.arguments[i];
        if (given[i]) continue;
        if (counts[i] > 0) {
            specs[i].count = static_cast<std::int64_t>(counts[i]);
            continue;
        }
        bool const is_size =
            named(o.size, &std::pair<std::string, std::int64_t>::first, a.name) != o.size.end();
        if (a.pointer || !is_size)
            return argument_error(
                (a.pointer ? "how many elements are in the buffer `" : "what is the value of `") +
                    a.name + "` (" + (a.within ? "of " : "") + a.spelling + ")?",
                "give it as an expression over the sizes, in the arguments (lkt-tune --arg " +
                    a.name + "=EXPR)");
        auto same = expression::parse(a.name);
        if (!same) return same.error();
        specs[i].value = std::move(*same);
    }
    return specs;
}

/// `EXPR[:TYPE]`, at the timed size; `size` is empty where nobody knows it yet.
result<work_spec> option_work(std::string const& text, problem_size const& size) {
    auto const parts = split_outside_brackets(text, ':');
    auto e = option_expression(parts[0], "flops");
    if (!e) return e.error();
    auto const count = e->evaluate_integer(scope_of(size, {}));
    if (!size.empty() && (!count || *count < 0))
        return error{condition::rejected,
                     "lkt.problem.launch",
                     "flops: " + (count ? "`" + parts[0] + "` is " + std::to_string(*count)
                                        : count.error().message),
                     "give the operations of a launch: a whole number, 0 or above, over the sizes"};
    work_spec work;
    work.operations = std::move(*e);
    if (parts.size() == 1) return work;
    if (parts.size() == 2) work.type = arithmetic_called(parts[1]);
    if (!work.type)
        return argument_error(
            "the flops '" + text + "' do not end in a type",
            "write EXPR or EXPR:TYPE, with one of float64, float32, tf32, float16, "
            "bfloat16, float8, int8");
    return work;
}

} // namespace detail

result<problem> problem_from(kernel_source source, kernel_options const& o) {
    problem p;
    auto declared = find_kernel(source, o.kernel);
    if (!declared) return declared.error();
    auto arguments = detail::option_arguments(*declared, fixed_counts(source, *declared), o);
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
    auto const fixed = fixed_block(p.reference, p.signature.name, p.parameters);
    if (!fixed) return fixed.error();
    if (*fixed && !o.block.empty())
        return error{condition::rejected,
                     "lkt.problem.launch",
                     "the block is given, but the kernel's @workgroup_size already gives it",
                     "leave it out, and give parameters for the overrides in @workgroup_size"};
    if (o.grid.empty() && o.block.empty()) {
        std::vector<std::string> extents;
        for (auto const& [name, extent] : o.size)
            if (extents.size() < 3) extents.push_back(name);
        auto launch = default_geometry(extents, p.parameters, *fixed);
        if (!launch) return launch.error();
        p.launch = std::move(*launch);
    } else {
        auto grid = detail::option_extents(o.grid, "grid");
        if (!grid) return grid.error();
        p.launch.grid = std::move(*grid);
        auto block =
            *fixed ? result<block_formula>(**fixed) : detail::option_extents(o.block, "block");
        if (!block) return block.error();
        p.launch.block = std::move(*block);
    }
    if (!o.flops.empty()) {
        auto work = detail::option_work(o.flops, o.size);
        if (!work) return work.error();
        p.work = std::move(*work);
    }
    if (!o.shared_bytes.empty()) {
        auto e = detail::option_expression(o.shared_bytes, "shared_bytes");
        if (!e) return e.error();
        p.launch.shared_bytes = std::move(*e);
    }
    p.launch = over_sizes(p.launch, p, p.parameters);
    return p;
}

result<problem_draft> draft_from(kernel_source source, kernel_options o) {
    auto const declared = find_kernel(source, o.kernel);
    if (!declared) return declared.error();
    auto const counts = fixed_counts(source, *declared);
    problem_draft draft;
    for (std::size_t k = 0; k < declared->arguments.size(); ++k) {
        argument const& a = declared->arguments[k];
        auto const called_so = [&](auto const& entry) { return entry.first == a.name; };
        if (counts[k] > 0 || std::any_of(o.arguments.begin(), o.arguments.end(), called_so) ||
            (!a.pointer && std::any_of(o.size.begin(), o.size.end(), called_so)))
            continue;
        draft.open.push_back(k);
        o.arguments.emplace_back(a.name, "1"); // stands in
    }
    bool const sizes_are_open = o.size.empty();
    draft.launch_is_open = sizes_are_open && o.grid.empty() && o.block.empty();
    if (sizes_are_open) o.size = {{"ProblemSize[0]", 1}};
    std::string const flops = sizes_are_open ? std::exchange(o.flops, {}) : std::string();
    auto known = problem_from(std::move(source), o);
    if (!known) return known.error();
    draft.known = std::move(*known);
    if (!flops.empty()) {
        auto work = detail::option_work(flops, {});
        if (!work) return work.error();
        draft.known.work = std::move(*work);
    }
    if (sizes_are_open) draft.known.size.clear();
    return draft;
}

} // namespace lkt
