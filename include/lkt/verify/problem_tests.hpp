// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <vector>

namespace lkt {

/// All tests of a problem: those of its sizes (`signature_tests`, the first of which is timed),
/// those that it declares, and the menu (`declared_tests`) with `corner_tests`. Named sizes, one
/// hidden one and the first items of the menu are for every configuration, the others for finalists
/// (`test_case::for_finalists`). Tuners and verifiers use it by default.
struct problem_tests {
    std::uint64_t seed = 1; ///< reveals all inputs and hidden sizes
    int hidden_sizes = 6;   ///< at most; see `generated_sizes`. More: more `long_tests`, and
                            ///< `extent_tests`
    bool menu = true;
    bytes limit{std::uint64_t{4} << 30}; ///< memory for the arguments of one test

    /// Errors: those of the generators.
    [[nodiscard]] result<std::vector<test_case>> generate(problem const& task,
                                                          call_context const& context) const;
};

} // namespace lkt
