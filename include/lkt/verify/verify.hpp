// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/launch_formula.hpp>
#include <lkt/kernel/output_error.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/kernel/verdict.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/verify/classify.hpp>
#include <lkt/verify/suite.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lkt {

/// What further launches told of a wrong output, in one configuration of a candidate.
struct explained_output {
    std::size_t test = 0, position = 0; ///< of the suite; among the outputs
    configuration config;
    verdict at_sight = verdict::wrong_output; ///< what it seemed to be before these launches
    bool few = false;                         ///< elements were wrong
    verdict as = verdict::wrong_output;       ///< what it is
    std::string why;                          ///< in words; may be empty
};

/// How a suite is run.
struct verify_options {
    std::uint64_t seed = 0x9e3779b9; ///< of the poison; take another than the one of timed launches
    seconds time_limit{};            ///< for one launch; 0: `launch_limit` of the test
    std::vector<std::size_t> tests;  ///< only these of the suite; empty: all
    /// Where the times of the launches go, one for each test in the suite's order; 0 where there
    /// was none. Verified launches are measured like any other.
    std::vector<seconds>* times = nullptr;
    /// Where the errors of outputs that passed go; or null. Those that a back end compared where
    /// they lie are not among them.
    std::vector<output_error>* errors = nullptr;
    /// Outputs of a test that take no more than so many bytes together come back to be judged, by
    /// their errors as a whole too; larger ones a back end may compare element by element where
    /// they lie.
    std::size_t returned_bytes = std::size_t{4} << 20;
    /// Where `run_report::unchecked` goes, and that tests were left out; or null. Left out are
    /// tests that nobody asked for, in which the kernel has more threads than
    /// `compiled_kernel::most_threads` or would take long (`launch_limit`).
    std::vector<std::string>* unchecked = nullptr;
    /// The candidate's text, which helps to find out why it is wrong; or null.
    kernel_source const* source = nullptr;
    /// What is known of the same candidate in other configurations, or null. Where one that is
    /// wrong in the same output of the same test looks like one of these, it is taken to be of its
    /// kind, and is not launched again to be explained. What is found out is added.
    std::vector<explained_output>* explained = nullptr;
};

/// How long a candidate's launch may take on a test: 20 times what the original took, but at least
/// 5 seconds, so that a busy machine does not look like an endless loop. On a device that is a CPU,
/// whose threads take turns, it is a minute for a test that lkt chose: what is fast on a device may
/// be slow there. After launches on such tests that were over this limit and took a minute
/// together, the others are left out.
[[nodiscard]] seconds launch_limit(prepared_test const& test);

/// Slow is not wrong: whether a launch has too many threads for a device that is a CPU
/// (`compiled_kernel::most_threads`), on a test that lkt chose.
[[nodiscard]] bool has_too_many_threads(compiled_kernel const& kernel,
                                        launch_formula const& formula,
                                        configuration const& config,
                                        test_case const& test);

namespace detail {
[[nodiscard]] result<std::optional<failure>> verify_kernel(gpu_ref backend,
                                                           compiled_kernel const& kernel,
                                                           problem const& task,
                                                           launch_formula const& launch,
                                                           configuration const& config,
                                                           test_suite const& suite,
                                                           call_context const& context,
                                                           verify_options const& options);
} // namespace detail

/// Launches a compiled candidate once on every test of the suite, small tests first, and compares
/// every element of every output. Nothing: all of them are right. A failure: the kernel's (its
/// launch formula included: `launch_failed`). An error: the environment's. Cost: one call of the
/// back end for each test, and up to five more when an output is wrong, to tell what kind of wrong
/// it is (`wrong_output::as`).
template <gpu_backend B>
[[nodiscard]] result<std::optional<failure>> verify_kernel(B& backend,
                                                           compiled_kernel const& kernel,
                                                           problem const& task,
                                                           launch_formula const& launch,
                                                           configuration const& config,
                                                           test_suite const& suite,
                                                           call_context const& context,
                                                           verify_options const& options = {}) {
    return detail::verify_kernel(
        gpu_ref(backend), kernel, task, launch, config, suite, context, options);
}

/// One of several kernels to verify; what it refers to must outlive the call.
struct kernel_to_verify {
    compiled_kernel const& kernel;
    launch_formula const& launch;
    configuration const& config;
    verify_options options{};
};

/// `verify_kernel` for each of them: the launches of all on one test are one batch, those that pass
/// come to the next test. If each names one test, all of their launches are one batch. Results are
/// in the order of the kernels, and a failure does not end the others.
[[nodiscard]] std::vector<result<std::optional<failure>>>
verify_kernels(gpu_ref backend,
               std::span<kernel_to_verify const> kernels,
               problem const& task,
               test_suite const& suite,
               call_context const& context);

/// Finds out what becomes of a test of the suite in launches with nothing kept from earlier ones.
using fresh_outcome = std::function<when_fresh(std::size_t test)>;

/// Compares the outputs of the timed launches that a back end kept. Launches took their arguments
/// from a ring: set k was those of test number `tests[k]` of the suite. `keep` is what the request
/// asked for, of which a series that ended early leaves the last ones out. A kernel that is right
/// when it is tested and wrong when it is timed is wrong. `fresh` is asked about the test of a
/// wrong launch: only what it says can make it `stateful`. Errors: outputs are missing, or have
/// another size than they should.
[[nodiscard]] result<std::optional<failure>> check_outputs(problem const& task,
                                                           test_suite const& suite,
                                                           std::vector<std::size_t> const& tests,
                                                           std::vector<int> const& keep,
                                                           run_report const& report,
                                                           fresh_outcome const& fresh = {});

/// That question for a kernel in one configuration, with these launch dimensions; what it refers to
/// must outlive the answer.
[[nodiscard]] fresh_outcome ask_fresh(gpu_ref backend,
                                      compiled_kernel const& kernel,
                                      problem const& task,
                                      test_suite const& suite,
                                      launch_dimensions const& dimensions,
                                      std::uint64_t poison_seed,
                                      seconds limit,
                                      call_context const& context);

} // namespace lkt
