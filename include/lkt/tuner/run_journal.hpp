// SPDX-License-Identifier: BSL-1.0
// What a tuner keeps in a journal besides state and cursor, and asks of one that it goes on with.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/evaluate/trial_log.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/graph/cursor.hpp>
#include <lkt/nodes/declaration.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/store/checkpoint.hpp>
#include <lkt/store/journal.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt {

/// The problem that the run of a journal was begun with. Errors: `lkt.journal.no-problem`
/// (rejected: no tuner has begun a run there).
[[nodiscard]] result<problem_draft> problem_in(journal const& from);

namespace detail {

/// That the run of the journal, if there is one, is of this problem, which it keeps.
[[nodiscard]] result<void> begin_problem(journal& j, problem_draft const& asked);

/// That the device is the one that the run was begun on. One that does not answer may do so when a
/// kernel is to run.
[[nodiscard]] result<void>
same_device(journal const& j, state_ref const& s, call_context const& context, gpu_ref gpu);

/// Prepares a resumed run before a kernel runs: checks that the device is the same, and makes the
/// tests, which no journal holds, by running the original again. Adds a note if they differ from
/// before.
[[nodiscard]] result<void> prepare_again(
    journal& j, state_ref const& s, tools_ref const& tools, gpu_ref gpu, tests_ref generator);

/// What a report says of the tests, which no journal holds.
struct test_summary {
    std::vector<std::string> names;
    std::vector<problem_size> sizes;
    std::vector<std::pair<std::string, tolerance>> tolerances;
};
[[nodiscard]] test_summary summary_of(test_suite const& tests, problem const& task);
/// The one of the run in the journal; empty before its tests were made.
[[nodiscard]] test_summary tests_in(journal const& j);

/// A digest of inputs and expected outputs, and the summary, once for the first prepared suite.
[[nodiscard]] result<void> keep_tests(journal& j, test_suite const& tests, problem const& task);

/// How long a run has taken, in how many processes.
struct time_spent {
    std::uint64_t sessions = 0;
    seconds total{};
};
[[nodiscard]] time_spent spent_in(journal const& j);
[[nodiscard]] result<void> keep_spent(journal& j, time_spent const& spent);

[[nodiscard]] error no_journalable_state(std::string_view strategy);

/// Saves the run of a tuner, if there is a journal.
class run_checkpointer {
public:
    /// `before`: what earlier sessions took.
    run_checkpointer(journal* j,
                     trial_log const& trials,
                     time_spent before,
                     std::chrono::steady_clock::time_point start)
        : trials_(trials), spent_(before), start_(start) {
        if (j != nullptr) to_.emplace(*j), checkpoint_.emplace(*j);
        ++spent_.sessions;
    }

    template <class State, class G>
        requires std::same_as<State, typename std::remove_cvref_t<decltype(G::graph)>::state_type>
    [[nodiscard]] result<void> save(State const& s, cursor<G> const& at) {
        if constexpr (journalable<State>) {
            if (!checkpoint_ || trials_.is_cut_short()) return {};
            // The tests of a declaration are there before the problem is.
            if (!tests_known_ && s.tuning.tests.prepared() &&
                s.tuning.task.arguments.size() == s.tuning.tests.directions.size()) {
                if (auto ok = keep_tests(*to_, s.tuning.tests, s.tuning.task); !ok) return ok;
                tests_known_ = true;
            }
            if (auto ok = checkpoint_->save(s, at); !ok) return ok;
            if (auto ok = trials_.keep_again(); !ok) return ok;
            // A run that is killed loses no more than a second of it.
            return spent().total - kept_ < seconds(1) ? result<void>() : keep_time();
        } else {
            return {};
        }
    }
    [[nodiscard]] result<void> finish(error const* failure) {
        if (!checkpoint_) return {};
        if (auto ok = keep_time(); !ok) return ok;
        return checkpoint_->finish(failure);
    }
    /// With this session.
    [[nodiscard]] time_spent spent() const {
        return {spent_.sessions, spent_.total + (std::chrono::steady_clock::now() - start_)};
    }

private:
    [[nodiscard]] result<void> keep_time() {
        auto const now = spent();
        kept_ = now.total;
        return keep_spent(*to_, now);
    }

    trial_log const& trials_;
    time_spent spent_; ///< of the sessions before
    std::chrono::steady_clock::time_point start_;
    seconds kept_{};
    std::optional<journal> to_;
    std::optional<checkpoint> checkpoint_;
    bool tests_known_ = false;
};

} // namespace detail

} // namespace lkt
