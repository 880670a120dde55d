// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/signature_tests.hpp>

#include <lkt/verify/draw.hpp>
#include <lkt/verify/test_check.hpp>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <utility>

namespace lkt {

namespace detail {

/// A scalar argument from the value of its expression.
result<argument_data> scalar_from(argument const& declared, parameter_value const& value) {
    // A vector by value (float4) gets the same value in each lane.
    auto lane = scalar_argument(declared.type.scalar, value);
    if (!lane) {
        error e = lane.error();
        e.message = "the value of argument `" + declared.name + "`: " + e.message;
        if (e.hint.empty()) e.hint = "Change the argument's value, or the problem size.";
        return e;
    }
    argument_data data{declared.type, false, {}};
    for (unsigned k = 0; k < declared.type.lanes; ++k)
        data.bytes.insert(data.bytes.end(), lane->bytes.begin(), lane->bytes.end());
    return data;
}

/// The argument with its size, its contents still zero, or the scalar's value.
result<argument_data> shape_argument(argument const& declared,
                                     argument_spec const& spec,
                                     expression_scope const& scope,
                                     problem_size const& size,
                                     std::uint64_t bytes_left) {
    auto const at = [&](error e, char const* of) {
        e.message = std::string(of) + " of argument `" + declared.name + "` at " + to_string(size) +
                    ": " + e.message;
        return e;
    };
    if (!declared.pointer && !spec.random) {
        auto const value = spec.value.evaluate(scope);
        if (!value) return at(value.error(), "the value");
        return scalar_from(declared, *value);
    }
    std::int64_t count = 1;
    if (declared.pointer) {
        auto const evaluated = spec.count.evaluate_integer(scope);
        if (!evaluated) return at(evaluated.error(), "the element count");
        count = *evaluated;
    }
    std::string const buffer =
        "argument `" + declared.name + "` at " + to_string(size) + " has " + std::to_string(count);
    if (count < 1)
        return error{condition::rejected,
                     "lkt.verify.count",
                     buffer + " elements",
                     "Give its element count as an expression over the problem size; it must be "
                     "at least 1."};
    if (declared.constant_count > 0 && static_cast<std::uint64_t>(count) != declared.constant_count)
        return error{condition::rejected,
                     "lkt.verify.count",
                     buffer + " elements, and the kernel declares " + declared.spelling,
                     "Leave the element count of constant memory out."};
    std::size_t const each = declared.type.bytes();
    if (static_cast<std::uint64_t>(count) > bytes_left / each)
        return error{condition::exhausted,
                     "lkt.verify.too_large",
                     buffer + " elements of " + std::to_string(each) +
                         " bytes, more than the memory that is left for this test",
                     "Take a smaller problem size, or raise signature_tests::limit."};
    argument_data data{declared.type, declared.pointer, {}};
    try {
        data.bytes.resize(static_cast<std::size_t>(count) * each);
    } catch (std::bad_alloc const&) {
        return error{condition::exhausted,
                     "lkt.verify.memory",
                     buffer + " elements, for which this machine has not enough memory",
                     "Take a smaller problem size."};
    }
    return data;
}

} // namespace detail

result<std::vector<test_case>> signature_tests::generate(problem const& task,
                                                         call_context const& context) const {
    if (auto ok = check_problem(task); !ok) return ok.error();
    std::vector<problem_size> sizes{task.size};
    for (auto const& size : task.further_sizes)
        if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
    std::vector<test_case> tests;
    for (std::size_t k = 0; k < sizes.size() + (other_values ? 1 : 0); ++k) {
        bool const again = k == sizes.size();
        problem_size const& size = again ? task.size : sizes[k];
        auto test = one(task, size, static_cast<std::uint32_t>(k), context);
        if (!test) return test.error();
        if (again) test->name += ", other values";
        tests.push_back(std::move(*test));
    }
    // Without anything random the last test would repeat the first.
    if (other_values && tests.back().arguments == tests.front().arguments) tests.pop_back();
    return tests;
}

result<test_case> signature_tests::one(problem const& task,
                                       problem_size const& size,
                                       std::uint32_t number,
                                       call_context const& context) const {
    test_case test{to_string(size), size, {}};
    expression_scope const scope = scope_of(size, {});
    std::uint64_t left = limit.count;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& declared = task.signature.arguments[k];
        argument_spec const& spec = task.arguments[k];
        auto data = detail::shape_argument(declared, spec, scope, size, left);
        if (!data) return data.error();
        left -= std::min<std::uint64_t>(left, data->bytes.size());
        bool const drawn = declared.pointer || spec.random;
        // What an output holds before the launch is the back end's affair.
        if (drawn && task.flow(k) != direction::out) {
            random_stream const stream{seed, number, static_cast<std::uint32_t>(k)};
            if (auto ok = draw(*data, spec.fill, scope, stream, context); !ok) {
                error e = ok.error();
                if (e.kind != condition::cancelled)
                    e.message = "argument `" + declared.name + "`: " + e.message;
                return e;
            }
        }
        test.arguments.push_back(std::move(*data));
    }
    return test;
}

} // namespace lkt
