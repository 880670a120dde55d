// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/evaluate/checked_part.hpp>
#include <lkt/evaluate/evaluation_setup.hpp>
#include <lkt/evaluate/trial.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/verify/suite.hpp>
#include <lkt/verify/threshold_tests.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

namespace detail {

/// Whether checked mode may know more about such a failure.
[[nodiscard]] bool has_unknown_cause(failure const& f);

} // namespace detail

/// A trial during its tests, and the facts known about other configurations of its candidate (or
/// null).
struct tested_trial {
    trial& what;
    std::vector<explained_output>* explained = nullptr;
};

/// Runs trials on tests, when the schedule says. Nothing is run where `evaluation_options::verify`
/// is off.
class test_runner {
public:
    test_runner(evaluation_setup const& setup, launch_patterns& patterns);

    /// Before anything is timed: the tests that the schedule puts first. If slow configurations are
    /// dropped, the launch on the timed test is a sample. Each test runs for all trials at once.
    /// Returns an outcome for each.
    [[nodiscard]] std::vector<result<std::optional<failure>>>
    run_first(std::span<tested_trial const> trials);
    [[nodiscard]] result<std::optional<failure>> run_first(trial& t);
    /// What `run_first` left, but for sizes that are swept and extents that have grown alone.
    [[nodiscard]] result<std::optional<failure>> run_rest(trial& t);
    /// All of them.
    [[nodiscard]] result<std::optional<failure>> run_all(trial& t);

    /// Tests at the numbers of the candidate's own text in this configuration; see
    /// `threshold_tests`. The original runs on them first, and those on which it fails are left
    /// out. `notes` say what could not be tested.
    [[nodiscard]] result<std::optional<failure>> run_at_thresholds(trial const& t,
                                                                   std::vector<std::string>& notes);
    /// The same at the numbers that its code has besides, as a compiler worked them out of whatever
    /// the text says (`own_constants`).
    [[nodiscard]] result<std::optional<failure>> run_at_numbers_of_code(trial const& t);
    /// The same in another configuration, with less: of these tests those that have no other size,
    /// and a few at the numbers that this configuration has besides.
    [[nodiscard]] result<std::optional<failure>> run_at_other_thresholds(trial const& t);

    /// Whether a candidate's binary has variables that the original's has not; see `hidden_state`.
    [[nodiscard]] result<std::optional<failure>> keeps_state(trial const& t) const;

    /// Further properties of a kernel that passed its tests; see `check_properties`.
    [[nodiscard]] result<std::optional<failure>> keeps_promises(trial const& t,
                                                                std::vector<std::string>& notes);

    /// The kernel in checked mode: on two small tests, and on others, of each size first, as long
    /// as these take no more than `further`, but for those of the others on which the original
    /// fails alike. `part` says how much of it was checked. If the back end has no such mode, not
    /// for this text, or cannot work, that is no failure. Anything else that prevents the run is
    /// one: a kernel that does not compile in this mode, a run of the small tests that does not
    /// finish. If the smallest test has more than 256 KiB, that is left out instead.
    [[nodiscard]] result<std::optional<failure>>
    run_checked(trial const& t, checked_part& part, seconds further);

    /// The kernel in checked mode where it goes through many tiles, and where it has many blocks
    /// (`tile_tests`): what a tile reads may be overwritten by one that comes
    /// eight later. Failures of the original itself count for nothing, nor does lack of time.
    [[nodiscard]] result<std::optional<failure>> run_many_tiles(trial const& t);

    /// The original in checked mode, on the two small tests.
    [[nodiscard]] result<std::optional<failure>> original_checked();

    /// The kernel in a build that is watched: which ways of its comparisons no test took, and tests
    /// that were found to lead there, by which it is judged. See `explore_branches`.
    [[nodiscard]] result<std::optional<failure>> run_where_it_branches(trial& t,
                                                                       branch_coverage& seen);
    /// A wrong output, or bytes around a buffer that changed, are what one sees; a run in checked
    /// mode may know why. Nothing where it does not, or does not come to an end.
    [[nodiscard]] result<std::optional<failure>> cause_of(trial const& t, failure const& seen);

private:
    /// The largest of the small tests, since on a few elements threads have nothing to race for,
    /// and the smallest, since a wild access near the end of large memory hits other arguments. The
    /// smallest alone, where all are large. Those that a kernel's launch is too large for come
    /// last.
    [[nodiscard]] std::vector<std::size_t> tests_to_check(trial const& checked) const;
    [[nodiscard]] static bool is_left_out(trial const& t, prepared_test const& test) {
        return has_too_many_threads(t.compiled, t.kernel->launch, t.config, test.test);
    }
    [[nodiscard]] bool other_sizes_than(std::span<std::size_t const> some) const;
    /// A test in checked mode.
    struct instrumented_run {
        prepared_test const& test;
        seconds limit; ///< for a launch
        result<std::optional<failure>> outcome = std::optional<failure>();
        std::vector<std::string> unchecked{};
    };
    /// As one batch. Where a test expects values that are not finite, devices may choose what comes
    /// of them, and a kernel whose outputs depend on that choice is not wrong.
    void run_instrumented(trial const& checked, std::span<instrumented_run> runs);
    /// What the runs before took.
    struct pace_of_checks {
        std::size_t bytes = 0; ///< of arguments, in the last batch
        seconds taken{};
        seconds fixed{}; ///< of it, what no batch goes without

        [[nodiscard]] seconds predicted(std::size_t of) const {
            return fixed + (taken - fixed) * (static_cast<double>(of) /
                                              static_cast<double>(std::max<std::size_t>(bytes, 1)));
        }
        /// Beyond it nothing is known.
        [[nodiscard]] std::size_t at_once() const {
            return std::clamp<std::size_t>(4 * bytes, 64 << 10, 64 << 20);
        }
        void add(std::size_t of, seconds took) {
            fixed = fixed > seconds{} ? std::min(fixed, took) : std::min(taken, took);
            taken = took;
            bytes = of;
        }
    };
    /// The others but for the `first`: one of each size, small ones first, and for a fifth of the
    /// time those of the same sizes. `left_out` says for which sizes there was no time.
    [[nodiscard]] result<std::optional<failure>> run_further(trial const& checked,
                                                             std::span<std::size_t const> first,
                                                             seconds most,
                                                             pace_of_checks pace,
                                                             std::vector<std::string>& left_out);
    /// The original in checked mode, on a test.
    [[nodiscard]] result<instrumented_run> original_on(prepared_test const& test, seconds limit);
    /// Forgets that the kernel converts numbers as devices do not (`open_conversion`), where the
    /// original does so, too.
    [[nodiscard]] result<void> drop_shared_conversions(instrumented_run& one);
    /// Whether the original fails in checked mode on this test as the kernel did.
    [[nodiscard]] result<bool>
    original_fails_alike(prepared_test const& test, failure const& seen, seconds limit);
    /// `step` of the original, built; nothing if it does not build.
    [[nodiscard]] result<std::optional<failure>>
    of_original(std::function<result<std::optional<failure>>(trial const&)> const& step) const;
    /// Whether `limit` is what a checked run of this test may well take, going by an ordinary one:
    /// some ten to a thousand times as long. Elsewhere a kernel that does not come to an end in
    /// checked mode does something else there.
    [[nodiscard]] bool takes_long(trial const& t, prepared_test const& subject, seconds limit);
    /// See `own_numbers`.
    [[nodiscard]] std::vector<double> numbers_of(trial const& t) const;
    /// Makes the tests at the numbers of its text, if they are not there.
    [[nodiscard]] result<void> make_thresholds(trial const& t);
    [[nodiscard]] result<test_suite> suite_at(trial const& t, threshold_tests how);
    /// Whether anybody knows the expected outputs of more tests.
    [[nodiscard]] bool can_test_further() const;
    /// Of tests that lkt made: those which the oracle bears, with what it makes of them.
    [[nodiscard]] result<test_suite> suite_of(std::vector<test_case> tests);
    /// The same before `fit`: with bounds that an honest rewrite may miss.
    [[nodiscard]] result<test_suite> unfitted_suite_of(std::vector<test_case> tests);
    [[nodiscard]] result<void> fit(test_suite& suite);
    [[nodiscard]] result<std::optional<failure>>
    run_on(trial const& t,
           test_suite const& suite,
           seconds limit,
           std::vector<std::size_t> tests = {},
           std::vector<seconds>* times = nullptr,
           std::vector<output_error>* errors = nullptr,
           std::vector<std::string>* left_out = nullptr);
    [[nodiscard]] result<build_outcome> build_one(build_request const& request) const;
    [[nodiscard]] verify_options
    options_for(trial const& t, seconds limit, std::vector<std::size_t> tests);

    evaluation_setup const& setup_;
    launch_patterns& patterns_;
    std::vector<std::size_t> first_, rest_; ///< of the suite's tests
    struct threshold_suite {
        std::string text;
        launch_formula launch; ///< by which numbers of blocks become extents
        std::vector<double> numbers;
        test_suite suite;
    };
    /// Whether `at_thresholds_` are tests of this kernel, in whatever configuration.
    [[nodiscard]] bool has_thresholds_of(candidate const& kernel) const {
        return at_thresholds_ && at_thresholds_->text == kernel.source.text &&
               at_thresholds_->launch == kernel.launch;
    }
    /// Of the last kernel that was judged there, in its configuration.
    std::optional<threshold_suite> at_thresholds_;
    /// At the numbers that other configurations of that kernel have besides.
    std::vector<std::pair<std::vector<double>, test_suite>> at_other_numbers_;
};

} // namespace lkt
