// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/test_prompts.hpp>

#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/words.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace lkt {

namespace detail {

inline constexpr char declaration_rules[] =
    R"text(A program reads your answer, checks it against the kernel's signature, makes inputs from it and runs the kernel on them. Nothing that you write is executed.

Rules
- Answer with exactly one fenced json block. Fields that are not listed are refused.
- Problem sizes are called `ProblemSize[0]`, `ProblemSize[1]`, ... in expressions: + - * // %, comparisons, and, or, min, max, ceil_div. Expressions are text in quotes; they are evaluated for each size.
- The kernel must be able to run on everything that you describe: no access outside of its buffers, no endless loop, no division by zero.
)text";

inline constexpr char description_format[] =
    R"text(- "Arguments" has an entry for each of these buffers. "Size" counts elements (a float4 is one element) and must be enough for every access at every size. "AccessType" is ReadOnly, WriteOnly (every element is written, none is read) or ReadWrite. "FillType" and "FillValue" are how an input starts: "Constant" and the value, or "Random" and a bound, for values between 0 and it.
- "scalars" has the value of each of these scalars, a number or an expression.
- "domain" has bounds that an input must keep, such as an index below the length of the buffer that it is used for, or a divisor above 0. Leave it out if any finite value is valid.
- "scratch" lists buffers whose contents do not matter before and after a launch.
)text";

inline constexpr char sizes_format[] =
    R"text(- "ProblemSize" is the size at which the kernel is timed: as large as in practice, but at most 256 MB of buffers in all.
- "sizes" are two to five further ones that are verified: small, odd and prime ones, none of them larger.
- "size_constraints" are conditions that every size must meet for the kernel to be right; the kernel is tested at any size that meets them. Leave them out only if it is right only at the listed sizes.
)text";

inline constexpr char tests_format[] =
    R"text(Answer with one fenced json block such as
```json
{
  "lkt": {
    "tests": [
      {"name": "sums that cancel", "arguments": {"a": {"distribution": "cancellation", "magnitude": 10000, "residual_low": -1, "residual_high": 1}}},
      {"name": "mostly zero, with signed zeros", "arguments": {"a": {"distribution": "sparse", "fraction": 0.05, "inject": ["-0"]}}}
    ]
  }
}
```
- Each test names the inputs that it fills differently; the others are filled as before. Outputs are not filled.
- Distributions: uniform {low, high}, normal {mean, stddev}, constant {value}, sparse {fraction}, one_hot, spikes {low, high, fraction}, alternating (1, -1, ...), extremes (the bounds of the domain, and the values nearest to 0), permutation (0 to n - 1), indices {below: an expression}, sorted, cancellation {magnitude, residual_low, residual_high}.
- "inject": ["nan", "inf", "-inf", "-0", "denormal"] adds such values to those of floating-point arguments.
- Two to eight tests. Choose those that a wrong kernel would fail: one that mixes up rows and columns, drops the last elements, computes in a narrower type, or assumes a structure of the data.
)text";

/// As problem files spell it; nothing where they have no word for it.
std::string type_word(value_type type) {
    if (type.lanes == 1 || is_float8(type.scalar) || is_half_byte(type.scalar))
        return to_string(type);
    std::string const lanes = std::to_string(type.lanes);
    switch (type.scalar) {
    case scalar_type::float16:
        return "half" + lanes;
    case scalar_type::float32:
        return "float" + lanes;
    case scalar_type::float64:
        return "double" + lanes;
    case scalar_type::int32:
        return "int" + lanes;
    case scalar_type::uint32:
        return "uint" + lanes;
    case scalar_type::boolean:
    case scalar_type::int8:
    case scalar_type::uint8:
    case scalar_type::int16:
    case scalar_type::uint16:
    case scalar_type::int64:
    case scalar_type::uint64:
    case scalar_type::bfloat16:
    case scalar_type::int4:
    case scalar_type::uint4:
    case scalar_type::float4_e2m1:
    case scalar_type::float8_e4m3:
    case scalar_type::float8_e5m2:
        break;
    }
    return {};
}

std::string flow_words(direction flow) {
    switch (flow) {
    case direction::in:
        return "read only";
    case direction::out:
        return "only written";
    case direction::inout:
        return "written, and possibly read";
    }
    return {};
}

/// One line for an argument that somebody has to describe.
std::string open_argument_text(argument const& a) {
    std::string text = "- " + ticked(a.name) + ": ";
    text += a.within ? "a value of " + ticked(a.spelling)
                     : "declared " + ticked(a.spelling.empty() ? a.name : a.spelling);
    if (std::string const word = type_word(a.type); !word.empty()) text += ", type " + word;
    text += a.pointer ? ", a buffer that is " + flow_words(a.flow) : ", a scalar";
    return text + "\n";
}

/// The block to answer with, out of the fields that are open and the kernel's own names.
std::string description_example(problem_draft const& draft) {
    std::string buffers, scalars;
    for (std::size_t const k : draft.open) {
        argument const& a = draft.known.signature.arguments[k];
        if (!a.pointer) {
            scalars += (scalars.empty() ? "" : ", ") + ("\"" + a.name + "\": \"ProblemSize[0]\"");
            continue;
        }
        std::string const type = type_word(a.type);
        buffers += (buffers.empty() ? "" : ",\n      ") + ("{\"Name\": \"" + a.name + "\", ") +
                   (type.empty() ? "" : "\"Type\": \"" + type + "\", ") +
                   "\"MemoryType\": \"Vector\", \"AccessType\": \"" +
                   (a.flow == direction::in    ? "ReadOnly"
                    : a.flow == direction::out ? "WriteOnly"
                                               : "ReadWrite") +
                   "\", \"Size\": \"ProblemSize[0]\"}";
    }
    bool const sizes = draft.known.size.empty();
    std::string text = "```json\n{\n  \"KernelSpecification\": {\n";
    if (sizes) text += "    \"ProblemSize\": [4096],\n";
    text += "    \"Arguments\": [" + (buffers.empty() ? "" : "\n      " + buffers + "\n    ") +
            "]\n  },\n  \"lkt\": {\n";
    if (sizes) text += "    \"sizes\": [[1], [257]],\n    \"size_constraints\": [],\n";
    return text + "    \"scalars\": {" + scalars +
           "},\n    \"domain\": {},\n    \"scratch\": []\n  }\n}\n```\n";
}

/// What stands already, so that the rest fits it.
std::string settled_text(problem_draft const& draft) {
    problem const& known = draft.known;
    std::string text;
    for (std::size_t k = 0; k < known.size.size(); ++k)
        text += "- `ProblemSize[" + std::to_string(k) + "]`, called " +
                ticked(known.size[k].first) + ", is " + std::to_string(known.size[k].second) + "\n";
    for (problem_size const& size : known.further_sizes)
        text += "- verified too: " + size_words(size) + "\n";
    for (std::size_t k = 0; k < known.signature.arguments.size(); ++k)
        if (std::find(draft.open.begin(), draft.open.end(), k) == draft.open.end())
            text += argument_text(known, k);
    for (tunable_parameter const& p : known.parameters)
        text += "- the tunable parameter " + ticked(p.name) + " is one of " +
                values_words(p.values) + "\n";
    if (!draft.launch_is_open)
        text += "- the launch\n" + launch_words(known.launch);
    else
        text += "- the launch has a thread for each element of the first three problem sizes, in "
                "x, y and z, rounded up to whole blocks\n";
    return text;
}

} // namespace detail

// Constants, since g++ 12 takes no consteval constructor in a list of initialisers.
namespace declaration_texts {

constexpr prompt<declaration_rules_words> system =
    "You describe what GPU kernels are called with, and what they are tested on. You are given one "
    "${language} kernel. ${rules}\n";
constexpr prompt<purpose_words> purpose =
    R"text(Say in two or three sentences what this GPU kernel computes, for someone who will rewrite it: the operation, not how threads and memory are used. Answer with only these sentences.

${kernel}
)text";
constexpr prompt<description_words> describe = R"text(Describe how this kernel is called.

${kernel}

What is missing
${open}

What is known
${settled}

Notes of the user:
${notes}

Answer with one fenced json block such as
${example}
${format}
)text";
constexpr prompt<wanted_tests_words> tests =
    R"text(Declare tests for this kernel: inputs on which the kernel and its rewrites are run and compared.

${kernel}

Arguments
${arguments}

Problem sizes
${sizes}

${format}
)text";
constexpr prompt<unusable_words> again = R"text(Your answer could not be used: ${why}
${advice}

Answer again with one fenced json block that contains everything that was asked for, not only the changes.)text";

} // namespace declaration_texts

test_prompt_texts::test_prompt_texts()
    : purpose(declaration_texts::purpose), system(declaration_texts::system),
      describe(declaration_texts::describe), tests(declaration_texts::tests),
      again(declaration_texts::again) {}

std::string default_test_prompts::purpose(problem_draft const& draft) const {
    return texts.purpose.render(
        {detail::block(draft.known.reference.text, detail::info_string(draft.known))});
}

std::string default_test_prompts::system(problem_draft const& draft) const {
    return texts.system.render({std::string(to_string(draft.known.reference.language)),
                                detail::without_end_of_line(detail::declaration_rules)});
}

std::string default_test_prompts::describe(problem_draft const& draft) const {
    bool const sizes = draft.known.size.empty();
    description_words words;
    words.kernel = detail::block(draft.known.reference.text, detail::info_string(draft.known));
    if (sizes) words.open += "- the problem sizes\n";
    for (std::size_t const k : draft.open)
        words.open += detail::open_argument_text(draft.known.signature.arguments[k]);
    words.open = detail::without_end_of_line(std::move(words.open));
    words.settled = detail::without_end_of_line(detail::settled_text(draft));
    if (!draft.known.notes.empty())
        words.notes = detail::block(detail::shortened(draft.known.notes, 4000));
    words.example = detail::without_end_of_line(detail::description_example(draft));
    words.format = (sizes ? std::string(detail::sizes_format) : std::string()) +
                   detail::without_end_of_line(detail::description_format);
    return texts.describe.render(words);
}

std::string default_test_prompts::tests(problem const& task) const {
    wanted_tests_words words;
    words.kernel = detail::block(task.reference.text, detail::info_string(task));
    for (std::size_t k = 0; k < task.signature.arguments.size(); ++k)
        words.arguments += detail::argument_text(task, k);
    words.arguments = detail::without_end_of_line(std::move(words.arguments));
    for (std::size_t k = 0; k < task.size.size(); ++k)
        words.sizes += "- `ProblemSize[" + std::to_string(k) + "]` is " +
                       std::to_string(task.size[k].second) + "\n";
    words.sizes = detail::without_end_of_line(std::move(words.sizes));
    words.format = detail::without_end_of_line(detail::tests_format);
    return texts.tests.render(words);
}

std::string default_test_prompts::again(error const& why) const {
    unusable_words words{detail::shortened(why.message, 3000), {}};
    if (why.code == "lkt.verify.reference")
        words.advice = "So the kernel cannot run on what you described. Look at its accesses "
                       "again: which elements of which buffer it reads and writes, at the "
                       "smallest and at the largest size.";
    else if (why.code == "lkt.verify.unstable")
        words.advice = "So its results cannot be compared. Look for buffers that are written by "
                       "several threads, or read without being filled.";
    else if (!why.hint.empty() && why.code.starts_with("lkt.problem."))
        words.advice = "Next step: " + detail::shortened(why.hint, 1000) + ".";
    return texts.again.render(words);
}

} // namespace lkt
