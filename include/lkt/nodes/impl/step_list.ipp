// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/step_list.hpp>

#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/words.hpp>

#include <utility>

namespace lkt {

namespace detail {

error bad_steps(std::string message, std::string hint) {
    return {condition::rejected, "lkt.strategies.steps", std::move(message), std::move(hint)};
}

} // namespace detail

result<void> check_steps(std::span<optimization_step const> steps) {
    using detail::bad_steps;
    auto const defect = find_step_defect(steps);
    std::string const offending_part =
        detail::ticked(std::string(defect.offending_part.substr(0, 60)));
    auto const number = std::to_string(defect.step + 1);
    auto const step = [&] {
        return "the step " + detail::ticked(steps[defect.step].id.substr(0, 60));
    };
    switch (defect.kind) {
    case step_fault::none:
        return {};
    case step_fault::no_steps:
        return bad_steps("the list of steps is empty", "leave it out to use the library's own");
    case step_fault::no_id:
        return bad_steps("step " + number + " of the list has no id", "give it a short name");
    case step_fault::duplicate_id:
        return bad_steps("two steps are called " + offending_part, "use each id for one step only");
    case step_fault::no_prompt:
        return bad_steps(step() + " has no prompt", "say what the model is to do");
    case step_fault::placeholder:
        return bad_steps(step() + " has a placeholder ${ in its prompt",
                         "leave it out: kernel, launch, device and measurements are in every "
                         "request");
    case step_fault::unknown_dependency:
        return bad_steps(step() + " depends on " + offending_part + ", which is not a step",
                         "name the id of another step of the list");
    case step_fault::cycle:
        return bad_steps(step() + " waits for itself through depends_on",
                         "remove one dependency of the cycle");
    case step_fault::bad_name:
        return bad_steps(step() + " has the parameter " + offending_part +
                             " twice, or its name is not an identifier",
                         "a parameter is an identifier such as TILE_X, once in a step");
    case step_fault::no_values:
        return bad_steps(step() + " has no values for the parameter " + offending_part,
                         "list them, the neutral one first");
    case step_fault::duplicate_value:
        return bad_steps(step() + " has a value of the parameter " + offending_part + " twice",
                         "name each value once");
    case step_fault::not_neutral:
        return bad_steps("the first value of the parameter " + offending_part + " of " + step() +
                             " is not its neutral value",
                         "put the neutral value into the list, first, so that the kernel without "
                         "the step can win");
    }
    return {};
}

std::string step_request(optimization_step const& step, std::span<std::string const> lacking) {
    std::string text = step.id + ": " + step.prompt;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    if (!step.tune_params.empty()) {
        text += "\n\nTunable parameters of this step, to be used in the kernel (or its launch) and "
                "listed in the json block:";
        for (step_parameter const& p : step.tune_params) {
            text += "\n- " + detail::ticked(p.name) + ": " + values_words(p.values);
            if (p.neutral)
                text += "; with " + value_words(*p.neutral) +
                        " the kernel does what it does without this step";
        }
    }
    if (!lacking.empty()) {
        text += "\n\nThis step builds on others that the kernel does not contain. Do what you need "
                "of them as well:";
        for (std::string const& one : lacking) text += "\n- " + one;
    }
    return text;
}

} // namespace lkt
