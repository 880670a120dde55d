// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http.hpp>

#include <lkt/llm/http/detail/caller.hpp>
#include <lkt/llm/http/detail/engine.hpp>

#include <utility>

namespace lkt {

class http_model::engine : public detail::http::engine {
    using detail::http::engine::engine;
};

http_model::http_model(http_options options)
    : engine_(std::make_shared<engine>(std::move(options))) {}

result<chat_reply> http_model::complete(chat_request const& request, call_context const& context) {
    auto replies = complete_all({&request, 1}, context);
    return std::move(replies.front());
}

std::vector<result<chat_reply>> http_model::complete_all(std::span<chat_request const> requests,
                                                         call_context const& context) {
    auto const alive = engine_; // whatever becomes of this model meanwhile
    if (alive->defect) return std::vector<result<chat_reply>>(requests.size(), *alive->defect);
    return detail::http::caller(*alive, requests, context).run();
}

result<void> http_model::connect(call_context const& context) {
    auto const alive = engine_;
    if (alive->defect) return *alive->defect;
    return detail::http::connect(*alive, context);
}

std::optional<error> http_model::defect() const { return engine_->defect; }

http_counters http_model::counters() const {
    if (!engine_->net) return {};
    auto const& counts = engine_->net->shared();
    return {counts.calls, counts.opened, counts.sent, counts.received};
}

http_options const& http_model::options() const { return engine_->options; }

std::string http_model::description() const { return engine_->name(); }

} // namespace lkt
