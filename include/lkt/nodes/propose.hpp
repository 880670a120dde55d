// SPDX-License-Identifier: BSL-1.0
// Reads JSON (Boost.JSON).
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/reply.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace lkt {

enum class answer {
    code, ///< `proposal` holds a kernel with the right name and parameters
    none, ///< the reply held none: see the last of `attempts`
};

/// Asks the model for a rewrite of the best kernel so far, in a conversation rendered from this
/// step's attempts, and takes a candidate from its reply. Writes `proposal`, `usage`, an open
/// record in `history`, and `attempts` when the reply is of no use. Cost: one model call.
template <class Prompts = default_prompts>
struct propose_fn {
    static constexpr std::string_view name = "propose";

    template <tuning_fields S, tools_with_llm Tools>
    auto operator()(S& s, Tools& tools) const -> result<answer> {
        if (auto end = detail::must_end(tools, s.usage)) return *end;
        chat_request request;
        request.messages = conversation_of(brief_of(s), s.attempts, Prompts{});
        detail::report_progress(s, tools, activity::asking_model);
        auto const start = std::chrono::steady_clock::now();
        auto reply = tools.llm.complete(request, detail::context_of(tools));
        if (!reply) return reply.error();
        seconds const spent = std::chrono::steady_clock::now() - start;
        auto read = read_reply(*reply, s.task, s.best.kernel);

        count_usage(s.usage, *reply, spent);
        attempt_record record;
        record.model = reply->model;
        record.reply = reply->text;
        record.notes = std::move(read.notes);
        record.thinking = spent;
        record.usage = reply->usage;
        if (auto* why = std::get_if<failure>(&read.what)) {
            s.attempts.push_back({reply->text, *why, {}});
            record.outcome = std::move(*why);
            s.history.push_back(std::move(record));
            return answer::none;
        }
        s.proposal = std::get<candidate>(std::move(read.what));
        record.proposal = s.proposal;
        s.history.push_back(std::move(record));
        return answer::code;
    }
};

/// `propose` with the library's prompts, and with prompts of your own.
inline constexpr propose_fn<> propose{};
template <class Prompts>
inline constexpr propose_fn<Prompts> propose_with{};

} // namespace lkt
