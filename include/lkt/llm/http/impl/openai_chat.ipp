// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/dialects.hpp>

#include <lkt/core/plain_text.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace lkt::detail::http {

namespace openai_chat {

/// The form for `response_format`, or the one tool that must be called.
void put_format(checked_request const& r, boost::json::object& body) {
    if (r.wants(answer_kind::json_object)) {
        body["response_format"] = {{"type", "json_object"}};
    } else if (r.wants(answer_kind::json_schema)) {
        boost::json::object form{{"name", r.name}, {"schema", r.schema}, {"strict", r.strict}};
        auto const description = well_formed_utf8(r.request.format->description);
        if (!description.empty()) form["description"] = description;
        body["response_format"] = {{"type", "json_schema"}, {"json_schema", std::move(form)}};
    } else if (r.wants(answer_kind::tool_call)) {
        boost::json::object tool{{"name", r.name}, {"parameters", r.schema}, {"strict", r.strict}};
        auto const description = well_formed_utf8(r.request.format->description);
        if (!description.empty()) tool["description"] = description;
        body["tools"] = boost::json::array{{{"type", "function"}, {"function", std::move(tool)}}};
        body["tool_choice"] = {{"type", "function"}, {"function", {{"name", r.name}}}};
    }
}

finish reason(std::string_view name) {
    if (name == "stop" || name == "tool_calls" || name == "function_call") return finish::stop;
    if (name == "length") return finish::length;
    if (name == "content_filter") return finish::filtered;
    return finish::unknown;
}

void read_usage(json const& whole, answer& a) {
    if (auto const* usage = member(&whole, "usage")) {
        auto const thought =
            count_at(member(usage, "completion_tokens_details"), "reasoning_tokens").value_or(0);
        if (auto const n = count_at(usage, "prompt_tokens")) a.input = n;
        if (auto const n = count_at(usage, "completion_tokens")) a.output = n;
        // Some do not count reasoning among the completion's tokens; the total tells.
        auto const total = count_at(usage, "total_tokens").value_or(0);
        if (thought > 0 && a.input && a.output && total == *a.input + *a.output + thought)
            a.output = *a.output + thought;
        a.thought = thought;
        a.cached = count_at(member(usage, "prompt_tokens_details"), "cached_tokens")
                       .value_or(count_at(usage, "prompt_cache_hit_tokens").value_or(0));
    } else if (auto const* timings = member(&whole, "timings")) { // llama.cpp's own count
        auto const fresh = count_at(timings, "prompt_n");
        auto const written = count_at(timings, "predicted_n");
        if (!fresh || !written) return;
        a.cached = count_at(timings, "cache_n").value_or(0);
        a.input = *fresh + a.cached;
        a.output = written;
    }
}

/// A list of parts holds reasoning beside text on some servers; a string is text.
void read_content(json const* content, answer& a) {
    auto const* parts = content ? content->if_array() : nullptr;
    if (!parts) {
        a.content += text_of(content);
        return;
    }
    for (json const& part : *parts) {
        auto const type = text_at(&part, "type");
        if (type == "thinking" || type == "reasoning")
            a.reasoning += words_of(&part);
        else if (type == "refusal")
            a.refusal += text_at(&part, "refusal");
        else
            a.content += words_of(&part);
    }
}

/// The first call is the answer; a model that calls the tool again has nothing to add.
void read_calls(json const* said, answer& a) {
    for (json const& call : list_at(said, "tool_calls")) {
        auto const index = count_at(&call, "index").value_or(0);
        if (!a.call) a.call = index;
        if (*a.call != index) continue;
        a.arguments += as_text(member(member(&call, "function"), "arguments"));
        if (!member(&call, "index")) break; // a whole answer: one element a call
    }
    if (auto const* call = member(said, "function_call"))
        a.arguments += as_text(member(call, "arguments"));
}

void read_message(json const* said, answer& a) {
    for (std::string_view const name : {"reasoning_content", "reasoning", "thinking"}) {
        if (auto const* thought = member(said, name)) {
            a.reasoning += words_of(thought);
            break;
        }
    }
    read_content(member(said, "content"), a);
    a.refusal += text_at(said, "refusal");
    read_calls(said, a);
}

/// The first choice, in an answer (`message`) or in a piece of one (`delta`).
void read_choice(json const& whole, answer& a) {
    if (auto const model = text_at(&whole, "model"); !model.empty()) a.model = model;
    for (json const& choice : list_at(&whole, "choices")) {
        if (count_at(&choice, "index").value_or(0) != 0) continue;
        auto const* said = member(&choice, "delta");
        read_message(said ? said : member(&choice, "message"), a);
        if (auto const* why = member(&choice, "finish_reason")) a.finish = reason(text_of(why));
        // A router tells of a failure behind it in this place.
        if (auto const* e = member(&choice, "error")) a.fault = as_fault(*e);
        break;
    }
    read_usage(whole, a);
}

} // namespace openai_chat

boost::json::object openai_chat_body(checked_request const& r) {
    boost::json::object body;
    if (!r.options.model.empty()) body["model"] = well_formed_utf8(r.options.model);
    body["messages"] = r.messages();
    if (r.request.temperature) body["temperature"] = *r.request.temperature;
    if (r.request.max_tokens) {
        // OpenAI's own models refuse the old name, other servers do not know the new one.
        bool const own = r.options.dialect == dialect::openai_chat && is_providers_own(r.options);
        body[own ? "max_completion_tokens" : "max_tokens"] = *r.request.max_tokens;
    }
    // Servers read it as a signed number.
    if (r.request.seed)
        body["seed"] =
            *r.request.seed & static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (r.request.effort) body["reasoning_effort"] = to_string(*r.request.effort);
    openai_chat::put_format(r, body);
    body["stream"] = r.options.stream;
    if (r.options.stream) body["stream_options"] = {{"include_usage", true}};
    return body;
}

void read_openai_chat(json const& whole, answer& a) {
    openai_chat::read_choice(whole, a);
    a.ended = true;
}

void read_openai_chat_event(json const& event, answer& a) { openai_chat::read_choice(event, a); }

} // namespace lkt::detail::http
