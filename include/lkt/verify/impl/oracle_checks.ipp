// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/oracle_checks.hpp>

#include <lkt/verify/detail/launching.hpp>

#include <lkt/verify/compare.hpp>
#include <lkt/verify/test_check.hpp>
#include <lkt/verify/verify.hpp>

#include <string>
#include <utility>
#include <variant>

namespace lkt {

namespace suite_parts {

error not_the_same(std::string what) {
    return {condition::rejected,
            "lkt.verify.oracle_compare",
            "the two suites cannot be compared: " + std::move(what),
            "Prepare both from the same tests."};
}

/// Whether two prepared tests have the same size and inputs.
result<void>
same_inputs(problem const& task, test_suite const& a, test_suite const& b, std::size_t t) {
    test_case const& one = a.tests[t].test;
    test_case const& other = b.tests[t].test;
    if (one.size != other.size || one.arguments.size() != other.arguments.size())
        return not_the_same("test " + std::to_string(t) + " has " + to_string(one.size) +
                            " in the one and " + to_string(other.size) + " in the other");
    for (std::size_t k = 0; k < one.arguments.size(); ++k)
        if (a.directions[k] != direction::out && b.directions[k] != direction::out &&
            one.arguments[k] != other.arguments[k])
            return not_the_same("the input `" + task.signature.arguments[k].name + "` of test `" +
                                one.name + "` differs");
    return {};
}

} // namespace suite_parts

result<std::vector<suite_difference>>
compare_suites(problem const& task, test_suite const& a, test_suite const& b) {
    using namespace suite_parts;
    std::size_t const arguments = task.signature.arguments.size();
    if (!a.prepared() || !b.prepared()) return not_the_same("one has no expected outputs");
    if (a.directions.size() != arguments || b.directions.size() != arguments)
        return not_the_same("one is of another kernel");
    if (a.tests.size() != b.tests.size())
        return not_the_same("one has " + std::to_string(a.tests.size()) + " tests, the other " +
                            std::to_string(b.tests.size()));
    auto const outputs = output_positions(a.directions);
    auto const others = output_positions(b.directions);
    if (outputs != others) return not_the_same("they have different outputs");
    std::vector<suite_difference> differences;
    for (std::size_t t = 0; t < a.tests.size(); ++t) {
        if (auto ok = same_inputs(task, a, b, t); !ok) return ok.error();
        for (std::size_t p = 0; p < outputs.size(); ++p) {
            argument_data const& expected = a.tests[t].expected[p];
            argument_data const& got = b.tests[t].expected[p];
            if (expected.type != got.type || expected.bytes.size() != got.bytes.size())
                return not_the_same("an output of test `" + a.tests[t].test.name +
                                    "` has another type or size");
            auto const m = judge_output(task, a, a.tests[t], p, got);
            if (!m) continue;
            suite_difference d{t, outputs[p], {}};
            d.what =
                describe_mismatch(*m, expected, got, a.tests[t].bounds[p], a.tests[t].test.size);
            d.what.test = a.tests[t].test.name;
            d.what.argument = task.signature.arguments[outputs[p]].name;
            differences.push_back(std::move(d));
        }
    }
    return differences;
}

namespace detail {

result<std::optional<failure>> verify_original(gpu_ref backend,
                                               problem const& task,
                                               test_suite const& suite,
                                               call_context const& context,
                                               oracle_options const& options) {
    auto compiled = backend.compile(
        request_for_original(task, suite.reference_configuration, options.compile_limit), context);
    if (!compiled) return compiled.error();
    if (auto* const failed = std::get_if<failure>(&*compiled))
        return std::optional<failure>(std::move(*failed));
    verify_options how;
    how.time_limit = options.launch_limit;
    return verify_kernel(backend,
                         std::get<compiled_kernel>(*compiled),
                         task,
                         task.launch,
                         suite.reference_configuration,
                         suite,
                         context,
                         how);
}

} // namespace detail

} // namespace lkt
