// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/chat_model.hpp>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt::detail {

/// One call through a gate: `gate.enter(request, stop)` waits and gives a pass, or an error;
/// `pass.settle(outcome)` tells the gate how it ended.
template <class Gate, class M>
[[nodiscard]] result<chat_reply>
complete_through(Gate&& gate, M& model, chat_request const& request, call_context const& context) {
    auto pass = gate.enter(request, context.stop);
    if (!pass) return pass.error();
    auto reply = model.complete(request, context);
    pass->settle(reply);
    return reply;
}

/// A batch through a gate, in parts of as many requests as may go together: the first of a part
/// waits, the others join it (`gate.try_enter(request)`) or are left to the next part.
template <class Gate, class M>
[[nodiscard]] std::vector<result<chat_reply>> complete_in_parts(
    Gate&& gate, M& model, std::span<chat_request const> requests, call_context const& context) {
    std::vector<result<chat_reply>> replies;
    replies.reserve(requests.size());
    while (replies.size() < requests.size()) {
        auto const rest = requests.subspan(replies.size());
        auto first = gate.enter(rest.front(), context.stop);
        if (!first) {
            replies.emplace_back(first.error());
            continue;
        }
        std::vector<std::remove_cvref_t<decltype(*first)>> passes;
        passes.push_back(std::move(*first));
        while (passes.size() < rest.size()) {
            auto next = gate.try_enter(rest[passes.size()]);
            if (!next) break;
            passes.push_back(std::move(*next));
        }
        auto part = model.complete_all(rest.first(passes.size()), context);
        for (std::size_t i = 0; i < passes.size() && i < part.size(); ++i) {
            passes[i].settle(part[i]);
            replies.push_back(std::move(part[i]));
        }
        if (part.size() < passes.size()) break; // no batch model; do not ask for ever
    }
    return replies;
}

} // namespace lkt::detail
