// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/secret_stream.hpp>
#include <lkt/evaluate/checked_part.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/measurement.hpp>
#include <lkt/kernel/output_error.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/branch_coverage.hpp>
#include <lkt/verify/suite.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lkt {

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
    std::string timing{};          ///< as in `run_report`, of the last series
    /// False: its times are from before, and the finals compile it if they need it. `compiled` has
    /// its digest alone.
    bool built = true;
    checked_part checked{}; ///< so far
    branch_coverage branches{};
    std::vector<std::string> left_out{}; ///< tests that were not run, and why
    std::vector<output_error> errors{};  ///< of the tests that were run last, with it alone
};

} // namespace lkt
