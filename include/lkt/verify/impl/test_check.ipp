// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/test_check.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lkt {

std::string to_string(problem_size const& size) {
    std::string text;
    for (auto const& [name, extent] : size)
        text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(extent);
    return text.empty() ? "no size" : text;
}

result<void> check_problem(problem const& task) {
    if (task.arguments.size() == task.signature.arguments.size()) return {};
    return error{condition::rejected,
                 "lkt.verify.problem",
                 "the kernel " + task.signature.name + " has " +
                     std::to_string(task.signature.arguments.size()) +
                     " arguments, but the problem describes " +
                     std::to_string(task.arguments.size()),
                 "Describe each argument of the kernel once, in its order."};
}

result<void> check_test(problem const& task, test_case const& test) {
    if (auto ok = check_problem(task); !ok) return ok.error();
    auto const fault = [&](std::string what) {
        return error{condition::rejected,
                     "lkt.verify.test",
                     "test `" + test.name + "` " + std::move(what),
                     "Give one value or buffer for each argument of " + task.signature.name +
                         ", in the order of its declaration."};
    };
    auto const& arguments = task.signature.arguments;
    expression_scope const scope = scope_of(test.size, {});
    if (test.arguments.size() != arguments.size())
        return fault("has " + std::to_string(test.arguments.size()) + " arguments instead of " +
                     std::to_string(arguments.size()));
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        argument_data const& data = test.arguments[k];
        std::string const name = "`" + arguments[k].name + "`";
        if (data.type != arguments[k].type)
            return fault("gives " + name + " as " + to_string(data.type) + ", the kernel takes " +
                         to_string(arguments[k].type));
        if (data.buffer != arguments[k].pointer)
            return fault(data.buffer ? "gives a buffer for " + name + ", which is a value"
                                     : "gives a value for " + name + ", which is a buffer");
        std::size_t const one = data.type.bytes();
        if (data.bytes.empty() || data.bytes.size() % one != 0 ||
            (!data.buffer && data.bytes.size() != one))
            return fault("gives " + std::to_string(data.bytes.size()) + " bytes for " + name +
                         ", whose elements take " + std::to_string(one));
        // Where the size says nothing of it, as where a user gave none, the test decides.
        auto const wanted = task.arguments[k].count.evaluate_integer(scope);
        auto const has = static_cast<std::int64_t>(data.count());
        if (data.buffer && wanted && *wanted > 0 && has != *wanted)
            return error{condition::rejected,
                         "lkt.verify.test",
                         "test `" + test.name + "` gives " + std::to_string(has) +
                             " elements for " + name + ", which has " +
                             task.arguments[k].count.text() + " = " + std::to_string(*wanted) +
                             " at the test's size, " + to_string(test.size),
                         "Make the buffer as large as that, or set the test's `size`."};
    }
    return {};
}

} // namespace lkt
