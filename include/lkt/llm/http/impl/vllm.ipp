// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/dialects.hpp>

namespace lkt::detail::http {

void adapt_to_vllm(checked_request const& r, boost::json::object& body) {
    if (!r.request.effort) return;
    // It has no level for none; templates of models that reason have a switch, by either name.
    if (!r.reasons()) body.erase("reasoning_effort");
    body["chat_template_kwargs"] = {{"enable_thinking", r.reasons()}, {"thinking", r.reasons()}};
}

} // namespace lkt::detail::http
