// SPDX-License-Identifier: BSL-1.0
// The rules of the game where the kernel is WGSL.
#pragma once

#include <string>

namespace lkt::detail {

[[nodiscard]] inline std::string wgsl_rules_text() {
    return R"text(Rules
- Keep the entry point's name and its buffers: their types, their access, and their order by @group and @binding, the members of uniform structs included. An array of scalars may become one of vec2 or vec4 of them. Results must agree with the original's within rounding, for every input and for every problem size that the sizes below can take, not only for the timed one. Do not compute in a narrower type.
- Write one WGSL module: one @compute entry point, and helper functions, structs, constants and workgroup variables if you need them. No host code, no textures, no state that lasts from one launch to the next. Use an extension (enable f16, subgroups) only where the original does.
- The workgroup's size is what @workgroup_size says, in literals, constants or overrides. Workgroup variables are zero at the beginning, and cost time for that.
- The kernel may have tunable parameters: override constants with a default, such as `override TILE: u32 = 16;`. The tuner sets them when it creates the pipeline, tries every combination of the values that you list (keep the combinations below 100), drops those that do not work, and keeps the fastest. Arrays of workgroup variables may be counted by overrides; arrays of private or local variables need constants.
- You choose how many workgroups are dispatched, as expressions over the problem sizes and the tunable parameters (+ - * // %, comparisons, min, max, ceil_div).
- Every configuration is compiled, checked on several inputs for wrong results, and timed.

Format of your answer: a short explanation if you like, then exactly one fenced `wgsl` code block with the complete module, then exactly one fenced json block such as
```json
{
  "description": "one sentence: what was changed and why it should be faster",
  "parameters": {"TILE": [16, 8], "ROWS": [1, 2, 4]},
  "restrictions": ["TILE % ROWS == 0"],
  "launch": {
    "grid": ["ceil_div(N, TILE)", "ceil_div(N, TILE)", 1]
  }
}
```
Every name in "parameters" is an override of the module; the first value is the one that is tried first. "parameters" and "restrictions" may be left out when there are none. When "launch" is left out, as many invocations are dispatched as for the kernel that is given with the task.
)text";
}

} // namespace lkt::detail
