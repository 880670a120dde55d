// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/classify.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/suite.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace lkt::detail {

/// The first wrong output among those of one launch, with its argument's position in the launch's
/// outputs.
struct found_mismatch {
    std::size_t position = 0;
    mismatch difference;
    wrong_output report;
};
[[nodiscard]] std::optional<found_mismatch>
first_mismatch(problem const& task,
               test_suite const& suite,
               prepared_test const& test,
               std::vector<argument_data> const& outputs);

/// What is known of a wrong output without any further launch.
[[nodiscard]] wrong_evidence evidence_of(test_suite const& suite,
                                         prepared_test const& test,
                                         found_mismatch const& found,
                                         argument_data const& got);

/// Launches a test again as `request` has it, a few times, each with nothing kept from earlier
/// launches.
[[nodiscard]] when_fresh outcome_when_fresh(gpu_ref backend,
                                            compiled_kernel const& kernel,
                                            problem const& task,
                                            test_suite const& suite,
                                            prepared_test const& test,
                                            run_request request,
                                            call_context const& context);

} // namespace lkt::detail
