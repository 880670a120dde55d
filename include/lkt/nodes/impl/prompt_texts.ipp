// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/prompt_texts.hpp>

#include <lkt/nodes/detail/replace_prompt.hpp>

#include <string>

namespace lkt {

// Constants, since g++ 12 takes no consteval constructor in a list of initialisers.
namespace tuning_texts {

// What stays the same from one request to the next comes first: servers cache what they have seen
// of a conversation's beginning.
constexpr prompt<rules_words> system =
    R"text(You optimise GPU kernels. You are given one ${language} kernel, the device and the problem size it is timed at. Answer with a kernel that computes the same results in less time.

${rules}

Device
${device}
)text";
constexpr prompt<task_words> task = R"text(Make this kernel faster.

Arguments of ${name}
${arguments}

Problem sizes
${sizes}

Notes of the user:
${notes}

Kernel
${kernel}

Launch
${launch}

Tunable parameters of this kernel
${parameters}

Measured
${measurements}

Steps that were tried before, and their results
${past}

Apply this step and nothing beyond it. If it does not fit this kernel, give the kernel as it is.
${step}
)text";
constexpr prompt<no_words> again =
    "Answer again in the same format: one fenced code block with the complete kernel, then "
    "one fenced `json` block.";
constexpr prompt<reason_words> no_code = "Your reply could not be used: ${why}";
constexpr prompt<refused_words> refused =
    "Your kernel was not compiled, because it uses ${what}${where}, which is not allowed "
    "here: ${why}";
constexpr prompt<signature_words> wrong_signature =
    "The name or the parameters of your kernel differ from those of the original. Keep "
    "exactly the expected declaration; put whatever else you need into the kernel, or into "
    "tunable parameters.\n\nExpected:\n${expected}\nGot:\n${got}";
constexpr prompt<log_words> compile_failed =
    "Your kernel does not compile. The compiler says:\n${log}";
constexpr prompt<reason_words> launch_failed =
    "Your kernel compiles but cannot be launched: ${why}\nCheck the launch "
    "expressions, the limits of the device and the restrictions on the "
    "parameters.";
constexpr prompt<place_words> crashed = "Your kernel crashes when it is launched: ${what}${where}.";
constexpr prompt<place_words> out_of_bounds =
    "Your kernel accesses memory outside of its arrays: ${what}${where}. Guard every access for "
    "sizes that are not a multiple of the block or tile.";
constexpr prompt<limit_words> compile_timed_out =
    "Your kernel took longer than ${limit} to compile. Unroll less and use "
    "fewer template instantiations.";
constexpr prompt<limit_words> launch_timed_out =
    "A launch of your kernel did not finish within ${limit}. Look for a loop "
    "that does not end, or for threads that wait at a barrier that others "
    "never reach.";
constexpr prompt<reason_words> race =
    "The results of your kernel depend on the order in which its threads run: ${why}. Every "
    "thread of a block must reach the same barriers, and data shared between threads needs "
    "a barrier between write and read, and between read and the next write.";
constexpr prompt<mismatch_words> wrong_output =
    "Your kernel computes wrong results. Test ${test}, output ${output}: ${wrong} "
    "of ${total} elements are wrong; the first one is element ${first} (expected "
    "${expected}, got ${got}).${pattern}";
constexpr prompt<reason_words> implausible =
    "The time of your kernel cannot be right: ${why}. Every launch must read all of "
    "its inputs from memory and write all of its outputs; nothing may be kept from "
    "one launch for the next.";
constexpr prompt<reason_words> no_configuration =
    "No combination of your tunable parameters could be tried: ${why}";
constexpr prompt<times_words> slower =
    "Your kernel computes the right results, but it is slower: ${time} a launch against "
    "${best} of the kernel that it was to beat.\nFind what bounds the kernel now (memory "
    "traffic, reuse, latency, instruction count), and try a different idea.";
constexpr prompt<times_words> not_faster =
    "Your kernel computes the right results, but it is not faster by more than the "
    "noise of the measurement: ${time} a launch against ${best} of the kernel that it "
    "was to beat.\nFind what bounds the kernel now (memory traffic, reuse, latency, "
    "instruction count), and try a different idea.";

} // namespace tuning_texts

prompt_texts::prompt_texts()
    : system(tuning_texts::system), task(tuning_texts::task), again(tuning_texts::again),
      no_code(tuning_texts::no_code), refused(tuning_texts::refused),
      wrong_signature(tuning_texts::wrong_signature), compile_failed(tuning_texts::compile_failed),
      launch_failed(tuning_texts::launch_failed), crashed(tuning_texts::crashed),
      out_of_bounds(tuning_texts::out_of_bounds),
      compile_timed_out(tuning_texts::compile_timed_out),
      launch_timed_out(tuning_texts::launch_timed_out), race(tuning_texts::race),
      wrong_output(tuning_texts::wrong_output), implausible(tuning_texts::implausible),
      no_configuration(tuning_texts::no_configuration), slower(tuning_texts::slower),
      not_faster(tuning_texts::not_faster) {}

result<void> prompt_texts::replace(std::string_view name, std::string_view text) {
    return detail::replace_prompt(*this, name, text);
}

} // namespace lkt
