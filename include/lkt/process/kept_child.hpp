// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/process/child.hpp>

#include <chrono>
#include <memory>
#include <string_view>

namespace lkt {

/// A confined interpreter that answers one question after another, where its start is what costs
/// most. What it does before the first question and keeps from one to the next is its own affair:
/// give it the questions of one script only.
///
/// Descriptors of the program, from 3 on: the file that holds the question, the files of `collect`,
/// a pipe that has a byte when there is a question, and one that takes a `!` when the files hold
/// the answer. The files are at their beginning then.
class kept_child {
public:
    /// `options` is confined as an interpreter. `input`, `descriptors` and `time_limit` are not
    /// used.
    explicit kept_child(child_options options);
    kept_child(kept_child const&) = delete;
    kept_child& operator=(kept_child const&) = delete;
    /// Ends the program.
    ~kept_child();

    /// An answer is the result of a program that exited with 0; then it waits for the next
    /// question. All else is how it ended, or was ended: the next question finds a new one. One
    /// that had answered before and now fails is replaced and asked again, so that what it kept is
    /// never the reason; `limit` holds for each. Errors: those of `run_child`. One question at a
    /// time.
    [[nodiscard]] result<child_result>
    ask(std::string_view input, std::chrono::milliseconds limit, call_context const& context = {});

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace lkt
