// SPDX-License-Identifier: BSL-1.0
// What every oracle has in common: how a suite begins, and how it takes an expected output.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/suite.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lkt {
struct output_bounds;
}

namespace lkt::detail {

/// A suite without tests: directions as the problem has them, and the configuration. Errors: a
/// problem, a test or a configuration that does not fit; no test; no output.
[[nodiscard]] result<test_suite> begin_suite(problem const& task,
                                             std::vector<test_case> const& tests,
                                             oracle_options const& options);

/// Lanes that are NaN or infinite.
[[nodiscard]] std::uint64_t count_not_finite(argument_data const& data);

/// A buffer of two elements or more, all of which are the same.
[[nodiscard]] bool all_alike(argument_data const& data);

/// Whether an output of a test has elements that are not judged.
[[nodiscard]] bool has_open(prepared_test const& test, std::size_t position);
/// `got` with what is expected in their place.
[[nodiscard]] argument_data
without_open(prepared_test const& test, std::size_t position, argument_data const& got);

/// Takes an expected output, and notes what is odd about it on a test that somebody asked for.
/// `not_finite`: how many of its lanes are, where that has been counted.
void expect(problem const& task,
            test_suite& suite,
            prepared_test& now,
            std::size_t argument,
            argument_data&& expected,
            output_bounds const& bounds,
            std::optional<std::uint64_t> not_finite = std::nullopt);

} // namespace lkt::detail
