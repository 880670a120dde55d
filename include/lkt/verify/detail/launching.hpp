// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/suite.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::detail {

/// The original of a problem, to be compiled within `limit`.
[[nodiscard]] inline compile_request
request_for_original(problem const& task, configuration const& config, seconds limit) {
    return {task.reference, task.signature, config, task.compiler_options, false, limit};
}

/// What a back end must not do.
[[nodiscard]] inline error fault_of_report(std::string what, test_case const& test) {
    return {condition::unavailable,
            "lkt.verify.report",
            "the back end " + std::move(what) + " of test `" + test.name + "`",
            "This is a defect of the back end: please report it."};
}

/// Whether a back end returned the launches that were asked for: a report that lacks one must not
/// pass for a kernel that is right.
[[nodiscard]] inline result<void> check_launches(std::span<kept_outputs const> kept,
                                                 std::span<int const> wanted,
                                                 test_case const& test) {
    if (kept.size() != wanted.size())
        return fault_of_report("returned the outputs of " + std::to_string(kept.size()) +
                                   " instead of " + std::to_string(wanted.size()) +
                                   (wanted.size() == 1 ? " launch" : " launches"),
                               test);
    for (std::size_t k = 0; k < kept.size(); ++k)
        if (kept[k].launch != wanted[k])
            return fault_of_report("returned launch " + std::to_string(kept[k].launch) +
                                       " instead of " + std::to_string(wanted[k]),
                                   test);
    return {};
}

/// Whether all outputs of a launch came back, or the word of a back end that was told what to
/// expect (`comparable`).
[[nodiscard]] inline result<void> check_kept_one(kept_outputs const& kept,
                                                 bool comparable,
                                                 test_case const& test,
                                                 std::vector<std::size_t> const& positions) {
    if (kept.as_expected && comparable) return {};
    if (kept.outputs.size() != positions.size())
        return fault_of_report("returned " + std::to_string(kept.outputs.size()) + " instead of " +
                                   std::to_string(positions.size()) + " outputs",
                               test);
    for (std::size_t p = 0; p < positions.size(); ++p) {
        argument_data const& sent = test.arguments[positions[p]];
        argument_data const& came = kept.outputs[p];
        if (came.type != sent.type || came.bytes.size() != sent.bytes.size())
            return fault_of_report("returned argument " + std::to_string(positions[p]) +
                                       " with a different type or size than it was given",
                                   test);
    }
    return {};
}

/// Both.
[[nodiscard]] inline result<void> check_kept(std::vector<kept_outputs> const& kept,
                                             std::vector<int> const& wanted,
                                             bool comparable,
                                             test_case const& test,
                                             std::vector<std::size_t> const& positions) {
    if (auto ok = check_launches(kept, wanted, test); !ok) return ok.error();
    for (kept_outputs const& one : kept)
        if (auto ok = check_kept_one(one, comparable, test, positions); !ok) return ok.error();
    return {};
}

/// A request for `launches` launches on one test, the outputs of each to be returned. Borrows from
/// `test` and `directions`.
[[nodiscard]] inline run_request request_on(test_case const& test,
                                            std::vector<direction> const& directions,
                                            launch_dimensions const& dimensions,
                                            int launches,
                                            std::uint64_t poison_seed,
                                            seconds limit) {
    run_request request;
    request.dimensions = dimensions;
    request.arguments = test.arguments;
    request.directions = directions;
    request.launches = launches;
    request.keep.clear();
    for (int k = 0; k < launches; ++k) request.keep.push_back(k);
    request.poison_seed = poison_seed;
    request.time_limit = limit;
    request.unaligned = test.unaligned;
    return request;
}

/// What the back end made of a request, checked for completeness.
[[nodiscard]] inline result<run_outcome> complete(result<run_outcome> outcome,
                                                  run_request const& request,
                                                  test_case const& test,
                                                  std::vector<direction> const& directions) {
    if (!outcome) return outcome.error();
    if (auto* const f = std::get_if<failure>(&*outcome)) name_test(*f, test);
    if (auto const* report = std::get_if<run_report>(&*outcome))
        if (auto ok = check_kept(report->kept,
                                 request.keep,
                                 request.expected.id != 0,
                                 test,
                                 output_positions(directions));
            !ok)
            return ok.error();
    return outcome;
}

/// What the back end makes of it, checked for completeness.
[[nodiscard]] inline result<run_outcome> launch(gpu_ref backend,
                                                compiled_kernel const& kernel,
                                                run_request const& request,
                                                test_case const& test,
                                                std::vector<direction> const& directions,
                                                call_context const& context) {
    return complete(backend.run(kernel, request, context), request, test, directions);
}

} // namespace lkt::detail
