// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/dialects.hpp>
#include <lkt/llm/http/detail/event_stream.hpp>
#include <lkt/llm/http/detail/ndjson.hpp>
#include <lkt/llm/http/detail/thinking_filter.hpp>
#include <lkt/llm/http/detail/wire_messages.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/llm/detail/excerpt.hpp>
#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/read_json.hpp>

#include <boost/json/monotonic_resource.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace lkt::detail::http {

/// What the bytes are, which their beginning tells: not all servers do as they are asked.
enum class framing : unsigned char { unknown, events, lines, whole };

struct stream_decoder::state {
    state(chat_request const& r, http_options const& o)
        : request(r), options(o), wants_call(r.format && r.format->kind == answer_kind::tool_call),
          thinking(options.thinking) {}

    chat_request const& request;
    http_options const& options;
    bool wants_call;
    framing frame = framing::unknown;
    std::string body;         ///< until the framing is known; all of it where it is whole
    std::size_t searched = 0; ///< of it, for the end of its first line
    bool began = false;       ///< what may stand before it has been looked at
    std::size_t received = 0;
    event_stream events;
    line_stream lines;
    answer a;
    thinking_filter thinking;
    bool apart = false; ///< the server tells reasoning apart, so tags in the text are text
    std::size_t content_read = 0, refusal_read = 0, arguments_read = 0;
    std::string text; ///< all that has been passed on
    std::optional<error> broken;

    void decide(bool last);
    void take(std::string_view name, std::string_view data, bool last);
    void take_bytes(std::string_view bytes);
    void pass_on();
    void pass_text(std::string_view piece);
    void end_text();
};

/// Server-sent events begin with one of their fields, JSON with a brace. Ollama's lines are JSON
/// texts; one that does not end with its line is a whole answer, laid out for people.
void stream_decoder::state::decide(bool last) {
    static constexpr std::array<std::string_view, 6> fields{
        "data", "event", "id", "retry", "error", ""};
    constexpr std::size_t max_field = 5;
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (!began) {
        if (!last && mark.starts_with(body)) return;
        if (body.starts_with(mark)) body.erase(0, mark.size());
        began = true;
    }
    std::size_t blank = 0;
    while (blank < body.size() && is_blank(body[blank])) ++blank;
    body.erase(0, blank);
    std::string_view const begin = body;
    if (begin.starts_with('{') || begin.starts_with('[')) {
        frame = framing::whole;
        if (options.dialect != dialect::ollama || begin.starts_with('[')) return;
        auto const end = begin.find('\n', searched);
        searched = begin.size();
        if (end == begin.npos && !last) {
            frame = framing::unknown;
            return;
        }
        json_fault fault;
        auto const line = read_json(well_formed_utf8(begin.substr(0, end)), {.depth = 128}, fault);
        if (line || !fault.incomplete) frame = framing::lines;
        return;
    }
    auto const end = begin.find_first_of(":\r\n");
    if (end == begin.npos && begin.size() <= max_field && !last) return;
    bool const is_field = std::any_of(fields.begin(), fields.end(), [&](std::string_view field) {
        return end == begin.npos ? field.starts_with(begin) : field == begin.substr(0, end);
    });
    frame = is_field && !begin.empty() ? framing::events : framing::whole;
}

void stream_decoder::state::take_bytes(std::string_view bytes) {
    if (frame == framing::events) {
        events.feed(bytes, [&](stream_event const& event) { take(event.name, event.data, false); });
    } else if (frame == framing::lines) {
        lines.feed(bytes, [&](std::string_view line) { take({}, line, false); });
    }
}

/// One event or line. `last`: nothing says that it is whole.
void stream_decoder::state::take(std::string_view name, std::string_view data, bool last) {
    if (broken || a.ended || trimmed(data).empty()) return;
    if (trimmed(data) == "[DONE]") {
        a.ended = true;
        return;
    }
    json_fault fault;
    std::array<unsigned char, 2048> begin; // enough for a piece of text
    boost::json::monotonic_resource memory(begin.data(), begin.size());
    auto value = read_json(data, {.depth = 128}, fault, &memory);
    // What is read is UTF-8: it need not be looked at before.
    if (!value) {
        fault = {};
        value = read_json(well_formed_utf8(data), {.depth = 128}, fault, &memory);
    }
    if (!value) {
        if (last) return; // as if it had not come
        if (name == "error")
            broken = fault_error(options,
                                 {.message = std::string(data)},
                                 server_name(options) + " stopped with an error",
                                 "");
        else
            broken = malformed(options, fault.words(), data);
        return;
    }
    auto failed = find_fault(*value);
    if (!failed && name == "error") failed = as_fault(*value);
    if (!failed) {
        read_event(options.dialect, name, *value, a);
        failed = a.fault;
    }
    if (failed)
        broken = fault_error(options, *failed, server_name(options) + " stopped with an error", "");
    else
        pass_on();
}

/// The answer's text, without the reasoning that may stand in it.
void stream_decoder::state::pass_text(std::string_view piece) {
    if (!apart && !a.reasoning.empty()) {
        thinking.finish(text);
        apart = true;
    }
    if (apart)
        text += piece;
    else
        thinking.feed(piece, text);
}

void stream_decoder::state::pass_on() {
    auto const fresh = [](std::string const& all, std::size_t& read) {
        return std::string_view(all).substr(std::exchange(read, all.size()));
    };
    if (wants_call) { // whatever else it says is known not to be the answer at the end alone
        text += fresh(a.arguments, arguments_read);
        return;
    }
    if (auto const piece = fresh(a.content, content_read); !piece.empty()) pass_text(piece);
    if (auto const piece = fresh(a.refusal, refusal_read); !piece.empty()) {
        thinking.finish(text);
        apart = true;
        text += piece;
    }
}

void stream_decoder::state::end_text() {
    if (wants_call && !a.arguments.empty()) {
        if (!a.reasoning.empty() && !a.content.empty()) a.reasoning += '\n';
        a.reasoning += a.content;
        return;
    }
    if (wants_call) {
        wants_call = false;
        pass_on();
    }
    thinking.finish(text);
    if (text.empty()) text = a.arguments;
    if (a.reasoning.empty()) a.reasoning = thinking.reasoning();
}

stream_decoder::stream_decoder(chat_request const& request, http_options const& options)
    : state_(std::make_unique<state>(request, options)) {}
stream_decoder::stream_decoder(stream_decoder&&) noexcept = default;
stream_decoder& stream_decoder::operator=(stream_decoder&&) noexcept = default;
stream_decoder::~stream_decoder() = default;

std::optional<error> stream_decoder::feed(std::string_view bytes, std::string& text) {
    state& s = *state_;
    if (s.broken || s.a.ended) return s.broken;
    std::size_t const before = s.text.size();
    // All that the limit allows is read first, so that pieces do not matter.
    auto const room = s.options.max_reply - s.received;
    auto const allowed = bytes.substr(0, room);
    s.received += allowed.size();
    if (s.frame == framing::unknown || s.frame == framing::whole) s.body += allowed;
    if (s.frame == framing::unknown) {
        s.decide(false);
        if (s.frame == framing::events || s.frame == framing::lines)
            s.take_bytes(std::exchange(s.body, {}));
    } else {
        s.take_bytes(allowed);
    }
    if (bytes.size() > room && !s.broken && !s.a.ended) s.broken = too_long(s.options);
    text.append(s.text, before);
    return s.broken;
}

bool stream_decoder::ended() const { return state_->a.ended; }

result<chat_reply> stream_decoder::finish(bool broke, std::string& text) {
    state& s = *state_;
    std::size_t const before = s.text.size();
    if (s.broken) return *s.broken;
    if (s.frame == framing::unknown) {
        s.decide(true);
        s.take_bytes(s.body);
    }
    if (s.frame == framing::whole) {
        if (broke && trimmed(s.body).empty()) return cut_off(s.options, {});
        auto reply = decode_body(s.request, s.options, s.body);
        if (reply) text += reply->text;
        return reply;
    }
    if (auto const line = s.lines.rest(); line && s.frame == framing::lines)
        s.take({}, *line, true);
    if (auto const event = s.events.rest(); event && s.frame == framing::events)
        s.take(event->name, event->data, true);
    if (s.broken) return *s.broken;
    // Not all send a last word, and what comes after the finish reason is only the count.
    if (!s.a.ended && !s.a.finish) return cut_off(s.options, s.text.empty() ? s.body : "");
    s.end_text();
    text.append(s.text, before);
    return make_reply(s.request, s.options, std::move(s.a), std::move(s.text));
}

} // namespace lkt::detail::http
