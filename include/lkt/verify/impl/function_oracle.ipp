// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/function_oracle.hpp>

#include <lkt/verify/guards.hpp>

#include <cstddef>
#include <utility>

namespace lkt {

namespace function_oracle_parts {

/// Fills what the kernel writes and does not read. In every byte, and in every bit of it, the two
/// patterns differ, so that no result can pass for both.
void poison(problem const& task, std::vector<argument_data>& arguments, unsigned char pattern) {
    for (std::size_t k = 0; k < arguments.size(); ++k)
        if (task.flow(k) == direction::out)
            for (std::size_t b = 0; b < arguments[k].bytes.size(); ++b)
                arguments[k].bytes[b] = static_cast<std::byte>(pattern ^ (b * 29 & 0xff));
}

} // namespace function_oracle_parts

result<std::vector<oracle_answer>> function_oracle::answer(problem const& task,
                                                           std::span<test_case const> tests,
                                                           call_context const& context) const {
    std::vector<oracle_answer> answers;
    for (test_case const& test : tests) {
        std::vector<argument_data> runs[2];
        for (int run = 0; run < 2; ++run) {
            if (context.stop.stop_requested()) return cancelled(name);
            runs[run] = test.arguments;
            function_oracle_parts::poison(task, runs[run], run == 0 ? 0x35 : 0xca);
            if (auto ok = compute(test.size, runs[run]); !ok) return ok.error();
            if (runs[run].size() != test.arguments.size())
                return error{condition::rejected,
                             "lkt.verify.oracle_output",
                             name + " changes the number of arguments on test `" + test.name + "`",
                             "Fill the outputs in place."};
        }
        oracle_answer outputs;
        for (std::size_t const k : judged_outputs(task)) {
            argument_data const& a = runs[0][k];
            argument_data const& b = runs[1][k];
            // `suite_of` says what is wrong with another size.
            bool const fits = a.type == b.type && a.bytes.size() == b.bytes.size() &&
                              a.bytes.size() == test.arguments[k].bytes.size();
            for (std::size_t e = 0; fits && task.flow(k) == direction::out && e < a.count(); ++e)
                if (!same_element(a, b, e))
                    return error{condition::rejected,
                                 "lkt.verify.oracle_unwritten",
                                 name + " does not write element " + std::to_string(e) +
                                     " of the output `" + task.signature.arguments[k].name +
                                     "` on test `" + test.name + "`, or writes what was there",
                                 "Write every element, or declare the argument as read and written "
                                 "(inout), so that it starts from given values. A random function "
                                 "causes the same error."};
            outputs.push_back(std::move(runs[0][k]));
        }
        answers.push_back(std::move(outputs));
    }
    return answers;
}

} // namespace lkt
