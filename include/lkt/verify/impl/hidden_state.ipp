// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/hidden_state.hpp>

#include <lkt/core/units.hpp>

namespace lkt {

std::optional<failure> hidden_state(compiled_kernel const& original,
                                    compiled_kernel const& candidate,
                                    static_policy const& policy) {
    if (policy.state != static_severity::error) return std::nullopt;
    // What begins with values may be a table that nothing writes; who writes it, the text tells.
    std::uint64_t const zeroed = candidate.writable_bytes.value_or(0) - candidate.initialised_bytes;
    if (original.writable_bytes.value_or(1) != original.initialised_bytes || zeroed == 0)
        return std::nullopt;
    return refused{to_string(bytes{zeroed}) + " of variables",
                   "the compiled kernel keeps variables from launch to launch, and the original "
                   "keeps none; declare them in the kernel, or pass what it needs as arguments",
                   {},
                   verdict::stateful};
}

} // namespace lkt
