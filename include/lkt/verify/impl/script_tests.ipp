// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/script_tests.hpp>

#include <lkt/kernel/signature.hpp>
#include <lkt/verify/declared_tests.hpp>
#include <lkt/verify/detail/convert_array.hpp>
#include <lkt/verify/detail/python_run.hpp>
#include <lkt/verify/detail/test_inputs.hpp>
#include <lkt/verify/signature_tests.hpp>
#include <lkt/verify/test_check.hpp>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

namespace lkt {

namespace script_parts {

/// A test at one size as the problem alone has it: values, and buffers of the right sizes, `filled`
/// as it says.
result<test_case> blank_test(problem const& task,
                             problem_size const& size,
                             bool filled,
                             std::uint64_t seed,
                             call_context const& context) {
    problem at = task;
    at.size = size;
    at.further_sizes.clear();
    for (std::size_t k = 0; k < at.arguments.size(); ++k)
        if (at.signature.arguments[k].pointer && !filled) at.arguments[k].fill = constant{0};
    signature_tests plain;
    plain.seed = seed;
    plain.other_values = false;
    auto tests = plain.generate(at, context);
    if (!tests) return tests.error();
    return std::move(tests->front());
}

/// Why a value cannot be an input, or nothing.
std::optional<std::string> outside_domain(argument_spec const& spec, argument_data const& data) {
    if (!spec.min && !spec.max) return std::nullopt;
    scalar_type const t = data.type.scalar;
    // What a bound is rounded to may lie beyond it.
    auto const end = [&](double bound) {
        return is_floating(t) ? detail::rounded_to(t, bound) : bound;
    };
    for (std::size_t k = 0; k < data.lanes(); ++k) {
        double const value = lane_as_double(data, k);
        bool const inside = (!spec.min || value >= std::min(*spec.min, end(*spec.min))) &&
                            (!spec.max || value <= std::max(*spec.max, end(*spec.max)));
        if (!inside)
            return "has the element " + std::to_string(k) + ", " + lane_text(data, k) +
                   ", outside of its domain";
    }
    return std::nullopt;
}

/// Why a model's values are beyond what the problem allows, or nothing.
std::optional<std::string> unfair(problem const& task, std::size_t k, argument_data const& data) {
    argument_spec const& spec = task.arguments[k];
    auto const fair = fair_values(task.signature.arguments[k], spec, scope_of(task.size, {}));
    if (!fair) return "has a structure that the kernel may rely on: leave it out";
    bool const any = (spec.min && std::isinf(*spec.min)) || (spec.max && std::isinf(*spec.max));
    for (std::size_t e = 0; e < data.lanes(); ++e) {
        double const value = lane_as_double(data, e);
        if (std::isfinite(value) ? !fair->holds(value) : !any)
            return "has the element " + std::to_string(e) + ", " + lane_text(data, e) +
                   ", which the problem does not allow";
    }
    return std::nullopt;
}

/// Puts one of the script's arrays into a test, or says what is wrong with it. `task` is at the
/// size of the test.
std::optional<std::string>
take_array(problem const& task, std::size_t k, npy_array&& array, bool of_model, test_case& test) {
    argument const& declared = task.signature.arguments[k];
    argument_data& now = test.arguments[k];
    auto value = detail::convert_array(std::move(array),
                                       declared.type,
                                       declared.pointer,
                                       now.count(),
                                       detail::rounding::float64_to_float32);
    if (auto* const wrong = std::get_if<std::string>(&value)) return std::move(*wrong);
    auto& data = std::get<argument_data>(value);
    if (!declared.pointer && !task.arguments[k].random) {
        if (data == now) return std::nullopt;
        return "is " + value_text(data, 0) + ", and follows from the sizes as " +
               value_text(now, 0) + ": leave it out";
    }
    if (task.arguments[k].scratch || task.flow(k) == direction::out) return std::nullopt;
    if (auto wrong = outside_domain(task.arguments[k], data)) return wrong;
    if (of_model && declared.pointer)
        if (auto wrong = unfair(task, k, data)) return wrong;
    now = std::move(data);
    return std::nullopt;
}

/// Everything that is wrong with one test; it is filled as far as it goes.
std::vector<std::string> fill_test(problem const& task,
                                   std::vector<detail::named_array>&& arrays,
                                   bool of_model,
                                   test_case& test) {
    std::vector<std::string> faults;
    auto const& arguments = task.signature.arguments;
    std::vector<bool> given(arguments.size());
    for (auto& [name, array] : arrays) {
        auto const found = std::find_if(
            arguments.begin(), arguments.end(), [&](auto const& a) { return a.name == name; });
        if (found == arguments.end()) {
            faults.push_back("`" + name.substr(0, 80) + "` is not an argument of the kernel");
            continue;
        }
        auto const k = static_cast<std::size_t>(found - arguments.begin());
        given[k] = true;
        if (auto wrong = take_array(task, k, std::move(array), of_model, test))
            faults.push_back("`" + name + "` " + *wrong);
    }
    for (std::size_t k = 0; k < arguments.size() && !of_model; ++k)
        if (!given[k] && arguments[k].pointer && !task.arguments[k].scratch &&
            task.flow(k) != direction::out)
            faults.push_back("`" + arguments[k].name +
                             "` is missing: " + std::to_string(test.arguments[k].count()) +
                             " values of " + to_string(arguments[k].type));
    return faults;
}

error faults_error(problem const& task,
                   std::string const& function,
                   std::vector<std::string> const& faults) {
    std::string text = "what `" + function + "` returns does not fit the kernel " +
                       to_string(task.signature) + ":";
    for (std::size_t k = 0; k < std::min<std::size_t>(faults.size(), 20); ++k)
        text += "\n- " + faults[k];
    if (faults.size() > 20) text += "\n- and " + std::to_string(faults.size() - 20) + " more";
    return {condition::rejected,
            "lkt.verify.script_tests",
            std::move(text),
            "Return, for each argument that the kernel reads, an array under its name, with its "
            "dtype and its number of elements at the given sizes."};
}

/// `"do":"generate",...`: what the harness is told.
std::string head_of(std::vector<problem_size> const& sizes, std::uint64_t seed, std::size_t most) {
    boost::json::array described;
    for (problem_size const& size : sizes) {
        boost::json::object entry;
        for (auto const& [name, extent] : size) entry[name] = extent;
        described.push_back(std::move(entry));
    }
    return "\"do\":\"generate\",\"seed\":" + std::to_string(seed) +
           ",\"most\":" + std::to_string(most) + ",\"sizes\":" + boost::json::serialize(described);
}

/// Tests of a model that every configuration runs; the others wait for finalists.
constexpr std::size_t for_all = 2;

} // namespace script_parts

std::vector<problem_size> script_tests::sizes(problem const& task) const {
    std::vector<problem_size> all{task.size};
    for (auto const& size : task.further_sizes)
        if (std::find(all.begin(), all.end(), size) == all.end()) all.push_back(size);
    if (max_elements == 0) return all;
    constexpr auto unknown = std::numeric_limits<std::uint64_t>::max();
    auto const elements = [&](problem_size const& size) {
        return detail::elements_at(task, size).value_or(unknown);
    };
    problem_size smallest = *std::ranges::min_element(all, {}, elements);
    std::erase_if(all, [&](auto const& size) { return elements(size) > max_elements; });
    if (all.empty()) all.push_back(std::move(smallest));
    return all;
}

result<std::vector<test_case>> script_tests::generate(problem const& task,
                                                      call_context const& context) const {
    using namespace script_parts;
    if (auto ok = check_problem(task); !ok) return ok.error();
    bool const of_model = script.of_model;
    auto const called_for = sizes(task);
    // First, because a problem whose sizes are wrong is no fault of the script.
    std::vector<test_case> blank;
    for (problem_size const& size : called_for) {
        auto test = blank_test(task, size, of_model, seed, context);
        if (!test) return test.error();
        blank.push_back(std::move(*test));
    }
    python_script generator = script;
    if (generator.function.empty()) generator.function = "generate";
    auto made = detail::run_python(generator,
                                   head_of(called_for, seed, max_tests),
                                   {},
                                   "lkt.verify.script",
                                   "Correct `" + generator.function +
                                       "(sizes, rng)`; it returns a dictionary from the names of "
                                       "the arguments to NumPy arrays.",
                                   context);
    if (!made) return made.error();
    std::vector<test_case> tests;
    std::vector<std::string> faults;
    std::vector<std::size_t> number(called_for.size());
    for (auto& answer : *made) {
        // The harness counts right, but what comes from its process is not trusted.
        if (answer.size >= called_for.size() || tests.size() >= max_tests) break;
        test_case test = blank[answer.size];
        std::size_t const n = ++number[answer.size];
        test.name = to_string(test.size) + (of_model ? ", a model's script" : ", script") +
                    (n > 1 ? " " + std::to_string(n) : "");
        if (of_model) {
            test.origin = test_origin::menu;
            test.for_finalists = tests.size() >= for_all;
        }
        problem at = task;
        at.size = test.size;
        for (std::string const& fault : fill_test(at, std::move(answer.arrays), of_model, test))
            faults.push_back("at " + to_string(test.size) +
                             (n > 1 ? ", test " + std::to_string(n) : "") + ": " + fault);
        tests.push_back(std::move(test));
    }
    if (!faults.empty()) return faults_error(task, generator.function, faults);
    if (tests.empty() || tests.front().size != called_for.front())
        return error{condition::rejected,
                     "lkt.verify.script",
                     "`" + generator.function + "` returned no test at " +
                         to_string(called_for.front()),
                     "Return at least one test for the sizes that it is called with."};
    return tests;
}

} // namespace lkt
