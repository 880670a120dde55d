// SPDX-License-Identifier: BSL-1.0
// Lists of steps as JSON. docs/strategies/explicit_steps.md has the format.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/nodes/step_list.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// The steps of a JSON text: a list of them, or an object with the member `steps`. `origin` names
/// the text in messages. Errors (rejected): `lkt.strategies.steps`, for a text that is not JSON, an
/// unknown or missing field, a value of the wrong type, and the faults that `check_steps` finds.
[[nodiscard]] result<std::vector<optimization_step>> read_steps(std::string_view json,
                                                                std::string const& origin);

/// A text that `read_steps` reads back.
[[nodiscard]] std::string steps_text(std::span<optimization_step const> steps);

} // namespace lkt
