// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/ask.hpp>

#include <lkt/llm/detail/ask_words.hpp>
#include <lkt/llm/detail/excerpt.hpp>
#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/join_pieces.hpp>
#include <lkt/llm/detail/read_json.hpp>
#include <lkt/llm/schema.hpp>
#include <lkt/llm/thinking.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

namespace lkt {

struct ask_memory::table {
    std::mutex mutex;
    std::map<std::string, entry, std::less<>> entries;
};

ask_memory::ask_memory() : table_(std::make_shared<table>()) {}

std::optional<ask_memory::entry> ask_memory::find(std::string_view model) const {
    std::lock_guard const lock(table_->mutex);
    auto const found = table_->entries.find(model);
    if (found == table_->entries.end()) return std::nullopt;
    return found->second;
}

void ask_memory::keep(std::string_view model, entry what) {
    std::lock_guard const lock(table_->mutex);
    table_->entries.insert_or_assign(std::string(model), what);
}

namespace detail {

/// One way to get an answer's form.
using answer_way = ask_memory::entry;

class asking {
public:
    asking(asked_model const& model,
           answer_slot slot,
           chat_request request,
           ask_options const& options,
           call_context const& context,
           ask_log& log)
        : model_(model), slot_(slot), request_(std::move(request)), options_(options),
          context_(context), log_(log) {
        request_.format.reset();
    }

    result<answer_mode> run() {
        if (options_.mode == answer_mode::automatic) return automatic();
        if (auto ok = by({options_.mode, true}); !ok) return ok.error();
        return options_.mode;
    }

private:
    // The ladder.

    result<answer_mode> automatic() {
        answer_way way;
        if (options_.memory)
            if (auto const known = options_.memory->find(model_.name)) way = *known;
        for (;;) {
            answered_ = false;
            auto const ok = by(way);
            if (answered_ && options_.memory) options_.memory->keep(model_.name, way);
            if (ok) return way.mode;
            if (answered_ || !refuses_form(ok.error())) return ok.error();
            if (!step_down(way, ok.error())) return ok.error();
        }
    }

    bool step_down(answer_way& way, error const& why) const {
        switch (way.mode) {
        case answer_mode::native_schema:
            if (way.bounds && refuses_bounds(why) && has_bounds(*slot_.shape))
                way.bounds = false;
            else
                way = {answer_mode::tool_call, true};
            return true;
        case answer_mode::tool_call:
            way = {answer_mode::json_object, true};
            return true;
        case answer_mode::json_object:
            way = {answer_mode::separate_request, true};
            return true;
        case answer_mode::automatic:
        case answer_mode::separate_request:
        case answer_mode::hybrid:
            return false;
        }
        return false;
    }

    result<void> by(answer_way way) {
        mode_ = way.mode;
        switch (way.mode) {
        case answer_mode::native_schema:
            return settle(formed(request_, answer_kind::json_schema, way.bounds),
                          options_.show_schema);
        case answer_mode::tool_call:
            return settle(formed(request_, answer_kind::tool_call, way.bounds),
                          options_.show_schema);
        case answer_mode::json_object:
            return settle(formed(request_, answer_kind::json_object, way.bounds), true);
        case answer_mode::automatic:
        case answer_mode::separate_request:
        case answer_mode::hybrid:
            return separate(way.mode == answer_mode::hybrid);
        }
        return {};
    }

    /// The request with a format, and with the schema in words where the prompt must show it.
    chat_request formed(chat_request request, answer_kind kind, bool bounds) const {
        bool const object = kind == answer_kind::json_object;
        auto const& shape = *slot_.shape;
        answer_format format;
        format.kind = kind;
        format.name = schema_name(options_.name.empty() ? shape.name : options_.name);
        format.description =
            options_.description.empty() ? std::string(shape.about) : options_.description;
        if (!object) format.schema = write_schema(shape, {bounds});
        request.format = std::move(format);
        if (object || options_.show_schema)
            say(request.messages, filled(options_.prompts.object, {{"{schema}", schema()}}));
        return request;
    }

    result<void> separate(bool hybrid) {
        auto text = free_answer();
        if (!text) return text.error();
        chat_request request = request_;
        request.messages = {
            {role::user,
             filled(options_.prompts.separate, {{"{schema}", schema()}, {"{text}", *text}})}};
        if (hybrid) {
            auto formal = request;
            formal.format = formed({}, answer_kind::json_schema, true).format;
            answered_ = false;
            auto ok = settle(std::move(formal), true);
            if (ok || answered_ || !refuses_form(ok.error())) return ok;
        }
        return settle(std::move(request), true);
    }

    /// The reply to the conversation as it is.
    result<std::string> free_answer() {
        chat_request request = request_;
        std::vector<std::string> faults;
        for (int left = attempts(); left > 0; --left) {
            auto reply = whole(request, false);
            if (!reply) return reply.error();
            faults = silence(*reply);
            if (faults.empty()) return split_thinking(reply->text).answer;
            note(faults);
            answer_again(request.messages, *reply, faults[0] + " Answer again.");
        }
        return gave_up(faults, {});
    }

    // One conversation.

    /// Asks until an answer can be read. `shown`: the model knows the schema.
    result<void> settle(chat_request request, bool shown) {
        std::vector<std::string> faults;
        std::string last;
        for (int left = attempts(); left > 0; --left) {
            auto reply = whole(request, true);
            if (!reply) return reply.error();
            faults = silence(*reply);
            if (faults.empty()) {
                slot_.clear(slot_.value);
                faults = read_answer_text(reply->text, *slot_.shape, slot_.value, options_.reading);
                if (faults.empty()) faults = slot_.check(slot_.checker, slot_.value);
            }
            if (faults.empty()) return {};
            note(faults);
            last = reply->text;
            std::string list;
            for (std::string const& fault : faults) (list += list.empty() ? "- " : "\n- ") += fault;
            auto words = filled(options_.prompts.again, {{"{faults}", list}});
            if (!shown) words += "\n" + filled(options_.prompts.schema, {{"{schema}", schema()}});
            shown = true;
            answer_again(request.messages, *reply, std::move(words));
        }
        return gave_up(faults, last);
    }

    /// Why a reply says nothing; empty when it says something.
    static std::vector<std::string> silence(chat_reply const& reply) {
        if (reply.finish == finish::filtered)
            return {"the reply was held back by the server (content filter)"};
        if (!trimmed(split_thinking(reply.text).answer).empty()) return {};
        return {reply.reasoning.empty() && trimmed(reply.text).empty()
                    ? "the reply is empty"
                    : "the reply contains only reasoning"};
    }

    /// A reply to its end: continued, or asked for again with more tokens.
    result<chat_reply> whole(chat_request request, bool json) {
        auto reply = call(request);
        for (int n = 0; reply && reply->finish == finish::length; ++n) {
            if (json && is_json(reply->text)) break; // the last token was that of the last brace
            if (n >= options_.continuations) return unfinished(*reply, n);
            auto part = split_thinking(reply->text).answer;
            if (request.max_tokens) {
                constexpr int most = std::numeric_limits<int>::max() / 2;
                request.max_tokens = std::min(std::max(*request.max_tokens, 1), most) * 2;
                reply = call(request);
            } else if (trimmed(part).empty()) {
                reply = call(request); // there is nothing to go on from
            } else {
                chat_request more = request;
                more.format.reset(); // the rest alone is no answer of that form
                more.messages.push_back({role::assistant, part});
                more.messages.push_back({role::user, options_.prompts.go_on});
                auto rest = call(more);
                if (!rest) return rest;
                rest->text = join_pieces(part, split_thinking(rest->text).answer);
                reply = std::move(rest);
            }
        }
        return reply;
    }

    static bool is_json(std::string_view text) {
        json_fault fault;
        text = trimmed(text);
        return begins_like_json(text) && read_json(text, {}, fault);
    }

    result<chat_reply> call(chat_request const& request) {
        auto reply = model_.complete(model_.model, request, context_);
        ask_exchange one;
        one.mode = mode_;
        if (!request.messages.empty()) one.asked = request.messages.back().text;
        one.reply = reply;
        if (reply) {
            answered_ = true;
            log_.usage += reply->usage;
        }
        if (options_.log) {
            if (reply) options_.log->usage += reply->usage;
            options_.log->exchanges.push_back(one);
        }
        log_.exchanges.push_back(std::move(one));
        return reply;
    }

    /// Why the last reply was not accepted.
    void note(std::vector<std::string> const& faults) {
        log_.exchanges.back().faults = faults;
        if (options_.log) options_.log->exchanges.back().faults = faults;
    }

    // Turns.

    /// Templates of some models refuse two turns of one role in a row.
    static void say(conversation& messages, std::string words) {
        if (!messages.empty() && messages.back().role == role::user)
            messages.back().text += "\n\n" + words;
        else
            messages.push_back({role::user, std::move(words)});
    }

    /// Reasoning is not handed back, and servers refuse an empty turn.
    static void answer_again(conversation& messages, chat_reply const& reply, std::string words) {
        auto text = split_thinking(reply.text).answer;
        messages.push_back({role::assistant, trimmed(text).empty() ? "(no text)" : text});
        messages.push_back({role::user, std::move(words)});
    }

    [[nodiscard]] std::string schema() const { return write_schema(*slot_.shape, {}); }
    [[nodiscard]] int attempts() const { return std::max(1, options_.attempts); }

    // Ends.

    [[nodiscard]] error gave_up(std::vector<std::string> const& faults,
                                std::string_view last) const {
        std::string why;
        for (std::string const& fault : faults) (why += why.empty() ? "" : ". ") += fault;
        if (!last.empty()) why += "; the last answer: `" + excerpt(last, 0, 200) + "`";
        return {condition::rejected,
                "lkt.ask.invalid",
                "no usable answer after " + std::to_string(attempts()) +
                    (attempts() == 1 ? " attempt: " : " attempts: ") + why,
                "ask for less at once, choose another answer_mode, or another model"};
    }

    static error unfinished(chat_reply const& reply, int continuations) {
        auto const part = split_thinking(reply.text).answer;
        return {
            condition::rejected,
            "lkt.ask.unfinished",
            std::string("the answer was cut off because it became too long") +
                (trimmed(part).empty()
                     ? std::string(", before it began")
                     : " after " + std::to_string(part.size()) + " bytes, `" +
                           excerpt(part, part.size() - std::min<std::size_t>(80, part.size()), 80) +
                           "`") +
                ", despite " + std::to_string(continuations) +
                (continuations == 1 ? " continuation" : " continuations"),
            "allow more tokens (chat_request::max_tokens, the server's context) or more "
            "continuations, or ask for less at once"};
    }

    asked_model const& model_;
    answer_slot slot_;
    chat_request request_;
    ask_options const& options_;
    call_context const& context_;
    ask_log& log_;
    answer_mode mode_ = answer_mode::native_schema;
    bool answered_ = false; ///< the server took a request of the present form
};

result<answer_mode> ask(asked_model const& model,
                        answer_slot slot,
                        chat_request request,
                        ask_options const& options,
                        call_context const& context,
                        ask_log& log) {
    return asking(model, slot, std::move(request), options, context, log).run();
}

} // namespace detail

} // namespace lkt
