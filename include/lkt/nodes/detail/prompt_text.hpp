// SPDX-License-Identifier: BSL-1.0
// The parts that prompts are put together from.
#pragma once

#include <lkt/kernel/device.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/verify/declared_tests.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt::detail {

/// `<a.h>, <b.h>`
[[nodiscard]] inline std::string header_words(std::vector<std::string> const& headers) {
    std::string text;
    for (std::string const& h : headers) text += (text.empty() ? "`<" : ", `<") + h + ">`";
    return text;
}

/// What is out of reach of a kernel: `text` says "inline assembly", and some of it may not be.
[[nodiscard]] inline std::string with_assembly_rule(std::string text,
                                                    device_description const& device) {
    constexpr std::string_view none = "inline assembly";
    if (auto const at = text.find(none); at != text.npos && !device.ptx.empty())
        text.replace(at, none.size(), "inline assembly but for the PTX that the device's list has");
    return text;
}

/// With the headers that the device's back end has, and its inline PTX.
[[nodiscard]] inline std::string rules_text(std::string const& language,
                                            device_description const& device) {
    auto const& headers = device.headers;
    return with_assembly_rule(
        R"text(Rules
- Keep the kernel's name and its parameters exactly: names, types, order. Results must agree with the original's within rounding, for every input and for every problem size that the sizes below can take, not only for the timed one. Do not compute in a narrower type.
- Write )text" +
            language +
            R"text( device code only: the kernel, and helper functions, types, constants and macros if you need them. No host code, no launch code, no inline assembly, no attributes (`__attribute__`, `[[...]]`), no file or system access, no state that lasts from one launch to the next.
- Includes of the original that your code leaves out are added at its top. )text" +
            (headers.empty() ? std::string("Include nothing else.")
                             : "You may also include " + header_words(headers) + ".") +
            R"text(
- The kernel may have tunable parameters: names in capitals that your code uses like macros and does not define. The tuner defines them, tries every combination of the values that you list (keep the combinations below 100), drops those that do not work, and keeps the fastest.
- You choose how the kernel is launched: blocks in the grid and threads in a block, as expressions over the problem sizes and the tunable parameters (+ - * // %, comparisons, min, max, ceil_div), and the bytes of dynamic shared memory.
- Every configuration is compiled, checked for wrong results on several inputs, and timed. Before one is accepted as the fastest, it is checked on many more inputs and sizes, and run in a mode that looks for races and accesses out of bounds.

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
)text",
        device);
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

/// What the elements are where the text alone does not tell: the problem does.
[[nodiscard]] inline std::string held_words(argument const& a) {
    if (is_half_byte(a.type.scalar))
        return std::string(", each ") +
               (a.type.lanes == 2   ? "two"
                : a.type.lanes == 4 ? "four"
                                    : "eight") +
               (a.type.scalar == scalar_type::float4_e2m1
                    ? " floats of 4 bits (e2m1: the bits 0 to 7 are 0, 0.5, 1, 1.5, 2, 3, 4, 6, "
                      "and 8 to 15 their negatives"
                : a.type.scalar == scalar_type::int4 ? " integers of 4 bits (-8 to 7"
                                                     : " integers of 4 bits (0 to 15") +
               ", the first one in the lowest bits)";
    if (is_float8(a.type.scalar) && a.spelling.find("__nv_fp8") == std::string::npos)
        return ", each " + to_string(a.type);
    return {};
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
        text += ": buffer of " + ticked(spec.count.text()) + " elements" + held_words(a) + ", ";
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
    if (spec.random) return text + ": any value\n";
    if (fair_scalar(task, i))
        return text + ": " + ticked(spec.value.text()) +
               " in the timed launch; other values are tested, too\n";
    return text + ": always " + ticked(spec.value.text()) + "\n";
}

/// The same as an element of a list.
[[nodiscard]] inline std::string argument_fact(problem const& task, std::size_t i) {
    std::string const text = argument_text(task, i);
    return text.substr(2, text.size() - 3);
}

[[nodiscard]] inline std::string without_end_of_line(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

/// `fenced`, as a value in a prompt.
[[nodiscard]] inline std::string block(std::string_view text, std::string_view info = {}) {
    return without_end_of_line(fenced(text, info));
}

[[nodiscard]] inline std::vector<std::string> launch_facts(launch_formula const& launch) {
    std::vector<std::string> facts;
    std::string const lines = launch_words(launch);
    for (std::size_t at = 0; at < lines.size();) {
        std::size_t const end = std::min(lines.find('\n', at), lines.size());
        facts.push_back(lines.substr(at + 2, end - at - 2)); // after "- "
        at = end + 1;
    }
    return facts;
}

[[nodiscard]] inline std::vector<std::string> parameter_facts(candidate const& k) {
    std::vector<std::string> facts;
    if (k.parameters.empty()) return facts;
    for (tunable_parameter const& p : k.parameters)
        facts.push_back(ticked(p.name) + ": " + values_words(p.values));
    for (expression const& r : k.restrictions) facts.push_back("restriction: " + ticked(r.text()));
    return facts;
}

/// What a model wrote, as an element of a list.
[[nodiscard]] inline std::string on_one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// What an attempt came to, in one line.
[[nodiscard]] inline std::string outcome_fact(attempt_outcome const& outcome) {
    if (auto const* better = std::get_if<improvement>(&outcome))
        return "accepted, " + to_string(better->before.median()) + " became " +
               to_string(better->after.median());
    if (auto const* same = std::get_if<no_improvement>(&outcome))
        return "correct but not faster, " + to_string(same->got.median()) + " against " +
               to_string(same->best.median());
    if (auto const* why = std::get_if<failure>(&outcome))
        return "failed (" + std::string(name_of_failure(*why)) + "), " +
               on_one_line(shortened(describe(*why), 300));
    return "not tried";
}

/// One line on a step that is over: what was asked for, and what came of it.
[[nodiscard]] inline std::string past_fact(attempt_record const& a) {
    std::string text = a.step.empty() ? a.proposal.description : a.step;
    if (text.empty()) text = "a rewrite";
    return on_one_line(shortened(text, 300)) + ": " + outcome_fact(a.outcome);
}

/// What is left of the past where a request would be too long with more: steps, and bytes of the
/// latest reply.
inline constexpr std::size_t recalled_steps = 5, recalled_reply = 12'000;

/// `12 earlier steps are left out here to save space`
[[nodiscard]] inline std::string left_out_words(std::size_t count, std::string_view what) {
    return std::to_string(count) + " earlier " + std::string(what) +
           (count == 1 ? " is" : "s are") + " left out here to save space";
}

/// The latest steps, at most twenty, behind what is said of those that are left out.
[[nodiscard]] inline std::vector<std::string> past_facts(std::span<attempt_record const> past,
                                                         std::size_t left_out) {
    std::vector<std::string> facts;
    if (left_out > 0) facts.push_back(left_out_words(left_out, "step"));
    for (attempt_record const& a : past.last(std::min<std::size_t>(past.size(), 20)))
        facts.push_back(past_fact(a));
    return facts;
}

} // namespace lkt::detail
