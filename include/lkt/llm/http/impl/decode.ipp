// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/dialects.hpp>
#include <lkt/llm/http/detail/wire_messages.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/llm/detail/excerpt.hpp>
#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/read_json.hpp>
#include <lkt/llm/detail/redact.hpp>
#include <lkt/llm/estimate_tokens.hpp>
#include <lkt/llm/thinking.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace lkt::detail::http {

void read_whole(dialect d, json const& whole, answer& a) {
    switch (d) {
    case dialect::openai_chat:
    case dialect::llama_cpp:
    case dialect::vllm:
        return read_openai_chat(whole, a);
    case dialect::openai_responses:
        return read_openai_responses(whole, a);
    case dialect::anthropic:
        return read_anthropic(whole, a);
    case dialect::ollama:
        return read_ollama(whole, a);
    }
}

void read_event(dialect d, std::string_view name, json const& event, answer& a) {
    switch (d) {
    case dialect::openai_chat:
    case dialect::llama_cpp:
    case dialect::vllm:
        return read_openai_chat_event(event, a);
    case dialect::openai_responses:
        return read_openai_responses_event(name, event, a);
    case dialect::anthropic:
        return read_anthropic_event(name, event, a);
    case dialect::ollama:
        return read_ollama(event, a);
    }
}

error malformed(http_options const& options, std::string what, std::string_view body) {
    return {
        condition::transient,
        "lkt.http.malformed",
        server_name(options) + " sent malformed JSON: " + std::move(what) +
            (trimmed(body).empty() ? std::string() : "; it begins with `" + quoted(body, "") + "`"),
        "try again; if this happens again, check the base URL and the dialect"};
}

error not_an_answer(http_options const& options, std::string_view body) {
    return {condition::rejected,
            "lkt.http.content-type",
            server_name(options) + " sent something other than a model's answer: `" +
                quoted(plain_words(body), "") + "`",
            "check the base URL and the dialect, and whether a proxy answers in its place"};
}

error cut_off(http_options const& options, std::string_view body) {
    return {
        condition::transient,
        "lkt.http.cut-off",
        "the answer of " + server_name(options) + " ended early" +
            (trimmed(body).empty() ? std::string() : "; it begins with `" + quoted(body, "") + "`"),
        "try again"};
}

error too_long(http_options const& options) {
    return {condition::rejected,
            "lkt.http.too-long",
            "the answer of " + server_name(options) + " has more than " +
                std::to_string(options.max_reply) + " bytes",
            "raise http_options::max_reply, or ask for less"};
}

result<chat_reply>
make_reply(chat_request const& request, http_options const& options, answer&& a, std::string text) {
    chat_reply reply;
    reply.text = std::move(text);
    reply.reasoning = std::move(a.reasoning);
    reply.model = a.model.empty() ? options.model : std::move(a.model);
    reply.finish = a.finish.value_or(finish::unknown);
    if (!a.refusal.empty()) reply.finish = finish::filtered;
    bool const over = reply.finish == finish::stop || reply.finish == finish::unknown;
    if (over && reply.text.empty() && reply.reasoning.empty())
        return error{condition::transient,
                     "lkt.http.empty",
                     server_name(options) + " sent an empty answer",
                     "try again; if this happens again, check the dialect and the model"};
    std::int64_t asked = 0;
    for (message const& m : request.messages) asked += estimate_tokens(m.text);
    if (request.format) asked += estimate_tokens(request.format->schema);
    auto const said = estimate_tokens(reply.text) + estimate_tokens(reply.reasoning);
    reply.usage.estimated = !a.input || !a.output;
    reply.usage.input = a.input.value_or(asked);
    reply.usage.output = a.output.value_or(said);
    reply.usage.cached = std::min(a.cached, reply.usage.input);
    reply.usage.reasoning = std::min(a.thought, reply.usage.output);
    return reply;
}

result<chat_reply>
decode_body(chat_request const& request, http_options const& options, std::string_view body) {
    if (trimmed(body).empty())
        return error{condition::transient,
                     "lkt.http.empty",
                     server_name(options) + " sent an answer without a body",
                     "try again; if this happens again, check the base URL"};
    json_fault fault;
    auto const value = read_json(well_formed_utf8(body), {.depth = 128}, fault);
    if (!value) {
        if (!begins_like_json(body)) return not_an_answer(options, body);
        return fault.incomplete ? cut_off(options, body) : malformed(options, fault.words(), body);
    }
    if (auto const broken = find_fault(*value))
        return fault_error(options, *broken, server_name(options) + " sent an error", "");
    answer a;
    read_whole(options.dialect, *value, a);
    if (a.fault) return fault_error(options, *a.fault, server_name(options) + " sent an error", "");
    if (!a.finish && a.content.empty() && a.arguments.empty() && a.refusal.empty() &&
        a.reasoning.empty() && !a.output)
        return not_an_answer(options, body); // JSON, but of something else
    std::string text = std::move(a.content);
    if (a.reasoning.empty()) {
        auto split = split_thinking(text, options.thinking);
        text = std::move(split.answer);
        a.reasoning = std::move(split.reasoning);
    }
    text += a.refusal;
    bool const called = request.format && request.format->kind == answer_kind::tool_call;
    if (!a.arguments.empty() && (called || text.empty())) {
        // What a model says beside the call is no part of the answer.
        if (!a.reasoning.empty() && !text.empty()) a.reasoning += '\n';
        a.reasoning += text;
        text = std::move(a.arguments);
    }
    return make_reply(request, options, std::move(a), std::move(text));
}

result<chat_reply>
decode(chat_request const& request, http_options const& options, wire_response const& response) {
    if (response.body.size() > options.max_reply) return too_long(options);
    // A stream comes from some servers whether it was asked for or not; it knows JSON as well.
    stream_decoder stream(request, options);
    std::string text;
    if (auto broken = stream.feed(response.body, text)) return *broken;
    return stream.finish(false, text);
}

} // namespace lkt::detail::http
