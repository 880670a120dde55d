// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/propose.hpp>

#include <lkt/nodes/detail/within_context.hpp>
#include <lkt/nodes/reply.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <variant>

namespace lkt::detail {

result<answer> propose(state_ref const& s,
                       tools_ref const& tools,
                       model_ref model,
                       void const* prompts,
                       turns_call turns) {
    if (auto end = tools.must_end_search(s)) return *end;
    tools.report_progress(s, activity::asking_model);
    auto const start = std::chrono::steady_clock::now();
    auto const [reply, shortened] = ask_within_context(
        tools,
        [&](recall how) {
            return turns(prompts, recalled(brief_of(s), how), recalled(s.attempts, how));
        },
        [&](conversation messages) {
            chat_request request;
            request.messages = std::move(messages);
            return model.complete(request, tools.context);
        });
    if (!reply) return reply.error();
    seconds const spent = std::chrono::steady_clock::now() - start;
    auto read = read_reply(*reply, s.task, s.best.kernel);

    count_usage(s.usage, *reply, spent);
    attempt_record record;
    record.step = s.step;
    record.model = reply->model;
    record.reply = reply->text;
    record.notes = std::move(read.notes);
    if (shortened) note_recalled(record.notes);
    record.thinking = spent;
    record.usage = reply->usage;
    record.parent = attempt_of(s.history, s.best.kernel);
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

} // namespace lkt::detail
