// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/evaluate/builder.hpp>
#include <lkt/evaluate/check.hpp>
#include <lkt/evaluate/decision.hpp>
#include <lkt/evaluate/evaluation_options.hpp>
#include <lkt/evaluate/test_schedule.hpp>
#include <lkt/evaluate/timer.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/suite.hpp>

namespace lkt {

/// What builds, chooses tests, times and decides. Each part is borrowed, and has a standard one.
struct evaluation_parts {
    builder_ref builder{};
    schedule_ref schedule{};
    timer_ref timer{};
    decision_ref decision{};
};

/// The input of an evaluation, which all its parts read. The objects that it refers to must outlive
/// it.
struct evaluation_setup {
    gpu_ref gpu;
    problem const& task;
    device_description const& device;
    test_suite const& suite;
    evaluation_options options;
    call_context context;
    checks_ref checks;        ///< what a kernel must pass, in order
    bool checked_mode = true; ///< false: the original itself fails in it
    evaluation_parts parts{};

    /// Whether slow configurations are dropped after few launches. A simulated device is too noisy
    /// to judge by single launches, and starts again for each run.
    [[nodiscard]] bool drops_slow_ones() const { return !device.simulated; }
};

} // namespace lkt
