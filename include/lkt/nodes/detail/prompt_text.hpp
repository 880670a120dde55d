// SPDX-License-Identifier: BSL-1.0
// The parts that prompts are put together from.
#pragma once

#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/nodes/words.hpp>

#include <string>
#include <string_view>

namespace lkt::detail {

inline constexpr char again_text[] =
    "Answer again in the same format: one fenced code block with the complete kernel, then one "
    "fenced `json` block.";

[[nodiscard]] inline std::string rules_text(std::string const& language) {
    return R"text(Rules
- Keep the kernel's name and its parameters exactly: names, types, order. Results must agree with the original's within rounding, for every input and for every problem size that the sizes below can take, not only for the timed one. Do not compute in a narrower type.
- Write )text" +
           language +
           R"text( device code only: the kernel, and helper functions, types, constants and macros if you need them. No host code, no launch code, no inline assembly, no file or system access, no state that lasts from one launch to the next. Leave includes out; the device headers are there.
- The kernel may have tunable parameters: names in capitals that your code uses like macros and does not define. The tuner defines them, tries every combination of the values that you list (keep the combinations below 100), drops those that do not work, and keeps the fastest.
- You choose how the kernel is launched: blocks in the grid and threads in a block, as expressions over the problem sizes and the tunable parameters (+ - * // %, comparisons, min, max, ceil_div), and the bytes of dynamic shared memory.
- Every configuration is compiled, checked on several inputs for wrong results, races and accesses out of bounds, and timed.

Format of your answer: a short explanation if you like, then exactly one fenced code block with the complete kernel, then exactly one fenced json block such as
```json
{
  "description": "one sentence: what was changed and why it should be faster",
  "parameters": {"TILE": [16, 32], "ROWS": [1, 2, 4]},
  "restrictions": ["TILE % ROWS == 0"],
  "launch": {
    "grid": ["ceil_div(N, TILE)", "ceil_div(N, TILE)", 1],
    "block": ["TILE", "TILE // ROWS", 1],
    "shared_bytes": 0
  }
}
```
The first value of a parameter is its default. "parameters" and "restrictions" may be left out when there are none. When "launch" is left out, the launch that is given with the task is kept.
)text";
}

[[nodiscard]] inline std::string info_string(problem const& task) {
    switch (task.reference.language) {
    case language::cuda:
        return "cuda";
    case language::hip:
        return "cpp";
    case language::wgsl:
        return "wgsl";
    }
    return {};
}

[[nodiscard]] inline std::string at_line(text_location where) {
    if (where.line <= 0) return {};
    return " (line " + std::to_string(where.line) + " of your kernel)";
}

[[nodiscard]] inline std::string argument_text(problem const& task, std::size_t i) {
    argument const& a = task.signature.arguments[i];
    std::string text = "- " + ticked(a.spelling.empty() ? a.name : a.spelling);
    if (a.within) text = "- " + ticked(a.name) + " of " + ticked(a.spelling);
    if (i >= task.arguments.size()) return text + "\n";
    argument_spec const& spec = task.arguments[i];
    if (a.constant_count > 0)
        return text + ": constant memory of " + std::to_string(a.constant_count) +
               " elements, filled before each launch; declare it as it is here\n";
    if (a.pointer) {
        text += ": buffer of " + ticked(spec.count.text()) + " elements, ";
        switch (task.flow(i)) {
        case direction::in:
            text += "read only";
            break;
        case direction::out:
            text += "output, every element is written";
            break;
        case direction::inout:
            text += "read and written";
            break;
        }
        return text + "\n";
    }
    return text + (spec.random ? ": any value\n" : ": always " + ticked(spec.value.text()) + "\n");
}

/// Arguments, sizes, launch and parameters of the kernel that is to be improved.
[[nodiscard]] inline std::string problem_text(problem const& task, tuned_kernel const& current) {
    std::string text = "Arguments of " + ticked(task.signature.name) + "\n";
    for (std::size_t i = 0; i < task.signature.arguments.size(); ++i)
        text += argument_text(task, i);
    text += "\nProblem sizes\n- timed: " + size_words(task.size) + "\n";
    for (problem_size const& s : task.further_sizes)
        text += "- verified too: " + size_words(s) + "\n";
    text += "\nLaunch\n" + launch_words(current.kernel.launch);
    if (!current.kernel.parameters.empty()) {
        text += "\nTunable parameters of this kernel\n";
        for (tunable_parameter const& p : current.kernel.parameters)
            text += "- " + ticked(p.name) + ": " + values_words(p.values) + "\n";
        for (expression const& r : current.kernel.restrictions)
            text += "- restriction: " + ticked(r.text()) + "\n";
    }
    return text;
}

[[nodiscard]] inline std::string device_text(device_description const& d, bool wgsl = false) {
    std::string text = "Device\n- " + d.name + " (" + d.backend + ")\n";
    if (d.multiprocessors > 0)
        text += "- multiprocessors: " + std::to_string(d.multiprocessors) + "\n";
    std::string const most = std::to_string(d.max_threads_per_block);
    std::string const together = std::to_string(d.warp_size);
    text += wgsl ? "- invocations in a workgroup: at most " + most +
                       ", invocations in a subgroup: " + together + "\n- workgroup memory"
                 : "- threads in a block: at most " + most + ", threads in a warp: " + together +
                       "\n- shared memory of a block";
    text += ": at most " + to_string(d.shared_memory_per_block) + "\n";
    if (d.memory.count > 0) text += "- memory: " + to_string(d.memory) + "\n";
    if (d.simulated)
        text += wgsl ? "- This device executes the kernel on a CPU, by a driver in software. What "
                       "pays is what pays on a CPU: work per invocation, values kept in registers, "
                       "contiguous and reused memory accesses, few barriers.\n"
                     : "- This device executes the kernel's text on a CPU. Blocks run in parallel "
                       "on a few cores. The threads of a block run one after another on one core: "
                       "as a loop over threadIdx that the compiler may vectorise when the kernel "
                       "has no barrier, as fibres (slow) when it has one. What pays is what pays "
                       "on a CPU: work per thread, values kept in registers, contiguous and reused "
                       "memory accesses, inner loops without branches that the compiler can "
                       "vectorise.\n";
    return text;
}

[[nodiscard]] inline std::string time_text(tuned_kernel const& current,
                                           measurement const& baseline) {
    std::string text = "Measured\n- this kernel: " + to_string(current.time.median()) +
                       " a launch (median), " + to_string(current.dimensions);
    if (!current.config.values.empty()) text += ", " + configuration_words(current.config);
    text += "\n";
    if (!(baseline.samples == current.time.samples))
        text += "- the original: " + to_string(baseline.median()) + " a launch (median)\n";
    return text;
}

[[nodiscard]] inline std::string mismatch_text(wrong_output const& f) {
    std::string text = "Test " + ticked(f.test) + ", output " + ticked(f.argument) + ": " +
                       std::to_string(f.wrong) + " of " + std::to_string(f.total) +
                       " elements are wrong; the first one is element " + std::to_string(f.index) +
                       " (expected " + f.expected + ", got " + f.got + ").";
    if (!f.pattern.empty()) text += " Where they lie: " + shortened(f.pattern, 500) + ".";
    return text;
}

[[nodiscard]] inline std::string not_faster_text(no_improvement const& f) {
    std::string const times = to_string(f.got.median()) + " a launch against " +
                              to_string(f.best.median()) + " of the kernel that it was to beat.";
    switch (f.verdict) {
    case comparison::slower:
        return "Your kernel computes the right results, but it is slower: " + times;
    case comparison::undecided:
    case comparison::faster:
        break;
    }
    return "Your kernel computes the right results, but it is not faster by more than the noise of "
           "the measurement: " +
           times;
}

} // namespace lkt::detail
