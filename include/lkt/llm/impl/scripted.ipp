// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/scripted.hpp>

#include <mutex>
#include <utility>

namespace lkt {

namespace detail {

[[nodiscard]] inline chat_reply scripted_reply(std::string text) {
    chat_reply reply;
    reply.text = std::move(text);
    reply.model = "scripted";
    return reply;
}

} // namespace detail

scripted_turn::scripted_turn(std::string text) : what_(detail::scripted_reply(std::move(text))) {}
scripted_turn::scripted_turn(char const* text) : scripted_turn(std::string(text)) {}
scripted_turn::scripted_turn(chat_reply reply) : what_(std::move(reply)) {}
scripted_turn::scripted_turn(error e) : what_(std::move(e)) {}

struct scripted_model::script {
    explicit script(std::vector<scripted_turn> t) : turns(std::move(t)) {}

    result<chat_reply> next(chat_request const& request) {
        std::lock_guard const lock(mutex);
        requests.push_back(request);
        if (given == turns.size())
            return error{condition::unavailable,
                         "lkt.script.over",
                         "the script of the scripted model has " + std::to_string(turns.size()) +
                             " turns, but request " + std::to_string(requests.size()) +
                             " needs one more",
                         "add a turn to the script, or limit how often the strategy asks"};
        return turns[given++].what();
    }

    std::mutex mutex;
    std::vector<scripted_turn> turns;
    std::size_t given = 0;
    std::vector<chat_request> requests;
};

scripted_model::scripted_model(std::initializer_list<scripted_turn> turns)
    : scripted_model(std::vector<scripted_turn>(turns)) {}

scripted_model::scripted_model(std::vector<scripted_turn> turns)
    : script_(std::make_shared<script>(std::move(turns))) {}

result<chat_reply> scripted_model::complete(chat_request const& request,
                                            call_context const& context) {
    if (context.stop.stop_requested()) return cancelled("asking the scripted model");
    auto turn = script_->next(request);
    if (turn && context.on_text && !turn->text.empty()) context.on_text(turn->text);
    return turn;
}

std::vector<chat_request> scripted_model::requests() const {
    std::lock_guard const lock(script_->mutex);
    return script_->requests;
}

std::size_t scripted_model::left() const {
    std::lock_guard const lock(script_->mutex);
    return script_->turns.size() - script_->given;
}

} // namespace lkt
