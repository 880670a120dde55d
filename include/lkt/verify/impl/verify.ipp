// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/verify.hpp>

#include <lkt/verify/detail/candidate_on_trial.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace lkt {

seconds launch_limit(prepared_test const& test) {
    return std::max(seconds{5}, 20 * test.reference_time);
}

bool has_too_many_threads(compiled_kernel const& kernel,
                          launch_formula const& formula,
                          configuration const& config,
                          test_case const& test) {
    if (kernel.most_threads == 0 || test.origin == test_origin::asked) return false;
    auto const d = formula.evaluate(scope_of(test.size, config));
    return d && d->grid.count() > kernel.most_threads / d->block.count();
}

namespace detail {

/// A kernel on its way from test to test.
struct verified_kernel {
    candidate_on_trial trial;
    verify_options const& options;
    std::uint64_t seed = options.seed;
    prepared_test const* passed = nullptr; ///< the smallest
    bool timed_passed = false;
    seconds slow{}; ///< what launches took that took long on tests that lkt chose
    std::optional<result<std::optional<failure>>> over{};

    [[nodiscard]] bool takes(std::size_t test) const {
        auto const& listed = options.tests;
        return !over &&
               (listed.empty() || std::find(listed.begin(), listed.end(), test) != listed.end());
    }

    [[nodiscard]] bool runs_long() const { return passed != nullptr || !trial.any_asked(); }

    /// Whether it is too slow on the CPU for a test that lkt chose; then that is said.
    [[nodiscard]] bool leaves_out(prepared_test const& test) const {
        if (trial.is_left_out(test))
            say_left_out("not run at sizes that lkt chose where a launch has more than " +
                         std::to_string(trial.kernel.most_threads) +
                         " threads: it would take long on the CPU");
        else if (trial.takes_turns(test) && slow >= candidate_on_trial::endless)
            say_left_out("not run on some tests that lkt chose, since others took " +
                         to_string(slow) + " on the CPU");
        else
            return false;
        return true;
    }

    void say_left_out(std::string why) const {
        auto* const all = options.unchecked;
        if (all && std::find(all->begin(), all->end(), why) == all->end())
            all->push_back(std::move(why));
    }

    void take(prepared_test const& test,
              std::size_t number,
              result<candidate_on_trial::test_outcome> made) {
        if (!made) {
            over = made.error();
            return;
        }
        if (options.times && !made->report.samples.empty())
            (*options.times)[number] = made->report.samples.front();
        if (trial.takes_turns(test) && !made->report.samples.empty())
            if (seconds const took = made->report.samples.front(); took > launch_limit(test))
                slow += took;
        if (options.unchecked && !made->report.unchecked.empty())
            options.unchecked->push_back(made->report.unchecked);
        if (made->failed) {
            over = std::optional<failure>(std::move(made->failed));
        } else if (made->found) {
            auto const* const shown = trial.prefer_larger_test(*made, &test, seed);
            trial.explain(*made, *shown, passed, timed_passed, seed);
            over = std::optional<failure>(std::move(made->found->report));
        } else {
            if (options.errors) trial.add_errors(test, made->report, *options.errors);
            if (!passed) passed = &test;
            timed_passed = timed_passed || number == 0;
        }
    }
};

/// A kernel that is to run on a test.
struct wanted_run {
    verified_kernel& kernel;
    prepared_test const& test;
    std::size_t number;
};

/// As one batch.
void run_together(gpu_ref backend,
                  std::span<wanted_run const> wanted,
                  call_context const& context) {
    std::vector<wanted_run> open;
    std::vector<run_request> requests;
    for (wanted_run const& one : wanted) {
        if (one.kernel.leaves_out(one.test)) continue;
        auto request =
            one.kernel.trial.request_for(one.test, ++one.kernel.seed, one.kernel.runs_long());
        if (auto* const why = std::get_if<failure>(&request)) {
            one.kernel.take(
                one.test, one.number, candidate_on_trial::failed_before(std::move(*why)));
        } else {
            open.push_back(one);
            requests.push_back(std::get<run_request>(std::move(request)));
        }
    }
    std::vector<kernel_run> runs;
    for (std::size_t k = 0; k < open.size(); ++k) {
        // A launch on the timed test whose time is asked for will be compared with others.
        bool const timed = open[k].kernel.options.times != nullptr && open[k].number == 0;
        runs.push_back({open[k].kernel.trial.kernel, requests[k], timed});
    }
    if (runs.empty()) return;
    auto ran = backend.run_all(runs, context);
    for (std::size_t k = 0; k < open.size(); ++k) {
        auto& [kernel, test, number] = open[k];
        kernel.take(test, number, kernel.trial.judge(test, requests[k], std::move(ran[k])));
    }
}

result<std::optional<failure>> verify_kernel(gpu_ref backend,
                                             compiled_kernel const& kernel,
                                             problem const& task,
                                             launch_formula const& launch,
                                             configuration const& config,
                                             test_suite const& suite,
                                             call_context const& context,
                                             verify_options const& options) {
    kernel_to_verify const one{kernel, launch, config, options};
    return std::move(verify_kernels(backend, {&one, 1}, task, suite, context).front());
}

} // namespace detail

std::vector<result<std::optional<failure>>>
verify_kernels(gpu_ref backend,
               std::span<kernel_to_verify const> kernels,
               problem const& task,
               test_suite const& suite,
               call_context const& context) {
    using outcome = result<std::optional<failure>>;
    if (suite.tests.empty())
        return std::vector<outcome>(kernels.size(),
                                    error{condition::rejected,
                                          "lkt.verify.no_tests",
                                          "there is no test for the kernel " + task.signature.name,
                                          "Prepare the suite with prepare_suite first."});
    std::vector<detail::verified_kernel> all;
    all.reserve(kernels.size());
    for (kernel_to_verify const& k : kernels) {
        if (k.options.times) k.options.times->assign(suite.tests.size(), seconds{});
        all.push_back(
            {{backend, k.kernel, task, k.launch, k.config, suite, context, k.options}, k.options});
    }
    // Kernels that have one test each need not wait for one another.
    bool const one_each = std::ranges::all_of(
        kernels, [](kernel_to_verify const& k) { return k.options.tests.size() == 1; });
    std::vector<detail::wanted_run> wanted;
    for (prepared_test const* test : detail::small_first(suite)) {
        auto const number = static_cast<std::size_t>(test - suite.tests.data());
        for (auto& k : all)
            if (k.takes(number)) wanted.push_back({k, *test, number});
        if (!one_each) detail::run_together(backend, std::exchange(wanted, {}), context);
    }
    if (one_each) detail::run_together(backend, wanted, context);
    std::vector<outcome> verdicts;
    for (auto& k : all)
        verdicts.push_back(k.over ? std::move(*k.over) : outcome(std::optional<failure>()));
    return verdicts;
}

} // namespace lkt
