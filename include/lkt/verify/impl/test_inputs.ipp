// SPDX-License-Identifier: BSL-1.0
// What generators of tests share.
#pragma once

#include <lkt/verify/detail/test_inputs.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/lang/expanded_text.hpp>
#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/draw.hpp>
#include <lkt/verify/generated_sizes.hpp>
#include <lkt/verify/test_check.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <variant>

namespace lkt::detail {

namespace input_parts {

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
    std::size_t const one = lane->bytes.size();
    argument_data data{declared.type, false, byte_buffer(declared.type.lanes * one)};
    for (unsigned k = 0; k < declared.type.lanes; ++k)
        std::memcpy(data.bytes.data() + k * one, lane->bytes.data(), one);
    return data;
}

error at_size(error e, char const* of, argument const& declared, problem_size const& size) {
    e.message = std::string(of) + " of argument `" + declared.name + "` at " + to_string(size) +
                ": " + e.message;
    return e;
}

std::string buffer_at(argument const& declared, problem_size const& size, std::int64_t count) {
    return "argument `" + declared.name + "` at " + to_string(size) + " has " +
           std::to_string(count);
}

/// Elements of a buffer.
result<std::int64_t> count_at(argument const& declared,
                              argument_spec const& spec,
                              expression_scope const& scope,
                              problem_size const& size) {
    auto const count = spec.count.evaluate_integer(scope);
    if (!count) return at_size(count.error(), "the element count", declared, size);
    if (*count < 1)
        return error{condition::rejected,
                     "lkt.verify.count",
                     buffer_at(declared, size, *count) + " elements",
                     "Give its element count as an expression over the problem size; it must be "
                     "at least 1."};
    if (declared.constant_count > 0 &&
        static_cast<std::uint64_t>(*count) != declared.constant_count)
        return error{condition::rejected,
                     "lkt.verify.count",
                     buffer_at(declared, size, *count) + " elements, but the kernel declares " +
                         declared.spelling,
                     "Leave the element count of constant memory out."};
    return *count;
}

/// The argument with its size, its contents still zero, or the scalar's value.
result<argument_data> shape_argument(argument const& declared,
                                     argument_spec const& spec,
                                     expression_scope const& scope,
                                     problem_size const& size,
                                     std::uint64_t bytes_left) {
    if (!declared.pointer && !spec.random) {
        auto const value = spec.value.evaluate(scope);
        if (!value) return at_size(value.error(), "the value", declared, size);
        return scalar_from(declared, *value);
    }
    std::int64_t count = 1;
    if (declared.pointer) {
        auto const counted = count_at(declared, spec, scope, size);
        if (!counted) return counted.error();
        count = *counted;
    }
    std::string const buffer = buffer_at(declared, size, count);
    std::size_t const each = declared.type.bytes();
    if (static_cast<std::uint64_t>(count) > bytes_left / each)
        return error{
            condition::exhausted,
            "lkt.verify.too_large",
            buffer + " elements of " + std::to_string(each) +
                " bytes, more than the memory that is left for this test",
            "Choose a smaller problem size, or raise the tests' limit (lkt-tune --test-memory)."};
    argument_data data{declared.type, declared.pointer, {}};
    try {
        data.bytes = byte_buffer(static_cast<std::size_t>(count) * each);
    } catch (std::bad_alloc const&) {
        return error{condition::exhausted,
                     "lkt.verify.memory",
                     buffer + " elements, more than fit into this machine's memory",
                     "Choose a smaller problem size."};
    }
    return data;
}

/// A value of a scalar that may vary: often one near the usual one, often one far from it.
double other_value(argument const& declared,
                   argument_spec const& spec,
                   value_bounds fair,
                   random_stream const& stream) {
    auto const usual = spec.value.evaluate({});
    double now = 1;
    if (usual)
        if (auto const* i = std::get_if<std::int64_t>(&*usual)) now = static_cast<double>(*i);
    if (usual)
        if (auto const* d = std::get_if<double>(&*usual)) now = *d;
    double const u = unit_interval(stream.bits(1));
    std::uint64_t const kind = below(8, stream.bits(0));
    if (!is_floating(declared.type.scalar)) {
        double const low = std::ceil(fair.min), high = std::floor(fair.max);
        if (kind == 0) return low;
        if (kind == 1) return high;
        if (kind < 5) return low + std::floor(u * std::fmin(high - low + 1, 16));
        return low + std::fmin(std::floor(u * (high - low + 1)), high - low);
    }
    if (std::isfinite(fair.min) && std::isfinite(fair.max))
        return kind == 0   ? fair.min
               : kind == 1 ? fair.max
                           : rounded_to(declared.type.scalar, fair.min + (fair.max - fair.min) * u);
    double const size = now == 0 ? 1 : std::fabs(now);
    double value = kind == 0   ? 0
                   : kind == 1 ? 1
                   : kind < 6
                       ? now * (0.5 + 4 * u)
                       : size * std::ldexp(1 + u, static_cast<int>(below(13, stream.bits(2))) - 6);
    if (kind % 2 != 0 && fair.holds(-value)) value = -value;
    return std::clamp(rounded_to(declared.type.scalar, value), fair.min, fair.max);
}

/// Fills one input of a test.
result<void> fill_input(problem const& task,
                        test_case const& test,
                        std::size_t k,
                        argument_data& data,
                        input_plan const& plan,
                        call_context const& context) {
    argument const& declared = task.signature.arguments[k];
    argument_spec const& spec = task.arguments[k];
    expression_scope const scope = scope_of(test.size, {});
    random_stream const stream{plan.seed, plan.number, static_cast<std::uint32_t>(k)};
    auto const own = std::find_if(
        plan.fills.begin(), plan.fills.end(), [&](auto const& f) { return f.argument == k; });
    bool const asked = own != plan.fills.end();
    if (!declared.pointer && !spec.random && !asked) {
        if (!plan.other_scalars || test.size == task.size) return {};
        auto const fair = fair_scalar(task, k);
        if (!fair) return {};
        declared_fill const one{
            constant{
                other_value(declared, spec, *fair, {~plan.seed, plan.number, stream.argument})},
            {},
            0};
        return draw(data, one, scope, stream, context, *fair);
    }
    // What an output holds before the launch is the back end's affair.
    if (task.flow(k) == direction::out) return {};
    if (asked && own->regime) {
        random_stream const all{plan.seed, plan.number, 0xffffffff};
        regime_drawing const how{.what = *own->regime,
                                 .fair = own->within,
                                 .own = stream,
                                 .shared = all,
                                 .argument = static_cast<std::size_t>(own - plan.fills.begin()),
                                 .row = row_length(test.size, data.lanes(), stream),
                                 .updated = task.flow(k) == direction::inout,
                                 .denormals = keeps_denormals(task),
                                 .decides = decides(task),
                                 .exact = judged_by_function(task)};
        if (draw_regime(data, how)) return {};
    }
    if (asked && !own->regime) return draw(data, own->how, scope, stream, context, own->within);
    return draw(data, spec.fill, scope, stream, context, bounds_of(spec));
}

} // namespace input_parts

std::vector<input_fill> full_inputs(problem const& task, problem_size const& size, bool all) {
    std::vector<input_fill> fills;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& declared = task.signature.arguments[k];
        if (!declared.pointer || task.flow(k) == direction::out ||
            (is_floating(declared.type.scalar) && !all))
            continue;
        auto fair = fair_values(declared, task.arguments[k], scope_of(size, {}));
        // Just below a power of two sums need one bit more.
        if (fair && is_floating(declared.type.scalar)) fair->max *= fair->max > 0 ? 0.9472135 : 1;
        if (fair && std::isfinite(fair->min) && std::isfinite(fair->max) && fair->min < fair->max)
            fills.push_back({k, {}, *fair, value_regime::upper_bounds});
    }
    return fills;
}

result<test_case> inputs_at(problem const& task,
                            problem_size const& size,
                            input_plan const& plan,
                            call_context const& context) {
    test_case test{to_string(size), size, {}};
    expression_scope const scope = scope_of(size, {});
    std::uint64_t left = plan.limit.count;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& declared = task.signature.arguments[k];
        argument_spec const& spec = task.arguments[k];
        auto data = input_parts::shape_argument(declared, spec, scope, size, left);
        if (!data) return data.error();
        left -= std::min<std::uint64_t>(left, data->bytes.size());
        if (auto ok = input_parts::fill_input(task, test, k, *data, plan, context); !ok) {
            error e = ok.error();
            if (e.kind != condition::cancelled)
                e.message = "argument `" + declared.name + "`: " + e.message;
            return e;
        }
        test.arguments.push_back(std::move(*data));
    }
    return test;
}

result<std::vector<std::optional<argument_data>>> scalars_at(problem const& task,
                                                             problem_size const& size) {
    expression_scope const scope = scope_of(size, {});
    std::vector<std::optional<argument_data>> all(task.arguments.size());
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& declared = task.signature.arguments[k];
        argument_spec const& spec = task.arguments[k];
        if (declared.pointer || spec.random) continue;
        auto data = input_parts::shape_argument(declared, spec, scope, size, 64);
        if (!data) return data.error();
        all[k] = std::move(*data);
    }
    return all;
}

std::optional<error> arguments_fault(problem const& task, problem_size const& size) {
    if (auto const scalars = scalars_at(task, size); !scalars) return scalars.error();
    expression_scope const scope = scope_of(size, {});
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& declared = task.signature.arguments[k];
        if (!declared.pointer) continue;
        auto const count = input_parts::count_at(declared, task.arguments[k], scope, size);
        if (!count) return count.error();
    }
    return std::nullopt;
}

std::optional<std::uint64_t> elements_at(problem const& task, problem_size const& size) {
    expression_scope const scope = scope_of(size, {});
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < task.arguments.size(); ++k) {
        argument const& declared = task.signature.arguments[k];
        argument_spec const& spec = task.arguments[k];
        if (!declared.pointer) {
            // One value: whether there is one, and whether the type has it.
            if (!spec.random && !input_parts::shape_argument(declared, spec, scope, size, 64))
                return std::nullopt;
            continue;
        }
        auto const count = spec.count.evaluate_integer(scope);
        if (!count || *count < 1 || *count > std::int64_t{1} << 48) return std::nullopt;
        auto const elements = static_cast<std::uint64_t>(*count);
        if (declared.constant_count > 0 && elements != declared.constant_count) return std::nullopt;
        sum += elements;
    }
    return sum;
}

std::int64_t largest_extent(problem const& task) {
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max(), iterations = 65535;
    if (task.reference.language != language::wgsl) return any;
    auto const text = expand_text(task.reference);
    if (!text) return iterations;
    bool const loops = std::any_of(text->seen.begin(), text->seen.end(), [](auto const& t) {
        return t.is("for") || t.is("while") || t.is("loop");
    });
    return loops ? iterations : any;
}

std::vector<named_size> sizes_to_test(problem const& task, std::uint64_t seed, int hidden) {
    std::vector<named_size> sizes{{to_string(task.size), task.size, false}};
    for (problem_size const& size : task.further_sizes)
        if (std::none_of(sizes.begin(), sizes.end(), [&](auto const& s) { return s.size == size; }))
            sizes.push_back({to_string(size), size, false});
    int number = 0;
    for (problem_size& size : generated_sizes(task, {.seed = seed, .count = hidden}))
        sizes.push_back({"hidden size " + std::to_string(++number), std::move(size), true});
    return sizes;
}

named_size
small_size(problem const& task, std::uint64_t seed, int hidden, std::uint64_t max_elements) {
    auto sizes = sizes_to_test(task, seed, hidden);
    named_size* best = nullptr;
    std::uint64_t elements = 0;
    for (named_size& s : sizes) {
        auto const n = elements_at(task, s.size);
        if (!n) continue;
        if (&s == &sizes.front() && *n <= max_elements) return std::move(s);
        bool const small = *n <= max_elements,
                   had_small = best != nullptr && elements <= max_elements;
        if (best == nullptr || (small && (!had_small || *n > elements)) ||
            (!small && !had_small && *n < elements)) {
            best = &s;
            elements = *n;
        }
    }
    return best != nullptr ? std::move(*best) : std::move(sizes.front());
}

} // namespace lkt::detail
