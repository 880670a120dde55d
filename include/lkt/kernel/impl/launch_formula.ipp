// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/launch_formula.hpp>

#include <lkt/core/string_tools.hpp>

namespace lkt::detail::kernel {

/// `expression` as one extent of a launch, between `least` and 2^31 - 1.
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

} // namespace lkt::detail::kernel

namespace lkt {

result<launch_dimensions> launch_formula::evaluate(expression_scope const& scope) const {
    auto const b = detail::kernel::extents_of("block", block, scope);
    if (!b) return b.error();
    auto const g = detail::kernel::extents_of("grid", grid, scope);
    if (!g) return g.error();
    auto const shared = detail::kernel::extent_of("shared memory", shared_bytes, scope, 0);
    if (!shared) return shared.error();
    return launch_dimensions{*g, *b, *shared};
}

} // namespace lkt
