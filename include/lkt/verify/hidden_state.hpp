// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/verify/static_policy.hpp>

#include <optional>

namespace lkt {

/// Bytes of the variables that outlive a launch, begin with zeros and are not constants: `text`
/// declares those, and a compiler may keep them (`constexpr int padding = 0;`). Nothing where the
/// back end does not know.
[[nodiscard]] std::optional<std::uint64_t> state_bytes(compiled_kernel const& kernel,
                                                       kernel_source const& text);

/// `refused` as stateful where the candidate's binary has variables that outlive a launch, and the
/// original's has none: what the text was hidden in, the machine code tells. Nothing where a back
/// end does not know, and where the policy's rule `state` is no error.
[[nodiscard]] std::optional<failure> hidden_state(std::optional<std::uint64_t> original,
                                                  std::optional<std::uint64_t> candidate,
                                                  static_policy const& policy = {});

} // namespace lkt
