// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/secret_stream.hpp>
#include <lkt/evaluate/check.hpp>
#include <lkt/evaluate/evaluation_options.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/measurement.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/suite.hpp>

#include <cstdint>
#include <optional>

namespace lkt {

/// What an evaluation is given: what every part of it reads. What it refers to must outlive it.
struct evaluation_setup {
    gpu_ref gpu;
    problem const& task;
    device_description const& device;
    test_suite const& suite;
    evaluation_options options;
    call_context context;
    checks_ref checks;        ///< what a kernel must pass, in order
    bool checked_mode = true; ///< false: the original itself fails in it

    /// Whether slow configurations are dropped after few launches. A simulated device is too noisy
    /// to judge by single launches, and starts anew for each run.
    [[nodiscard]] bool drops_slow_ones() const { return !device.simulated; }
};

/// Seeds of the patterns that fill memory before launches: each launch gets one of its own.
class launch_patterns {
public:
    explicit launch_patterns(std::uint64_t seed) : at_(drawn(secret_of(seed), "launches")) {}
    [[nodiscard]] std::uint64_t next() { return at_ += 0x9e3779b97f4a7c15u; } // Weyl sequence

private:
    std::uint64_t at_;
};

/// A kernel in one configuration, compiled, and the times of its launches so far.
struct trial {
    candidate const* kernel = nullptr;
    lkt::signature const* declared = nullptr; ///< as its own text declares it
    configuration config;
    launch_dimensions dimensions;
    compiled_kernel compiled;
    measurement time;
    std::optional<failure> failed; ///< in a timed launch
    double occupancy = 0;          ///< as in `run_report`
};

} // namespace lkt
