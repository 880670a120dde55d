// SPDX-License-Identifier: BSL-1.0
// A chat model that answers from a list: for tests, examples and first trials of a strategy.
#pragma once

#include <lkt/llm/chat_model.hpp>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lkt {

/// One turn of a script: a reply, its text alone, or an error.
class scripted_turn {
public:
    scripted_turn(std::string text) {
        chat_reply reply;
        reply.text = std::move(text);
        reply.model = "scripted";
        what_ = std::move(reply);
    }
    scripted_turn(char const* text) : scripted_turn(std::string(text)) {}
    scripted_turn(chat_reply reply) : what_(std::move(reply)) {}
    scripted_turn(error e) : what_(std::move(e)) {}

    [[nodiscard]] result<chat_reply> const& what() const { return what_; }

private:
    result<chat_reply> what_;
};

/// Gives its turns in order, whatever is asked, and keeps the requests that it saw. After the last
/// turn: error `lkt.script.over` (unavailable). Copies share the script and the record, so that a
/// test can look at a model that it has put into a wrapper. May be called from several threads.
class scripted_model {
public:
    scripted_model(std::initializer_list<scripted_turn> turns)
        : scripted_model(std::vector<scripted_turn>(turns)) {}
    explicit scripted_model(std::vector<scripted_turn> turns)
        : script_(std::make_shared<script>(std::move(turns))) {}

    /// A request that is cancelled beforehand takes no turn.
    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context) {
        if (context.stop.stop_requested()) return cancelled("asking the scripted model");
        auto turn = script_->next(request);
        if (turn && context.on_text && !turn->text.empty()) context.on_text(turn->text);
        return turn;
    }

    [[nodiscard]] static std::string description() { return "replies of a script"; }

    /// All requests so far, in the order of their arrival, those after the last turn included.
    [[nodiscard]] std::vector<chat_request> requests() const {
        std::lock_guard const lock(script_->mutex);
        return script_->requests;
    }
    /// Turns that have not been given yet.
    [[nodiscard]] std::size_t left() const {
        std::lock_guard const lock(script_->mutex);
        return script_->turns.size() - script_->given;
    }

private:
    struct script {
        explicit script(std::vector<scripted_turn> t) : turns(std::move(t)) {}

        result<chat_reply> next(chat_request const& request) {
            std::lock_guard const lock(mutex);
            requests.push_back(request);
            if (given == turns.size())
                return error{condition::unavailable,
                             "lkt.script.over",
                             "the script of the scripted model has " +
                                 std::to_string(turns.size()) + " turns, and request " +
                                 std::to_string(requests.size()) + " asked for one more",
                             "add a turn to the script, or limit how often the strategy asks"};
            return turns[given++].what();
        }

        std::mutex mutex;
        std::vector<scripted_turn> turns;
        std::size_t given = 0;
        std::vector<chat_request> requests;
    };
    std::shared_ptr<script> script_;
};

} // namespace lkt
