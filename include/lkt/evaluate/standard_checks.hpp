// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/evaluate/check.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/search/space.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace lkt {

/// For a verification: further input of its checks, and their results.
struct verification_scope {
    search_space const* space = nullptr; ///< every configuration that is offered
    signature const* declared = nullptr;
    std::size_t configurations = 64; ///< of these, at most; spread over all of them
    int launches = 20;               ///< timed ones, in two series
    /// Why the run must end now; nothing: it continues.
    std::function<std::optional<error>()> must_end{};

    std::size_t ran = 0;              ///< configurations that passed
    std::optional<configuration> bad; ///< that is wrong where another one is right
};

/// The signature is the original's, and the text holds nothing that is refused.
struct text_check {
    static constexpr verdict gives[] = {verdict::wrong_signature,
                                        verdict::no_code,
                                        verdict::build_escape,
                                        verdict::injection,
                                        verdict::stateful,
                                        verdict::replay_cache,
                                        verdict::timing_aware,
                                        verdict::deferred,
                                        verdict::work_skipping,
                                        verdict::cache_residency,
                                        verdict::portability,
                                        verdict::no_configuration,
                                        verdict::input_mutated,
                                        verdict::precision,
                                        verdict::specialised,
                                        verdict::fake_tuning};
    static constexpr check_description about{
        "text", check_cost::reading, moment::proposal | moment::verification, gives};
    [[nodiscard]] result<std::optional<failure>> run(check_call& call) const;
};

/// Every test, and no variables in the binary that the original's has not. Each configuration is
/// run on the tests that are cheap; finalists on the rest.
struct tests_check {
    static constexpr verdict gives[] = {
        verdict::compile_error, verdict::launch_error, verdict::crashed,
        verdict::timeout,       verdict::oob_read,     verdict::oob_write,
        verdict::input_mutated, verdict::wrong_output, verdict::trivial_output,
        verdict::partial,       verdict::semantics,    verdict::precision,
        verdict::specialised,   verdict::race,         verdict::nondeterminism,
        verdict::work_skipping, verdict::stateful,     verdict::replay_cache,
        verdict::portability,   verdict::build_escape};
    static constexpr check_description about{"tests",
                                             check_cost::launches,
                                             moment::configuration | moment::finalist |
                                                 moment::confirmation | moment::verification,
                                             gives};
    [[nodiscard]] result<std::optional<failure>> run(check_call& call) const;
    /// Configurations are run on a test together.
    [[nodiscard]] std::vector<result<std::optional<failure>>>
    run_all(std::span<check_call* const> calls) const;
};

/// Outputs of timed launches are right, and their times are possible.
struct launches_check {
    static constexpr verdict gives[] = {
        verdict::timing_invalid, verdict::wrong_output,   verdict::work_skipping,
        verdict::stateful,       verdict::replay_cache,   verdict::cache_residency,
        verdict::partial,        verdict::trivial_output, verdict::semantics,
        verdict::precision,      verdict::specialised,    verdict::nondeterminism,
        verdict::race,           verdict::oob_read,       verdict::oob_write,
        verdict::input_mutated,  verdict::crashed,        verdict::timeout,
        verdict::launch_error,   verdict::deferred,       verdict::portability};
    static constexpr check_description about{
        "launches", check_cost::many_launches, moment::finalist | moment::verification, gives};
    [[nodiscard]] result<std::optional<failure>> run(check_call& call) const;
};

/// What the problem promises, and what every kernel must: see `check_properties`.
struct properties_check {
    static constexpr verdict gives[] = {verdict::nondeterminism,
                                        verdict::race,
                                        verdict::wrong_output,
                                        verdict::stateful,
                                        verdict::work_skipping,
                                        verdict::replay_cache,
                                        verdict::specialised,
                                        verdict::partial,
                                        verdict::trivial_output,
                                        verdict::semantics,
                                        verdict::precision,
                                        verdict::oob_read,
                                        verdict::oob_write,
                                        verdict::input_mutated,
                                        verdict::crashed,
                                        verdict::timeout,
                                        verdict::launch_error};
    static constexpr check_description about{
        "properties", check_cost::many_launches, moment::finalist | moment::verification, gives};
    [[nodiscard]] result<std::optional<failure>> run(check_call& call) const;
};

/// Tests at the numbers that stand in the kernel's own text, and not in the original's: see
/// `threshold_tests`.
struct thresholds_check {
    static constexpr std::span<verdict const> gives = tests_check::gives;
    static constexpr check_description about{
        "thresholds", check_cost::many_launches, moment::finalist | moment::verification, gives};
    [[nodiscard]] result<std::optional<failure>> run(check_call& call) const;
};

/// Small tests in the back end's checked mode, where it has one.
struct checked_mode_check {
    static constexpr verdict gives[] = {
        verdict::race,           verdict::oob_read,      verdict::oob_write,
        verdict::crashed,        verdict::timeout,       verdict::launch_error,
        verdict::compile_error,  verdict::input_mutated, verdict::wrong_output,
        verdict::trivial_output, verdict::partial,       verdict::semantics,
        verdict::precision,      verdict::specialised,   verdict::nondeterminism,
        verdict::work_skipping,  verdict::stateful,      verdict::replay_cache,
        verdict::portability,    verdict::build_escape,  verdict::config_unsafe};
    static constexpr check_description about{
        "checked", check_cost::own_build, moment::finalist | moment::verification, gives};
    [[nodiscard]] result<std::optional<failure>> run(check_call& call) const;
};

/// Where the text branches: tests that lead where no other one did. What stays unreached is no
/// failure, but told; where it is not the original's, too, the kernel is checked in part only.
struct coverage_check {
    static constexpr std::span<verdict const> gives = tests_check::gives;
    static constexpr check_description about{
        "coverage", check_cost::own_build, moment::finalist | moment::verification, gives};
    [[nodiscard]] result<std::optional<failure>> run(check_call& call) const;
};

/// The tests, and those of `thresholds_check` but for sizes, in every other configuration that is
/// offered; sizes at the numbers that only this configuration has. One that cannot run is left out.
struct configurations_check {
    static constexpr verdict gives[] = {verdict::config_unsafe};
    static constexpr check_description about{
        "configurations", check_cost::all_configurations, moment::verification, gives};
    [[nodiscard]] result<std::optional<failure>> run(check_call& call) const;
};

/// Whether a configuration fails in a way that makes a tuner drop it, so that it gives no wrong
/// results.
[[nodiscard]] bool cannot_run(failure const& f);

/// What every kernel must pass unless the user says something else.
using standard_checks = check_list<text_check,
                                   tests_check,
                                   launches_check,
                                   properties_check,
                                   thresholds_check,
                                   checked_mode_check,
                                   coverage_check,
                                   configurations_check>;

} // namespace lkt
