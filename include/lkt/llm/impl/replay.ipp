// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/replay.hpp>

#include <lkt/llm/detail/excerpt.hpp>
#include <lkt/llm/detail/request_difference.hpp>
#include <lkt/llm/request_key.hpp>

#include <mutex>
#include <utility>
#include <vector>

namespace lkt {

struct replay_model::player {
    void load(replay_options options) {
        match = options.match.value_or(tape.header.match);
        if (match == replay_match::in_order)
            for (auto before = options.given_before; before > 0 && at < tape.exchanges.size(); ++at)
                if (tape.exchanges[at].outcome) --before;
        keys.resize(tape.exchanges.size());
        used.resize(tape.exchanges.size());
        for (std::size_t i = 0; i < tape.exchanges.size(); ++i) {
            auto& request = tape.exchanges[i].request;
            if (request) {
                request = canonical(std::move(*request));
                keys[i] = request_key(*request);
            } else if (match == replay_match::exact) {
                return refuse(i);
            }
        }
    }
    void refuse(std::size_t i) {
        defect = error{condition::rejected,
                       "lkt.replay.no-request",
                       place(i) + " contains no request to compare with",
                       "replay this cassette in order"};
    }
    [[nodiscard]] std::string place(std::size_t i) const {
        auto const line = tape.exchanges[i].line;
        return tape.name + (line > 0 ? ", line " + std::to_string(line)
                                     : ", exchange " + std::to_string(i + 1));
    }

    result<chat_reply> answer(chat_request const& request) {
        std::lock_guard const lock(mutex);
        if (defect) return *defect;
        switch (match) {
        case replay_match::exact:
            return find(request);
        case replay_match::in_order:
            return next(request);
        }
        return find(request);
    }

    result<chat_reply> find(chat_request const& request) {
        auto const key = request_key(request);
        std::size_t equal = 0;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            // Keys are short, and a cassette is a file that anybody may write.
            if (keys[i] != key || *tape.exchanges[i].request != request) continue;
            ++equal;
            if (used[i] != 0) continue;
            used[i] = 1;
            ++given;
            return tape.exchanges[i].outcome;
        }
        if (equal > 0)
            return error{condition::unavailable,
                         "lkt.replay.used-up",
                         "request " + key + " was recorded " + std::to_string(equal) +
                             (equal == 1 ? " time" : " times") + " in " + tape.name +
                             ", but was asked once more",
                         "record the conversation again"};
        return unknown(request, key);
    }

    [[nodiscard]] error unknown(chat_request const& request, std::string const& key) const {
        std::string text = "the cassette " + tape.name + " has no reply to request " + key;
        if (auto const near = detail::nearest(tape.exchanges, request))
            text += "; the nearest is that of line " +
                    std::to_string(tape.exchanges[near->index].line) + ": " + near->difference;
        else
            text += "; it is empty";
        return {condition::unavailable,
                "lkt.replay.unknown-request",
                std::move(text),
                "record the conversation again; or replay it in order, if only measured times "
                "and the like differ"};
    }

    result<chat_reply> next(chat_request const& request) {
        if (at == tape.exchanges.size())
            return error{condition::unavailable,
                         "lkt.replay.used-up",
                         "the cassette " + tape.name + " has " + std::to_string(at) +
                             (at == 1 ? " reply" : " replies") + ", but one more was requested",
                         "record a longer conversation, or limit how often the strategy asks"};
        auto const& exchange = tape.exchanges[at];
        for (std::string const& text : exchange.expect)
            if (!detail::mentions(request, text))
                return error{condition::unavailable,
                             "lkt.replay.unexpected",
                             place(at) + " answers requests that contain `" +
                                 detail::excerpt(text, 0, 80) + "`, and request " +
                                 std::to_string(at + 1) + " does not",
                             "this cassette was made for another kernel or another strategy"};
        if (!exchange.request || *exchange.request != request) ++deviations;
        ++at;
        ++given;
        return exchange.outcome;
    }

    mutable std::mutex mutex;
    cassette tape;
    std::optional<error> defect;
    replay_match match = replay_match::exact;
    std::vector<std::string> keys; // of the requests, by exchange
    std::vector<char> used;
    std::size_t at = 0; // in order: the exchange that comes next
    std::size_t given = 0, deviations = 0;
};

replay_model::replay_model(std::string const& path, replay_options options)
    : replay_model(read_cassette(path), options) {}

replay_model::replay_model(result<cassette> tape, replay_options options)
    : player_(std::make_shared<player>()) {
    if (!tape) {
        player_->defect = tape.error();
        return;
    }
    player_->tape = std::move(*tape);
    player_->load(options);
}

result<chat_reply> replay_model::complete(chat_request const& request,
                                          call_context const& context) {
    if (context.stop.stop_requested()) return cancelled("asking the replay");
    auto reply = player_->answer(canonical(request));
    if (reply && context.on_text && !reply->text.empty()) context.on_text(reply->text);
    return reply;
}

std::optional<error> const& replay_model::defect() const { return player_->defect; }

cassette_header const& replay_model::header() const { return player_->tape.header; }

replay_match replay_model::match() const { return player_->match; }

std::size_t replay_model::given() const {
    std::lock_guard const lock(player_->mutex);
    return player_->given;
}

std::size_t replay_model::left() const {
    std::lock_guard const lock(player_->mutex);
    return player_->tape.exchanges.size() -
           (player_->match == replay_match::in_order ? player_->at : player_->given);
}

std::size_t replay_model::deviations() const {
    std::lock_guard const lock(player_->mutex);
    return player_->deviations;
}

std::string replay_model::description() const {
    if (player_->defect) return "a cassette that cannot be used";
    std::string text = header().origin == cassette_origin::recorded
                           ? "recorded replies of " + header().model
                           : std::string("replies written by hand");
    if (match() == replay_match::in_order)
        text += ", replayed in order (" + std::to_string(deviations()) + " of " +
                std::to_string(given()) + " to other requests than recorded)";
    return text;
}

} // namespace lkt
