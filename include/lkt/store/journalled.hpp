// SPDX-License-Identifier: BSL-1.0
// Model calls that a crash does not repeat.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/store/journal.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

namespace detail {

/// The replies of a journal, or of none.
class reply_log {
public:
    explicit reply_log(std::optional<journal> in) : journal_(std::move(in)) {}
    [[nodiscard]] std::optional<chat_reply> take(chat_request const& request,
                                                 call_context const& context);
    /// What the caller gets: the reply, or why it could not be kept.
    [[nodiscard]] result<chat_reply> keep(chat_request const& request, result<chat_reply> reply);

private:
    std::optional<journal> journal_;
};

} // namespace detail

/// A model over a model: each reply is in the journal before it is returned. After a run is
/// resumed, the requests of the interrupted node get the replies that it already had, in order,
/// with their usage; those of earlier nodes are in the State. So a node that makes several calls
/// (`ask`) repeats none of them, provided that its requests follow from the State.
///
/// Put it around the other wrappers, so that one reply is kept however many servers were asked.
/// Errors of a model are not kept. Its own errors: `lkt.journal.write` (unavailable). Without a
/// journal it only passes calls on. `M` may be a reference type. May be used from several threads
/// if M may.
template <class M>
class journalled {
public:
    journalled(M model, std::optional<journal> in)
        : model_(std::forward<M>(model)), log_(std::move(in)) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        if (context.stop.stop_requested()) return cancelled("looking for a reply in the journal");
        if (auto known = log_.take(request, context)) return std::move(*known);
        return log_.keep(request, model_.complete(request, context));
    }

    /// Requests without a reply in the journal are sent as a smaller batch.
    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        std::vector<result<chat_reply>> replies(requests.size(),
                                                cancelled("looking for a reply in the journal"));
        if (context.stop.stop_requested()) return replies;
        std::vector<std::size_t> open;
        std::vector<chat_request> batch;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (auto known = log_.take(requests[i], context)) {
                replies[i] = std::move(*known);
            } else {
                open.push_back(i);
                batch.push_back(requests[i]);
            }
        }
        if (batch.empty()) return replies;
        auto fresh = model_.complete_all(batch, context);
        for (std::size_t k = 0; k < open.size() && k < fresh.size(); ++k)
            replies[open[k]] = log_.keep(batch[k], std::move(fresh[k]));
        return replies;
    }

    [[nodiscard]] std::string description() const {
        if constexpr (requires {
                          { model_.description() } -> std::convertible_to<std::string>;
                      })
            return model_.description();
        else
            return {};
    }

private:
    M model_;
    detail::reply_log log_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(chat_model<M>,
                  "[lkt.llm.wrapper] journalled<M> needs a chat_model: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

} // namespace lkt
