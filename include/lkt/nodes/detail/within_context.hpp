// SPDX-License-Identifier: BSL-1.0
// A conversation that is too long for its model: what came before is told of in part.
#pragma once

#include <lkt/core/error.hpp>
#include <lkt/llm/context_length.hpp>
#include <lkt/llm/message.hpp>
#include <lkt/nodes/detail/prompt_text.hpp>
#include <lkt/nodes/detail/quote.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/toolbox.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt::detail {

/// What the user is told, where a request was shortened.
inline constexpr std::string_view recalled_note =
    "a request was too long for the model, so it contains only the latest attempts and steps";

inline void note_recalled(std::vector<std::string>& notes) {
    if (std::find(notes.begin(), notes.end(), recalled_note) == notes.end())
        notes.emplace_back(recalled_note);
}

/// Answers to one question that were of no use, as the next request tells of them.
template <class Answer>
[[nodiscard]] std::vector<Answer> recalled_answers(std::span<Answer const> all, recall how) {
    if (how == recall::all || all.empty()) return {all.begin(), all.end()};
    Answer last = all.back();
    last.reply = shortened(last.reply, recalled_reply);
    if (all.size() > 1) last.faults.push_back("(" + left_out_words(all.size() - 1, "answer") + ")");
    return {std::move(last)};
}

/// The error of a model that cannot be told less.
[[nodiscard]] inline error still_too_long(error e, bool shortened) {
    e.message += shortened ? "; even with only the latest attempts and steps it is too long"
                           : "; nothing can be left out of it";
    return e;
}

template <class Result>
struct answer_within_context {
    Result answer;
    bool shortened = false; ///< the model was told only of the latest
};

/// Calls `ask(turns(recall::all))`, and where that is more than the model takes, or is said to take
/// (`context_tokens`), `ask(turns(recall::latest))`: once, if that is any shorter.
template <class Turns, class Ask>
[[nodiscard]] auto ask_within_context(tools_ref const& tools, Turns const& turns, Ask const& ask) {
    conversation whole = turns(recall::all), latest = turns(recall::latest);
    bool const other = latest != whole, ahead = other && tools.are_too_long(whole);
    answer_within_context<decltype(ask(whole))> made{ask(ahead ? latest : std::move(whole)), ahead};
    auto const refused = [&] { return !made.answer && exceeds_context(made.answer.error()); };
    if (refused() && other && !ahead) made = {ask(std::move(latest)), true};
    if (refused()) made.answer = still_too_long(made.answer.error(), made.shortened);
    return made;
}

} // namespace lkt::detail
