// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/suite.hpp>
#include <lkt/verify/test_generator.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lkt {

/// How the original says what is right.
struct oracle_options {
    /// With which the original runs; the first value of each parameter where absent.
    std::optional<lkt::configuration> configuration;
    std::uint64_t seed = 1;    ///< of the poison, and of what a reclassified output starts from
    seconds compile_limit{60}; ///< for the original
    seconds launch_limit{60};  ///< for one launch of it
    /// Who judges an argument instead of its bounds, by position in the signature.
    std::vector<std::pair<std::size_t, output_comparator>> comparators{};
};

/// The first value of each parameter. Errors: a restriction that this configuration breaks, or
/// that fails; a parameter without values.
[[nodiscard]] result<configuration> default_configuration(problem const& task);

namespace detail {
/// Why the original cannot run at the sizes that the problem lists, as far as that shows without a
/// compilation: arguments that cannot be made, or a launch that cannot be. `device`: whose limits
/// count; null: none.
[[nodiscard]] std::optional<error> original_fault(problem const& task,
                                                  device_description const* device);

/// Takes `tests` if it succeeds.
[[nodiscard]] result<test_suite> prepare_suite(gpu_ref backend,
                                               problem const& task,
                                               std::vector<test_case>& tests,
                                               call_context const& context,
                                               oracle_options const& options);
[[nodiscard]] result<test_suite> suite_of_oracle(gpu_ref backend,
                                                 problem const& oracle,
                                                 problem const& task,
                                                 std::vector<test_case> tests,
                                                 call_context const& context,
                                                 oracle_options const& options);
} // namespace detail

/// Runs the original kernel on every test and returns what a right kernel must compute. Launches
/// under different poisons must return the same: an `out` argument that keeps some of the poison
/// (not all of it is written, or it is read) is treated as `inout` from then on, and starts from
/// generated values, so that elements which must stay untouched are compared too. `tests` come from
/// any generator and are checked here.
///
/// Errors: `lkt.verify.reference` when the original does not compile, cannot be launched or fails;
/// `lkt.verify.unstable` when its outputs change from launch to launch by more than their
/// tolerance (less is a note); a test that does not fit the kernel; what the back end returns.
/// Cost: one compilation; for each test two calls with three launches, and two more with four where
/// these do not agree; after an argument became `inout`, all tests again. A back end that compares
/// on its device returns the outputs of one of the three launches, another one those of all.
///
/// The tests may be large, so they are moved into the suite. After an error they are where they
/// were, though the contents of `out` buffers may be others.
template <gpu_backend B>
[[nodiscard]] result<test_suite> prepare_suite(B& backend,
                                               problem const& task,
                                               std::vector<test_case>&& tests,
                                               call_context const& context,
                                               oracle_options const& options = {}) {
    return detail::prepare_suite(gpu_ref(backend), task, tests, context, options);
}

/// The same on a copy of the tests.
template <gpu_backend B>
[[nodiscard]] result<test_suite> prepare_suite(B& backend,
                                               problem const& task,
                                               std::vector<test_case> const& tests,
                                               call_context const& context,
                                               oracle_options const& options = {}) {
    auto copy = tests;
    return detail::prepare_suite(gpu_ref(backend), task, copy, context, options);
}

/// The same with another kernel's outputs: `oracle` may be in another language and run on another
/// back end, as CUDA text on the host for a kernel in WGSL. Arguments correspond by position, sizes
/// too; `tests` are those of `task`. A tuner that gets this suite (`tune_options::tests`) verifies
/// the original first, and asks the oracle about more tests (`test_suite::further`), so the back
/// end has to be there as long as the suite. The kernel is judged as a rewrite of the oracle would
/// be (`fit_to_original`).
///
/// Errors besides: `lkt.verify.oracle` (rejected) if the two kernels or their sizes do not match.
template <gpu_backend B>
[[nodiscard]] result<test_suite> suite_of_oracle(B& backend,
                                                 problem const& oracle,
                                                 problem const& task,
                                                 std::vector<test_case> tests,
                                                 call_context const& context,
                                                 oracle_options const& options = {}) {
    auto suite =
        detail::suite_of_oracle(gpu_ref(backend), oracle, task, std::move(tests), context, options);
    if (suite)
        suite->further = [&backend, oracle, task, options](std::vector<test_case> more,
                                                           call_context const& now) {
            return detail::suite_of_oracle(
                gpu_ref(backend), oracle, task, std::move(more), now, options);
        };
    return suite;
}

} // namespace lkt
