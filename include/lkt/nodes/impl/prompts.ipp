// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/prompts.hpp>

#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/detail/wgsl_rules.hpp>

#include <utility>

namespace lkt {

conversation detail::render(std::string system,
                            std::string task,
                            std::span<setback const> attempts,
                            void const* prompts,
                            answer_call answer) {
    conversation turns{{role::system, std::move(system)}, {role::user, std::move(task)}};
    for (setback const& s : attempts) {
        // Servers refuse an empty turn.
        turns.push_back({role::assistant, s.reply.empty() ? "(no text)" : s.reply});
        std::string text = answer(prompts, s);
        if (!s.context.empty()) text += "\n" + s.context + "\n";
        turns.push_back({role::user, std::move(text)});
    }
    return turns;
}

conversation
conversation_of(brief const& b, std::span<setback const> attempts, default_prompts const& prompts) {
    return detail::render(b, attempts, prompts);
}

std::string default_prompts::system(brief const& b) const {
    std::string const name(to_string(b.task.reference.language));
    return "You optimise GPU kernels. You are given one " + name +
           " kernel, the device and the problem size it is timed at. Answer with a kernel that "
           "computes the same results in less time.\n\n" +
           (b.task.reference.language == language::wgsl ? detail::wgsl_rules_text()
                                                        : detail::rules_text(name));
}

std::string default_prompts::task(brief const& b) const {
    std::string text = "Make this kernel faster.\n\n";
    text += detail::fenced(b.current.kernel.source.text, detail::info_string(b.task));
    text += "\n" + detail::problem_text(b.task, b.current);
    text += "\n" + detail::device_text(b.device, b.task.reference.language == language::wgsl);
    text += "\n" + detail::time_text(b.current, b.baseline);
    if (!b.task.notes.empty())
        text += "\nNotes of the user:\n" + detail::fenced(detail::shortened(b.task.notes, 4000));
    return text;
}

std::string default_prompts::operator()(no_code const& f) const {
    return "Your reply could not be used: " + f.why + "\n\n" + detail::again_text;
}

std::string default_prompts::operator()(refused const& f) const {
    return "Your kernel was not compiled, because it uses " + detail::ticked(f.what) +
           detail::at_line(f.where) + ", which is not allowed here: " + f.why + "\n\n" +
           detail::again_text;
}

std::string default_prompts::operator()(wrong_signature const& f) const {
    return "The name or the parameters of your kernel differ from those of the original. Keep "
           "exactly the expected declaration; put whatever else you need into the kernel, or into "
           "tunable parameters.\n\nExpected:\n" +
           detail::fenced(f.expected) + "Got:\n" + detail::fenced(f.got) + "\n" +
           detail::again_text;
}

std::string default_prompts::operator()(compile_failed const& f) const {
    return "Your kernel does not compile. The compiler says:\n" +
           detail::fenced(detail::shortened(f.log, 4000)) + "\n" + detail::again_text;
}

std::string default_prompts::operator()(launch_failed const& f) const {
    return "Your kernel compiles but cannot be launched: " + detail::shortened(f.why, 2000) +
           "\nCheck the launch expressions, the limits of the device and the restrictions on the "
           "parameters.\n\n" +
           detail::again_text;
}

std::string default_prompts::operator()(crashed const& f) const {
    return "Your kernel crashes when it is launched: " + detail::shortened(f.what, 2000) +
           detail::at_line(f.where) + ".\n\n" + detail::again_text;
}

std::string default_prompts::operator()(out_of_bounds const& f) const {
    return "Your kernel accesses memory outside of its arrays: " + detail::shortened(f.what, 2000) +
           detail::at_line(f.where) +
           ". Guard every access for sizes that are no multiple of the block or tile.\n\n" +
           detail::again_text;
}

std::string default_prompts::operator()(timed_out const& f) const {
    if (f.phase == "compile")
        return "Your kernel took longer than " + to_string(f.limit) +
               " to compile. Unroll less and use fewer template instantiations.\n\n" +
               detail::again_text;
    return "A launch of your kernel did not finish within " + to_string(f.limit) +
           ". Look for a loop that does not end, or for threads that wait at a barrier that others "
           "never reach.\n\n" +
           detail::again_text;
}

std::string default_prompts::operator()(race const& f) const {
    return "The results of your kernel depend on the order in which its threads run: " +
           detail::shortened(f.what, 2000) +
           ". Every thread of a block must reach the same barriers, and data shared between "
           "threads needs a barrier between write and read, and between read and the next "
           "write.\n\n" +
           detail::again_text;
}

std::string default_prompts::operator()(wrong_output const& f) const {
    return "Your kernel computes wrong results. " + detail::mismatch_text(f) + "\n\n" +
           detail::again_text;
}

std::string default_prompts::operator()(implausible const& f) const {
    return "The time of your kernel cannot be right: " + detail::shortened(f.what, 2000) +
           ". Every launch must read all of its inputs from memory and write all of its outputs; "
           "nothing may be kept from one launch for the next.\n\n" +
           detail::again_text;
}

std::string default_prompts::operator()(no_configuration const& f) const {
    return "No combination of your tunable parameters could be tried: " +
           detail::shortened(f.why, 2000) + "\n\n" + detail::again_text;
}

std::string default_prompts::operator()(no_improvement const& f) const {
    return detail::not_faster_text(f) +
           "\nFind what bounds the kernel now (memory traffic, reuse, latency, instruction count), "
           "and try a different idea.\n\n" +
           detail::again_text;
}

} // namespace lkt
