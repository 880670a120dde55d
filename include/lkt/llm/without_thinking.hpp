// SPDX-License-Identifier: BSL-1.0
// A model whose reasoning stands in its text, between tags of its own.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>
#include <lkt/llm/thinking.hpp>

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lkt {

namespace detail {

/// Moves reasoning from the reply's text to where it belongs, and passes the text on.
void take_thinking(result<chat_reply>& reply,
                   std::span<thinking_tags const> tags,
                   call_context const& context);

} // namespace detail

/// See `without_thinking`.
template <class M>
class thinking_apart {
public:
    thinking_apart(M model, std::vector<thinking_tags> tags)
        : model_(std::forward<M>(model)), tags_(std::move(tags)), defect_(thinking_defect(tags_)) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        if (defect_) return *defect_;
        result<chat_reply> reply = model_.complete(request, {context.stop, {}});
        detail::take_thinking(reply, tags_, context);
        return reply;
    }

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        if (defect_) return std::vector<result<chat_reply>>(requests.size(), *defect_);
        auto replies = model_.complete_all(requests, {context.stop, {}});
        for (auto& reply : replies) detail::take_thinking(reply, tags_, context);
        return replies;
    }

    /// Why it cannot be used: that of `thinking_defect`.
    [[nodiscard]] std::optional<error> const& defect() const { return defect_; }
    [[nodiscard]] std::string description() const { return describe(model_); }

private:
    M model_;
    std::vector<thinking_tags> tags_;
    std::optional<error> defect_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(chat_model<M>,
                  "[lkt.llm.wrapper] without_thinking needs a chat_model: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

/// A model over a model: text that `split_thinking` finds with `tags` in a reply becomes its
/// reasoning. For models of your own, mailboxes and cassettes; one behind HTTP has
/// `http_options::thinking`, which streams. The answer is passed on when it is complete, because
/// only then is the reasoning known. Invalid tags are an error of each call
/// (`lkt.llm.thinking-tags`).
template <class M>
[[nodiscard]] thinking_apart<std::remove_cvref_t<M>>
without_thinking(M&& model, std::vector<thinking_tags> tags) {
    return thinking_apart<std::remove_cvref_t<M>>(std::forward<M>(model), std::move(tags));
}

} // namespace lkt
