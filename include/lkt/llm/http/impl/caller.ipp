// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/caller.hpp>
#include <lkt/llm/http/detail/request_text.hpp>
#include <lkt/llm/http/detail/retry_after.hpp>

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <utility>

namespace lkt::detail::http {

/// Nobody reads a longer error than this; pages of HTML are.
constexpr std::size_t max_refusal = 64 * 1024;

caller::caller(engine& e, std::span<chat_request const> requests, call_context const& context)
    : engine_(e), requests_(requests), context_(context),
      inbox_(std::make_shared<inbox>(requests.size())), calls_(requests.size()),
      replies_(requests.size(), cancelled("a call to " + e.name())) {}

caller::~caller() {
    for (auto const& each : calls_)
        if (each.open) {
            engine_.net->cancel(each.ticket);
            ++engine_.net->shared().calls;
        }
}

std::vector<result<chat_reply>> caller::run() {
    std::stop_callback const stopping(context_.stop, [to = inbox_] { to->stop(); });
    std::size_t const most = std::max<std::size_t>(engine_.options.max_in_flight, 1);
    std::vector<arrival> fresh;
    for (std::size_t sent = 0; sent < requests_.size() || open_ > 0;) {
        if (context_.stop.stop_requested()) break;
        if (sent < requests_.size() && open_ < most) {
            send(sent++);
            continue;
        }
        inbox_->wait(fresh);
        if (fresh.empty()) break;
        for (arrival& each : fresh) {
            if (context_.stop.stop_requested()) break;
            if (calls_[each.call].open) take(std::move(each));
        }
    }
    return std::move(replies_);
}

error no_thread(std::system_error const& e) {
    return {condition::exhausted,
            "lkt.http.thread",
            std::string("the system could not start a network thread: ") + e.what(),
            ""};
}

void caller::send(std::size_t i) {
    auto& c = calls_[i];
    auto& counts = engine_.net->shared();
    ++open_;
    c.open = true;
    c.key = engine_.key();
    auto const request = encode(requests_[i], engine_.options, c.key);
    if (!request) return settle(i, request.error());
    auto text = request_text(engine_.net->shared().way, *request);
    if (!text) return settle(i, text.error());
    try {
        c.ticket = engine_.net->submit(std::move(*text), inbox_, i);
    } catch (std::system_error const& e) {
        return settle(i, no_thread(e));
    }
    counts.sent += request->body.size();
}

/// Servers quote what they were sent, also where a dialect passes it on as it is.
error without_key(error e, std::string const& key) {
    static constexpr std::string_view left_out = "[key left out]";
    constexpr std::size_t shortest = 8; // less is in any text
    for (std::string* const text : {&e.message, &e.hint})
        for (std::size_t at = 0;
             key.size() >= shortest && (at = text->find(key, at)) != std::string::npos;
             at += left_out.size())
            text->replace(at, key.size(), left_out);
    return e;
}

void caller::settle(std::size_t i, result<chat_reply> outcome) {
    auto& c = calls_[i];
    c.open = false;
    --open_;
    ++engine_.net->shared().calls;
    if (!outcome) {
        error e = without_key(outcome.error(), c.key);
        // Also where the status was 200 and the answer's text is the error.
        if (e.kind == condition::transient && !e.retry_after)
            e.retry_after = retry_after(c.response, std::chrono::system_clock::now());
        outcome = std::move(e);
    } else {
        outcome->source = engine_.name();
    }
    replies_[i] = std::move(outcome);
    // What was read of it, and the request's key.
    auto const ticket = std::move(c.ticket);
    c = {};
    engine_.net->abandon(ticket);
}

void caller::say(std::string const& text) const {
    if (!text.empty() && context_.on_text) context_.on_text(text);
}

bool mentions(std::optional<std::string_view> value, std::string_view word) {
    return value && value->find(word) != std::string_view::npos;
}

void caller::take(arrival fresh) {
    auto& c = calls_[fresh.call];
    if (fresh.head) take_head(c, fresh.call, std::move(*fresh.head));
    if (!c.open) return;
    if (c.decoder)
        take_stream(c, fresh);
    else
        take_whole(c, fresh);
    if (c.open && fresh.paused) engine_.net->read_on(c.ticket);
}

void caller::take_head(call& c, std::size_t i, wire_response head) {
    c.response = std::move(head);
    if (auto const coding = c.response.header("content-encoding");
        coding && !coding->empty() && *coding != "identity") {
        engine_.net->cancel(c.ticket);
        return settle(i,
                      error{condition::rejected,
                            "lkt.http.protocol",
                            engine_.server.endpoint() +
                                " answers in a content encoding that was not requested",
                            "turn compression off on the server"});
    }
    // A server that cannot stream sends JSON, and one that is none sends a page of HTML.
    auto const type = c.response.header("content-type");
    bool const lines = mentions(type, "ndjson") || mentions(type, "jsonl") ||
                       engine_.options.dialect == dialect::ollama; // one line of them is JSON, too
    bool const whole = (mentions(type, "json") && !lines) || mentions(type, "html");
    bool const stream = (engine_.options.stream && !whole) || mentions(type, "event-stream");
    if (c.response.status / 100 == 2 && stream) c.decoder.emplace(requests_[i], engine_.options);
}

void caller::take_stream(call& c, arrival const& fresh) {
    std::string text;
    auto const broken = c.decoder->feed(fresh.body, text);
    say(text);
    text.clear();
    if (broken) {
        engine_.net->cancel(c.ticket);
        return settle(fresh.call, *broken);
    }
    bool const cut_off = fresh.failure && fresh.failure->code == "lkt.http.cut-off";
    if (fresh.failure && !cut_off && !c.decoder->ended()) return settle(fresh.call, *fresh.failure);
    if (!fresh.over && !c.decoder->ended()) return;
    auto reply = c.decoder->finish(cut_off, text);
    say(text);
    settle(fresh.call, std::move(reply));
}

void caller::take_whole(call& c, arrival& fresh) {
    auto& response = c.response;
    response.body += fresh.body;
    bool const refused = response.status != 0 && response.status / 100 != 2;
    bool enough = refused && response.body.size() > max_refusal;
    if (enough) {
        response.body.resize(max_refusal);
        engine_.net->cancel(c.ticket);
    }
    if (!fresh.over && !enough) return;
    auto const& way = engine_.net->shared().way;
    if (refused) {
        // Also where its text broke off: the status says more than the connection's end.
        if (response.status == 407 && way.by)
            return settle(fresh.call, proxy_failure("the proxy " + way.by->host, response.status));
        return settle(fresh.call, status_error(engine_.options, response, c.key));
    }
    if (fresh.failure) return settle(fresh.call, *fresh.failure);
    auto reply = decode(requests_[fresh.call], engine_.options, response);
    if (reply) say(reply->text);
    settle(fresh.call, std::move(reply));
}

result<void> connect(engine& e, call_context const& context) {
    auto const to = std::make_shared<inbox>(1);
    std::stop_callback const stopping(context.stop, [to] { to->stop(); });
    transport::ticket ticket;
    try {
        ticket = e.net->submit({}, to, 0);
    } catch (std::system_error const& failed) {
        return no_thread(failed);
    }
    std::vector<arrival> told;
    to->wait(told);
    if (told.empty()) {
        e.net->cancel(ticket);
        return cancelled("connecting to " + e.server.authority());
    }
    if (told.front().failure) return *told.front().failure;
    return {};
}

} // namespace lkt::detail::http
