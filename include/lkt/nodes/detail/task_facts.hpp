// SPDX-License-Identifier: BSL-1.0
// What prompts say of the task and of the kernel that is to become faster.
#pragma once

#include <lkt/nodes/detail/answer_facts.hpp>
#include <lkt/nodes/detail/device_facts.hpp>
#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/prompts.hpp>

#include <string>

namespace lkt::detail {

[[nodiscard]] inline task_words task_facts(brief const& b) {
    task_words words;
    words.name = ticked(b.task.signature.name);
    for (std::size_t i = 0; i < b.task.signature.arguments.size(); ++i)
        words.arguments.push_back(argument_fact(b.task, i));
    words.sizes.push_back("timed: " + size_words(b.task.size));
    for (problem_size const& s : b.task.further_sizes)
        words.sizes.push_back("verified too: " + size_words(s));
    if (!b.task.notes.empty()) words.notes = block(shortened(b.task.notes, 4000));
    words.kernel = block(b.current.kernel.source.text, info_string(b.task));
    words.launch = launch_facts(b.current.kernel.launch);
    words.parameters = parameter_facts(b.current.kernel);
    words.measurements = measured_facts(b.task, b.current, b.baseline, b.device);
    add_answers(words.measurements, b);
    words.device = device_facts(b.task, b.device);
    words.past = past_facts(b.past, b.left_out);
    if (!b.step.empty()) words.step = block(shortened(std::string(b.step), 4000));
    return words;
}

} // namespace lkt::detail
