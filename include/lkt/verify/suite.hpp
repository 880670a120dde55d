// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/compare.hpp>
#include <lkt/verify/test_generator.hpp>
#include <lkt/verify/tolerance.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// Elements of an output that are about as large as each other, and what they may be off by where
/// that is less than the bound of the output: its scale is that of all elements.
struct magnitude_limit {
    int exponent = 0;    ///< of the smallest power of 16 above them
    double absolute = 0; ///< beside the bound's relative part
};

/// A test and what a right kernel makes of it. It stays in the user's process: a candidate gets
/// the inputs only.
struct prepared_test {
    test_case test;
    std::vector<argument_data> expected; ///< the arguments that are not `in`, in order
    std::vector<tolerance> bounds;       ///< one for each of `expected`
    seconds reference_time{};            ///< of the slowest launch of the original
    /// Under which a back end may keep the arguments and the expected outputs on its device; see
    /// `run_request`. 0: it must not.
    std::uint64_t arguments_id = 0, expected_id = 0;
    std::vector<error_limits> limits{}; ///< for each of `expected`; none where it is shorter
    /// What the original's text computes in float64, for each of `expected`; no bytes where that is
    /// not known, nothing at all where it is for none.
    std::vector<argument_data> exact{};
    /// For each of `expected`; none where it is shorter.
    std::vector<std::vector<magnitude_limit>> magnitudes{};
    /// For each of `expected`, the elements that rounding decides: they are not judged. None where
    /// it is shorter, or a set has no size.
    std::vector<element_set> open{};
    /// For each of `expected`, by how many units in the last place more than usual an output of 16
    /// bits may err in one direction (`detail::cut_off`); 0 where it is shorter.
    std::vector<double> one_sided{};
    /// For each of `expected`, whether elements that are not judged have to be finite all the same:
    /// the original's are, and far from overflow, at all inputs nearby. Shorter: they need not.
    std::vector<bool> finite{};

    /// For a back end that can compare on its device.
    [[nodiscard]] expected_outputs expectation() const { return {expected_id, expected, bounds}; }
};

/// Everything that it takes to judge a kernel. The first test is the one that is timed.
struct test_suite {
    std::vector<direction> directions; ///< of each argument, as the original kernel behaves
    std::vector<prepared_test> tests;
    configuration reference_configuration; ///< with which the original ran
    std::vector<std::string> notes;        ///< what a report should say of the tests
    /// Who judges an argument instead of its bounds, by position in the signature.
    std::vector<std::pair<std::size_t, output_comparator>> comparators{};
    std::string oracle{}; ///< what computed the expected outputs; empty: the original itself
    /// A suite of further tests, by the oracle. Null where there is none but the original, or where
    /// it knows recorded outputs only. It may refer to the back end on which the oracle runs.
    std::function<result<test_suite>(std::vector<test_case>, call_context const&)> further{};

    // Defined in one place, so that who includes this need not compile it.
    test_suite();
    test_suite(test_suite const&);
    test_suite(test_suite&&) noexcept;
    test_suite& operator=(test_suite const&);
    test_suite& operator=(test_suite&&) noexcept;
    ~test_suite();

    /// The original has run on every test.
    [[nodiscard]] bool prepared() const;
};

/// What is wrong with one output of a launch on a test, by all that it is judged by; nothing for
/// scratch. `position` counts the arguments that are not `in`. Where the exact values are known, an
/// output that is at least as near to them as the original's is right, and so is one within its
/// bounds around them.
[[nodiscard]] std::optional<mismatch> judge_output(problem const& task,
                                                   test_suite const& suite,
                                                   prepared_test const& test,
                                                   std::size_t position,
                                                   argument_data const& got);

/// Says of an access out of bounds, or of a launch that took too long, in which test it came up.
void name_test(failure& f, test_case const& test);

/// Positions of the arguments that are not `in`: what a back end returns of a launch, in order.
[[nodiscard]] std::vector<std::size_t> output_positions(std::vector<direction> const& directions);

/// The tests whose arguments a launch of the timed one can have instead: those of its size, with
/// buffers as large. The timed one comes first; together their arguments and expected outputs take
/// at most `most` bytes, unless the timed one alone takes more.
[[nodiscard]] std::vector<std::size_t> tests_like_the_timed(test_suite const& suite, bytes most);

} // namespace lkt
