// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/evaluate/standard_checks.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/problem.hpp>
#include <lkt/nodes/baseline.hpp>
#include <lkt/nodes/certify.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/search/exhaustive.hpp>
#include <lkt/verify/problem_tests.hpp>
#include <lkt/verify/suite.hpp>

#include <optional>
#include <stop_token>
#include <utility>

namespace lkt {

/// How kernels are judged without being tuned.
struct verifier_options {
    evaluation_options evaluation{}; ///< how a kernel is tried
    certify_options certify{};       ///< how much of it
    std::stop_token stop{};          ///< ends it early, with `lkt.cancelled`
    /// Prepared before, instead of the verifier's own: with the outputs of another oracle.
    std::optional<test_suite> tests{};
    progress_sink on_progress{}; ///< told how far it is
};

/// Judges kernels without tuning them.
///
///     lkt::verifier verifier{gpu};
///     if (auto ready = verifier.prepare(task); !ready) ...
///     auto found = verifier.verify(lkt::kernel_source{lkt::language::cuda, text, "mine.cu"});
///     if (found && found->accepted()) ...
///
/// `gpu` is kept by reference if it is an lvalue. One preparation, in which the original runs on
/// every test, is good for any number of candidates.
template <class Gpu, class Tests = problem_tests, class Checks = standard_checks>
class verifier {
    using gpu_type = std::remove_reference_t<Gpu>;
    static_assert(gpu_backend<gpu_type>,
                  "[lkt.verifier.gpu] verifier{gpu}: gpu is not a gpu_backend. It needs "
                  "result<device_description> device(call_context const&), "
                  "result<compile_outcome> compile(compile_request const&, call_context const&) "
                  "and result<run_outcome> run(compiled_kernel const&, run_request const&, "
                  "call_context const&)");
    static_assert(
        test_generator<Tests>,
        "[lkt.verifier.tests] verifier{gpu, tests}: tests is not a test_generator. It needs "
        "result<std::vector<test_case>> generate(problem const&, call_context const&)");

    static_assert(checks_to_pass<Checks>,
                  "[lkt.verifier.checks] verifier{gpu, tests, checks}: checks is not a check_list. "
                  "Pass a check_list<...>, such as standard_checks{} + mine{}");

public:
    explicit verifier(Gpu&& gpu, Tests tests = {}, Checks checks = {})
        : gpu_(std::forward<Gpu>(gpu)), tests_(std::move(tests)), checks_(std::move(checks)) {}

    /// Generates the tests and runs the original on them. Errors: those of the generator and of
    /// `prepare_suite`; an original that does not compute what another oracle does.
    [[nodiscard]] result<void> prepare(problem task, verifier_options options = {}) {
        options_ = std::move(options);
        state_ = {};
        state_.task = std::move(task);
        if (options_.tests) state_.tests = std::move(*options_.tests);
        auto tools = its_tools();
        if (auto ok = make_tests(state_, tools); !ok) return ok.error();
        return run_reference(state_, tools);
    }

    /// With the launch and the parameters of the original. Errors: `lkt.nodes.no-baseline` before
    /// `prepare`; the world's.
    [[nodiscard]] result<verification> verify(kernel_source source) {
        candidate kernel = state_.baseline.kernel;
        kernel.source = std::move(source);
        kernel.description.clear();
        return verify(kernel);
    }
    [[nodiscard]] result<verification> verify(candidate const& kernel) {
        auto tools = its_tools();
        return certify(state_, tools, kernel, options_.certify);
    }

    /// The device, the tests, and what there is to say of them.
    [[nodiscard]] tuning_state const& state() const { return state_; }

private:
    [[nodiscard]] auto its_tools() {
        toolbox<gpu_type, no_model, Tests, exhaustive, Checks> tools{
            gpu_, model_, tests_, search_, {options_.stop, {}}, checks_};
        tools.evaluation = options_.evaluation;
        tools.on_progress = options_.on_progress;
        return tools;
    }

    Gpu gpu_;
    Tests tests_;
    no_model model_;
    exhaustive search_;
    Checks checks_;
    tuning_state state_;
    verifier_options options_;
};

template <class Gpu>
verifier(Gpu&&) -> verifier<Gpu>;
template <class Gpu, class Tests>
verifier(Gpu&&, Tests) -> verifier<Gpu, Tests>;
template <class Gpu, class Tests, class Checks>
verifier(Gpu&&, Tests, Checks) -> verifier<Gpu, Tests, Checks>;

} // namespace lkt
