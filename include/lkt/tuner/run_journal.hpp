// SPDX-License-Identifier: BSL-1.0
// What a tuner keeps in a journal besides state and cursor, and asks of one that it goes on with.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/gpu_ref.hpp>
#include <lkt/graph/cursor.hpp>
#include <lkt/nodes/declaration.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>
#include <lkt/store/checkpoint.hpp>
#include <lkt/store/journal.hpp>

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>

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

/// A digest of inputs and expected outputs, once for the first prepared suite.
[[nodiscard]] result<void> keep_digest(journal& j, test_suite const& tests);

[[nodiscard]] error no_journalable_state(std::string_view strategy);

/// Saves the run of a tuner, if there is a journal.
class run_checkpointer {
public:
    explicit run_checkpointer(journal* j) {
        if (j != nullptr) to_.emplace(*j), checkpoint_.emplace(*j);
    }

    template <class State, class G>
        requires std::same_as<State, typename std::remove_cvref_t<decltype(G::graph)>::state_type>
    [[nodiscard]] result<void> save(State const& s, cursor<G> const& at) {
        if constexpr (journalable<State>) {
            if (!checkpoint_) return {};
            if (!tests_known_ && s.tuning.tests.prepared()) {
                if (auto ok = keep_digest(*to_, s.tuning.tests); !ok) return ok;
                tests_known_ = true;
            }
            return checkpoint_->save(s, at);
        } else {
            return {};
        }
    }
    [[nodiscard]] result<void> finish(error const* failure) {
        return checkpoint_ ? checkpoint_->finish(failure) : result<void>();
    }

private:
    std::optional<journal> to_;
    std::optional<checkpoint> checkpoint_;
    bool tests_known_ = false;
};

} // namespace detail

} // namespace lkt
