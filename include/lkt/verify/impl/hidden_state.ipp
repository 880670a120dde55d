// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/hidden_state.hpp>

#include <lkt/core/units.hpp>

namespace lkt {

std::optional<failure> hidden_state(compiled_kernel const& original,
                                    compiled_kernel const& candidate,
                                    static_policy const& policy) {
    if (policy.state != static_severity::error) return std::nullopt;
    if (original.writable_bytes.value_or(1) != 0 || candidate.writable_bytes.value_or(0) == 0)
        return std::nullopt;
    return refused{to_string(bytes{*candidate.writable_bytes}) + " of variables",
                   "the compiled kernel keeps variables from launch to launch, and the original "
                   "keeps none; declare them in the kernel, or pass what it needs as arguments",
                   {},
                   verdict::stateful};
}

} // namespace lkt
