// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/verify/static_policy.hpp>

#include <optional>

namespace lkt {

/// `refused` as stateful where the candidate's binary has variables that outlive a launch, and the
/// original's has none: what the text was hidden in, the machine code tells. Nothing where a back
/// end does not know, and where the policy's rule `state` is no error.
[[nodiscard]] std::optional<failure> hidden_state(compiled_kernel const& original,
                                                  compiled_kernel const& candidate,
                                                  static_policy const& policy = {});

} // namespace lkt
