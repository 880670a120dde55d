// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/dialects.hpp>

namespace lkt::detail::http {

void adapt_to_llama_cpp(checked_request const& r, boost::json::object& body) {
    // All its versions read a schema in this place, only some in OpenAI's.
    if (r.wants(answer_kind::json_schema))
        body["response_format"] = {{"type", "json_object"}, {"schema", r.schema}};
    // It knows words alone here; there is one tool to call.
    if (r.wants(answer_kind::tool_call)) body["tool_choice"] = "required";
    if (!r.request.effort) return;
    // The model's own template decides; each reads one of these.
    body.erase("reasoning_effort");
    boost::json::object template_options{{"enable_thinking", r.reasons()}};
    if (r.reasons()) template_options["reasoning_effort"] = to_string(*r.request.effort);
    body["chat_template_kwargs"] = std::move(template_options);
}

} // namespace lkt::detail::http
