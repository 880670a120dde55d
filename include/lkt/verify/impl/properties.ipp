// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/properties.hpp>

#include <lkt/verify/detail/leftover_memory.hpp>
#include <lkt/verify/detail/property_trial.hpp>
#include <lkt/verify/detail/related_outputs.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lkt::detail {

/// Whether launches on the same inputs have the same outputs.
property_trial::verdict_of_check determinism(property_trial const& trial) {
    prepared_test const& test = trial.subject();
    constexpr int max_at_once = 10, least = 3;
    property_options const& options = trial.options;
    bool const limited = options.launching > seconds{};
    int const at_once =
        limited && test.reference_time * max_at_once > options.launching ? least : max_at_once;
    property_trial::outputs first;
    std::string differs;
    seconds spent{};
    for (int done = 0; done < options.launches;) {
        if (limited && done >= least && spent >= options.launching) break;
        int const now = std::min(at_once, options.launches - done);
        // Memory holds something else before each launch, and that changes nothing.
        auto ran = trial.run(test.test, test, now, true, static_cast<std::uint64_t>(done));
        if (!ran) return ran.error();
        if (auto* f = std::get_if<failure>(&*ran)) return std::optional(std::move(*f));
        for (seconds const sample : std::get<run_report>(*ran).samples) spent += sample;
        for (kept_outputs& kept : std::get<run_report>(*ran).kept) {
            ++done;
            if (kept.as_expected) continue;
            // What repeats a launch bit by bit was judged with it.
            std::string other = first.empty() ? "" : trial.other_bits(first, kept.outputs);
            if (!first.empty() && other.empty()) continue;
            if (auto w = trial.judge(test, kept.outputs, test.test.name)) {
                w->pattern = "in launch " + std::to_string(done) + " of " +
                             std::to_string(options.launches) + " identical ones: " + w->pattern;
                w->as = verdict::nondeterminism;
                return std::optional<failure>(std::move(*w));
            }
            if (first.empty())
                first = std::move(kept.outputs);
            else if (differs.empty())
                differs = std::move(other);
        }
    }
    if (differs.empty()) return std::optional<failure>();
    std::string const where = differs + ", on test `" + test.test.name + "`";
    if (trial.task.properties.deterministic)
        return std::optional<failure>(
            race{"the problem promises the same bits in each launch, but " + where,
                 verdict::nondeterminism});
    trial.note("the bits of outputs change from launch to launch, within the bounds: " + where);
    return std::optional<failure>();
}

property_trial::verdict_of_check all_properties(property_trial const& trial) {
    if (auto made = leftover_memory{trial}.leftovers(false); !made || *made) return made;
    if (trial.options.launches > 0) {
        if (auto made = determinism(trial); !made || *made) return made;
        if (auto made = leftover_memory{trial}.leftovers(true); !made || *made) return made;
    }
    related_outputs const related{trial};
    prepared_test const& test = trial.subject();
    for (auto const& set : trial.task.properties.linear) {
        if (set.empty()) continue;
        if (auto const why = related.not_linear(set); !why.empty()) {
            trial.note("linearity was not tried: " + why);
            continue;
        }
        if (auto made = related.scaling(test, set); !made || *made) return made;
        if (auto made = related.addition(test, set); !made || *made) return made;
    }
    if (!trial.task.properties.permutation_invariant.empty()) return related.permutation(test);
    return std::optional<failure>();
}

result<std::optional<failure>> check_properties(gpu_ref backend,
                                                compiled_kernel const& kernel,
                                                problem const& task,
                                                launch_formula const& launch,
                                                configuration const& config,
                                                test_suite const& suite,
                                                call_context const& context,
                                                property_options const& options) {
    if (!suite.prepared())
        return error{condition::rejected,
                     "lkt.verify.no_tests",
                     "there is no prepared test for the kernel " + task.signature.name,
                     "Prepare the suite with prepare_suite first."};
    return all_properties({backend, kernel, task, launch, config, suite, context, options});
}

} // namespace lkt::detail
