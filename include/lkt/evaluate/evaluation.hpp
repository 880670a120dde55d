// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/evaluate/builder.hpp>
#include <lkt/evaluate/check.hpp>
#include <lkt/evaluate/evaluation_setup.hpp>
#include <lkt/evaluate/test_runner.hpp>
#include <lkt/evaluate/timing_rounds.hpp>
#include <lkt/evaluate/trial.hpp>
#include <lkt/kernel/failure.hpp>

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lkt {

/// How a kernel is accepted: the parts that build, test and time it, and the checks that it must
/// pass. Evaluation, finals, confirmation and `certify` all use the same checks in the same order.
/// Nothing here changes a run's state.
class evaluation {
public:
    explicit evaluation(evaluation_setup its_setup)
        : setup(std::move(its_setup)), patterns_(setup.options.seed), tests(setup, patterns_),
          timing(setup, patterns_) {}
    evaluation(evaluation const&) = delete;
    evaluation& operator=(evaluation const&) = delete;

    evaluation_setup const setup;

private:
    launch_patterns patterns_;

public:
    test_runner tests;
    timing_rounds timing;

    /// By the builder.
    [[nodiscard]] std::vector<result<build_outcome>>
    build_all(std::span<build_request const> requests) const {
        return setup.parts.builder.build_all(setup, requests);
    }
    [[nodiscard]] result<build_outcome> build(build_request const& one) const;
    void prefetch(build_request const& one) const { setup.parts.builder.prefetch(setup, one); }

    /// For each call the checks of the moment that it names, until one fails; all name the same. A
    /// check is asked for all that have passed the ones before.
    [[nodiscard]] std::vector<result<std::optional<failure>>> pass_all(std::span<check_call> calls);
    /// The same for one.
    [[nodiscard]] result<std::optional<failure>> pass(check_call& call);
    /// The same for a trial, where its notes are of no interest.
    [[nodiscard]] result<std::optional<failure>>
    pass(moment when, trial& t, std::vector<explained_output>* explained = nullptr);
};

} // namespace lkt
