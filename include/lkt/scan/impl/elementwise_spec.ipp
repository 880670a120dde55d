// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/near_name.hpp>
#include <lkt/core/string_tools.hpp>
#include <lkt/scan/elementwise_spec.hpp>

namespace lkt {

result<elementwise_function> elementwise_function_called(std::string_view name) {
    std::string known;
    for (auto const& one : every_elementwise_function) {
        if (one.name == name) return one.function;
        known += (known.empty() ? "" : ", ") + std::string(one.name);
    }
    return error{condition::rejected,
                 "lkt.scan.function",
                 "there is no function " + in_backticks(name) + did_you_mean(name, known),
                 "functions: " + known};
}

result<elementwise_spec> elementwise_spec::make(elementwise_draft const& draft) {
    auto const reject = [&](std::string code, std::string why) {
        return error{condition::rejected,
                     "lkt.scan.elementwise-" + std::move(code),
                     std::string(to_string(draft.function)) + " of " +
                         std::to_string(draft.elements) + " elements of " +
                         std::string(to_string(draft.type)) + " cannot be: " + why,
                     {}};
    };
    auto const& own = traits_of(draft.function);
    switch (detail::scan::fault_of(draft)) {
    case elementwise_fault::none:
        return elementwise_spec(draft);
    case elementwise_fault::size:
        return reject("size", "there is at least one element");
    case elementwise_fault::operands:
        return reject("operands",
                      draft.function == elementwise_function::other
                          ? "it needs 1 to 64 inputs, and 1 to 1000000000 FLOPs an element"
                          : "the function has " + std::to_string(own.inputs) + " inputs and " +
                                std::to_string(own.flops) + " FLOPs");
    case elementwise_fault::function:
        return reject("function", "the function has no integers");
    case elementwise_fault::large:
        return reject("large", "there are more than 1e15 elements");
    }
    return elementwise_spec(draft);
}

std::string to_string(elementwise_spec const& s) {
    std::string text = std::string(to_string(s.function())) + ' ' + std::to_string(s.elements()) +
                       ' ' + std::string(to_string(s.type()));
    if (s.function() == elementwise_function::other)
        text += " inputs=" + std::to_string(s.inputs()) + " flops=" + std::to_string(s.flops());
    if (s.output() != s.type()) text += " >" + std::string(to_string(s.output()));
    return text;
}

} // namespace lkt
