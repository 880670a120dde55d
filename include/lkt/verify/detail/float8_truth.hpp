// SPDX-License-Identifier: BSL-1.0
// What the original's version in float64 says of floats of 8 bits.
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/verify/detail/scalars.hpp>

#include <cstddef>

namespace lkt::detail::float64 {

/// What float64 stands for.
[[nodiscard]] inline bool narrow(scalar_type t) {
    return is_floating(t) && t != scalar_type::float64;
}

/// Whether the text itself makes the argument a float of 8 bits, not the problem alone.
[[nodiscard]] inline bool names_float8(argument const& a, problem const& task) {
    auto const declared = find_kernel(task.reference, task.signature.name);
    if (!declared) return false;
    for (argument const& own : declared->arguments)
        if (own.name == a.name) return own.type == a.type;
    return false;
}

/// Exact values as an output of that type holds them: of so few digits the rounding is no error of
/// a kernel's, since all round.
inline void round_as(scalar_type t, argument_data& wide) {
    for (std::size_t k = 0; k < wide.lanes(); ++k)
        store_real(wide, k, rounded_to(t, wide.lane<double>(k)));
}

} // namespace lkt::detail::float64
