// SPDX-License-Identifier: BSL-1.0
// How a model samples, for whoever asks it.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/chat_model.hpp>
#include <lkt/llm/describe.hpp>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// What requests say that leave it open.
struct sampling_settings {
    std::optional<double> temperature{};
    std::optional<int> max_tokens{}; ///< of an answer, reasoning included
    std::optional<lkt::effort> effort{};

    [[nodiscard]] chat_request applied_to(chat_request request) const {
        if (!request.temperature) request.temperature = temperature;
        if (!request.max_tokens) request.max_tokens = max_tokens;
        if (!request.effort) request.effort = effort;
        return request;
    }
};

/// `with_settings{model, {.temperature = 0.2}}`, a model over a model: requests without a
/// temperature, a limit of tokens or an effort get these. A request's own come first. Place it
/// outside of `cached` and `recorded`, so that they see what is asked. The model may be of a
/// reference type; calls may overlap if those of the model may.
template <class M>
class with_settings {
public:
    with_settings(M model, sampling_settings settings)
        : model_(std::forward<M>(model)), settings_(settings) {}

    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        return model_.complete(settings_.applied_to(request), context);
    }

    [[nodiscard]] std::vector<result<chat_reply>>
    complete_all(std::span<chat_request const> requests, call_context const& context)
        requires batch_chat_model<M>
    {
        std::vector<chat_request> all;
        for (chat_request const& r : requests) all.push_back(settings_.applied_to(r));
        return model_.complete_all(all, context);
    }

    [[nodiscard]] std::string description() const { return describe(model_); }

private:
    M model_;
    sampling_settings settings_;

    // Last, since clang leaves out of the class what follows a failed assertion.
    static_assert(chat_model<M>,
                  "[lkt.llm.wrapper] with_settings needs a chat_model: result<chat_reply> "
                  "complete(chat_request const&, call_context const&)");
};

template <class M>
with_settings(M, sampling_settings) -> with_settings<M>;

} // namespace lkt
