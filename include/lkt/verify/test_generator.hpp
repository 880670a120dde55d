// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/problem.hpp>

#include <concepts>
#include <string>
#include <vector>

namespace lkt {

/// Who chose a test.
enum class test_origin : unsigned char {
    asked,        ///< the problem, its user, or a generator of theirs
    hidden_size,  ///< lkt: a size that the user did not name
    menu,         ///< lkt: inputs that the user did not name
    large_size,   ///< lkt: a size as large as time allows, too large for a watched build
    long_rows,    ///< lkt: an extent as long as may be, with values of its own in each row
    grown_extent, ///< lkt: an extent beyond what a float counts
    swept_size    ///< lkt: one of many small sizes, for one configuration
};

/// Inputs at one problem size. Arguments are in the signature's order; for an `out` argument only
/// type and size count.
struct test_case {
    std::string name;
    problem_size size;
    std::vector<argument_data> arguments;
    bool for_finalists = false; ///< need not be run for each configuration of a sweep
    /// Tests that lkt chose may be dropped if they prove nothing; see `keep_sound_tests`.
    test_origin origin = test_origin::asked;
    std::uint64_t unaligned = 0; ///< as `run_request` has it
};

namespace detail {
/// What the arguments of a test take.
[[nodiscard]] inline std::size_t bytes_of(test_case const& test) {
    std::size_t sum = 0;
    for (argument_data const& a : test.arguments) sum += a.bytes.size();
    return sum;
}
} // namespace detail

/// Where test cases come from; the first one generated is the one that is timed.
template <class G>
concept test_generator = requires(G& g, problem const& p, call_context const& c) {
    { g.generate(p, c) } -> std::same_as<result<std::vector<test_case>>>;
};

} // namespace lkt
