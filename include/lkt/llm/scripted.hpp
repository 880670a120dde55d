// SPDX-License-Identifier: BSL-1.0
// A chat model that answers from a list: for tests, examples and first trials of a strategy.
#pragma once

#include <lkt/llm/chat_model.hpp>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace lkt {

/// One turn of a script: a reply, its text alone, or an error.
class scripted_turn {
public:
    scripted_turn(std::string text);
    scripted_turn(char const* text);
    scripted_turn(chat_reply reply);
    scripted_turn(error e);

    [[nodiscard]] result<chat_reply> const& what() const { return what_; }

private:
    result<chat_reply> what_;
};

/// Returns its turns in order, for any requests, and keeps the requests that it saw. After the last
/// turn: error `lkt.script.over` (unavailable). Copies share the script and the record, so that a
/// test can inspect a model inside a wrapper. May be called from several threads.
class scripted_model {
public:
    scripted_model(std::initializer_list<scripted_turn> turns);
    explicit scripted_model(std::vector<scripted_turn> turns);

    /// A request that is cancelled beforehand takes no turn.
    [[nodiscard]] result<chat_reply> complete(chat_request const& request,
                                              call_context const& context);

    [[nodiscard]] static std::string description() { return "replies of a script"; }

    /// All requests so far, in the order of their arrival, those after the last turn included.
    [[nodiscard]] std::vector<chat_request> requests() const;
    /// Turns that have not been given yet.
    [[nodiscard]] std::size_t left() const;

private:
    struct script;
    std::shared_ptr<script> script_;
};

} // namespace lkt
