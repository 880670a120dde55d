// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/dialects.hpp>

#include <lkt/core/plain_text.hpp>

#include <boost/json/array.hpp>

#include <limits>
#include <string>
#include <utility>

namespace lkt::detail::http {

boost::json::object ollama_body(checked_request const& r) {
    boost::json::object body{{"model", well_formed_utf8(r.options.model)}};
    body["messages"] = r.messages();

    boost::json::object knobs;
    if (r.request.temperature) knobs["temperature"] = *r.request.temperature;
    if (r.request.max_tokens) knobs["num_predict"] = *r.request.max_tokens;
    if (r.request.seed)
        knobs["seed"] =
            *r.request.seed & static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
    if (!knobs.empty()) body["options"] = std::move(knobs);

    // It cannot be made to call a tool; a schema enforces the same arguments.
    if (r.wants(answer_kind::json_object)) body["format"] = "json";
    if (!r.schema.is_null()) body["format"] = r.schema;
    if (r.request.effort) {
        if (r.reasons())
            body["think"] = to_string(*r.request.effort);
        else
            body["think"] = false;
    }
    body["stream"] = r.options.stream;
    // Otherwise it drops what does not fit: of the prompt, and of the past while the reply grows.
    body["truncate"] = false;
    body["shift"] = false;
    return body;
}

void read_ollama(json const& line, answer& a) {
    if (auto const model = text_at(&line, "model"); !model.empty()) a.model = model;
    auto const* said = member(&line, "message");
    a.content += text_at(said, "content");
    a.reasoning += words_of(member(said, "thinking"));
    for (json const& call : list_at(said, "tool_calls")) {
        if (std::exchange(a.call, 0)) break;
        a.arguments = as_text(member(member(&call, "function"), "arguments"));
    }
    auto const* done = member(&line, "done");
    if (!done || !done->is_bool() || !done->get_bool()) return;
    auto const why = text_at(&line, "done_reason");
    a.finish = why == "stop" || why.empty() ? finish::stop
               : why == "length"            ? finish::length
                                            : finish::unknown;
    a.input = count_at(&line, "prompt_eval_count");
    a.output = count_at(&line, "eval_count");
    a.ended = true;
}

} // namespace lkt::detail::http
