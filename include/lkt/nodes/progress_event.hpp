// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/nodes/model_usage.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace lkt {

/// What takes time in a run.
enum class activity : unsigned char {
    testing_reference, ///< inputs are generated, the original kernel runs on them
    timing_baseline,
    asking_model,
    trying_configurations, ///< compile, verify, time; `done` of `total`
    measuring_finalists,   ///< side by side with the kernel to beat
    checking_finalist,     ///< by `last`, the name of a check
    profiling,             ///< a kernel that the model will be shown
    answering,             ///< the model's questions about a kernel
    confirming,            ///< the winner against the original
    verifying,             ///< one kernel, stage by stage
    deciding,              ///< takes no time; `last` is what was decided, and why
};

[[nodiscard]] constexpr std::string_view to_string(activity a) {
    switch (a) {
    case activity::testing_reference:
        return "running the original";
    case activity::timing_baseline:
        return "timing the original";
    case activity::asking_model:
        return "asking the model";
    case activity::trying_configurations:
        return "trying configurations";
    case activity::measuring_finalists:
        return "measuring finalists";
    case activity::checking_finalist:
        return "checking a finalist";
    case activity::profiling:
        return "profiling a kernel";
    case activity::answering:
        return "answering questions about a kernel";
    case activity::confirming:
        return "confirming the result";
    case activity::verifying:
        return "verifying";
    case activity::deciding:
        return "deciding";
    }
    return "unknown";
}

/// Where a node stands. Sent at the beginning of an activity and after each part of it.
struct progress_event {
    activity what = activity::testing_reference;
    std::size_t done = 0, total = 0; ///< parts; total 0 where it is not known
    std::size_t reused = 0;          ///< of those done: results from before, which took no time
    std::size_t attempt = 0;         ///< number of the proposal; 0 before the first
    std::string_view step = {};      ///< the requested change; empty: anything that makes it faster
    seconds best{};                  ///< median of the best kernel so far; 0 before there is one
    seconds baseline{};
    std::int64_t model_calls = 0;            ///< that were answered
    std::int64_t model_requests = 0;         ///< that were made: with what failed
    token_usage tokens = {};                 ///< of all calls
    std::span<used_model const> models = {}; ///< that answered them
    /// What the last part came to: a failure's name; the check that runs; or empty.
    std::string_view last;
};

using progress_sink = std::function<void(progress_event const&)>;

} // namespace lkt
