// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/any_chat_model.hpp>

namespace lkt {

namespace detail {

[[nodiscard]] inline error no_chat_model() {
    return {condition::unavailable,
            "lkt.llm.no-model",
            "this any_chat_model is empty",
            "give it one: any_chat_model llm = replay_model{...}"};
}

} // namespace detail

result<chat_reply> any_chat_model::complete(chat_request const& request,
                                            call_context const& context) {
    if (!model_) return detail::no_chat_model();
    return calls_->complete(model_.get(), request, context);
}

std::vector<result<chat_reply>> any_chat_model::complete_all(std::span<chat_request const> requests,
                                                             call_context const& context,
                                                             complete_all_options options) {
    if (!model_) return std::vector<result<chat_reply>>(requests.size(), detail::no_chat_model());
    return calls_->complete_all(model_.get(), requests, context, options);
}

std::string any_chat_model::description() const {
    return model_ ? calls_->describe(model_.get()) : std::string();
}

} // namespace lkt
