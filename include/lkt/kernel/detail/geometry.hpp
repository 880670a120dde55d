// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/detail/quote.hpp>
#include <lkt/kernel/launch.hpp>

namespace lkt::detail::kernel {

/// `expression` as one extent of a launch, between `least` and 2^31 - 1.
template <int = 0>
result<std::uint32_t> extent_of(std::string const& what,
                                expression const& formula,
                                expression_scope const& scope,
                                std::int64_t least) {
    result<std::int64_t> const value = formula.evaluate_integer(scope);
    if (!value) {
        error e = value.error();
        e.message = what + ": " + e.message;
        return e;
    }
    if (*value < least || *value > 2147483647)
        return error{condition::rejected,
                     "lkt.launch.extent",
                     what + " = " + in_backticks(formula.text()) + " is " + std::to_string(*value) +
                         ", which is not between " + std::to_string(least) + " and 2147483647",
                     "check the problem size and the launch formula"};
    return static_cast<std::uint32_t>(*value);
}

template <int = 0>
result<dim3> extents_of(char const* what,
                        std::array<expression, 3> const& formula,
                        expression_scope const& scope) {
    std::array<std::uint32_t, 3> extents{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        auto const e = extent_of(std::string(what) + "." + "xyz"[axis], formula[axis], scope, 1);
        if (!e) return e.error();
        extents[axis] = *e;
    }
    return dim3{extents[0], extents[1], extents[2]};
}

template <int = 0>
std::string extent_text(dim3 d) {
    std::string text = std::to_string(d.x);
    if (d.y != 1 || d.z != 1) text += "x" + std::to_string(d.y);
    if (d.z != 1) text += "x" + std::to_string(d.z);
    return text;
}

template <int = 0>
error geometry_error(std::string message) {
    return {condition::rejected, "lkt.launch.geometry", std::move(message), {}};
}

} // namespace lkt::detail::kernel

namespace lkt {

template <int>
result<launch_dimensions> launch_formula::evaluate(expression_scope const& scope) const {
    auto const b = detail::kernel::extents_of("block", block, scope);
    if (!b) return b.error();
    auto const g = detail::kernel::extents_of("grid", grid, scope);
    if (!g) return g.error();
    auto const shared = detail::kernel::extent_of("shared memory", shared_bytes, scope, 0);
    if (!shared) return shared.error();
    return launch_dimensions{*g, *b, *shared};
}

template <int>
std::string to_string(launch_dimensions const& d) {
    std::string text = "grid " + detail::kernel::extent_text(d.grid) + ", block " +
                       detail::kernel::extent_text(d.block);
    if (d.shared_bytes > 0) text += ", " + std::to_string(d.shared_bytes) + " B shared";
    return text;
}

template <int>
result<launch_formula> geometry_over(std::span<expression const> extents,
                                     std::span<expression const> block,
                                     std::span<std::vector<expression> const> divisors) {
    if (extents.empty() || extents.size() > 3)
        return detail::kernel::geometry_error("a launch covers 1 to 3 extents, not " +
                                              std::to_string(extents.size()));
    if (block.size() > extents.size() || divisors.size() > extents.size())
        return detail::kernel::geometry_error(
            "there are more block extents or divisors than extents to cover");
    launch_formula formula;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        if (axis < block.size()) formula.block[axis] = block[axis];
        std::string divisor = "(" + formula.block[axis].text() + ")";
        if (axis < divisors.size())
            for (expression const& d : divisors[axis]) divisor += " * (" + d.text() + ")";
        auto blocks = expression::parse("ceil_div(" + extents[axis].text() + ", " + divisor + ")");
        if (!blocks) return blocks.error();
        formula.grid[axis] = std::move(*blocks);
    }
    return formula;
}

template <int>
result<launch_formula> default_geometry(std::span<std::string const> extents,
                                        std::span<tunable_parameter const> parameters) {
    if (extents.empty() || extents.size() > 3)
        return detail::kernel::geometry_error("no default launch covers " +
                                              std::to_string(extents.size()) +
                                              " extents; give grid and block");
    // Found whatever the case: block_size_x, BLOCK_SIZE_X, Block_X.
    auto const same = [](std::string_view name, std::string_view wanted) {
        if (name.size() != wanted.size()) return false;
        for (std::size_t k = 0; k < name.size(); ++k) {
            char const c = name[k];
            if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != wanted[k])
                return false;
        }
        return true;
    };
    auto const find = [&](std::string_view wanted) -> tunable_parameter const* {
        for (tunable_parameter const& p : parameters)
            if (same(p.name, wanted)) return &p;
        return nullptr;
    };
    constexpr std::int64_t unnamed[3][3] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 8}};
    std::vector<expression> sizes, block;
    bool named = false;
    std::vector<tunable_parameter const*> found;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        std::string const suffix = std::string("_") + "xyz"[axis];
        tunable_parameter const* p = find("block_size" + suffix);
        if (p == nullptr) p = find("block" + suffix);
        if (p == nullptr && axis == 0) p = find("block_size");
        if (p == nullptr && axis == 0) p = find("block");
        found.push_back(p);
        named = named || p != nullptr;
    }
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        auto size = expression::parse(extents[axis]);
        if (!size) return size.error();
        sizes.push_back(std::move(*size));
        if (found[axis] != nullptr) {
            auto name = expression::parse(found[axis]->name);
            if (!name) return name.error();
            block.push_back(std::move(*name));
        } else {
            // Beside a named extent the others are 1: 64 x 16 was not asked for.
            block.emplace_back(named ? 1 : unnamed[extents.size() - 1][axis]);
        }
    }
    return geometry_over(sizes, block);
}

} // namespace lkt
