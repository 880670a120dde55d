// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/config.hpp>

#include <string_view>

namespace lkt {

/// How an answer gets its form.
enum class answer_mode : unsigned char {
    automatic,        ///< the first of native_schema, tool_call, json_object and separate_request
                      ///< that the server does not refuse
    native_schema,    ///< the server enforces the schema
    tool_call,        ///< the answer is the arguments of a call
    json_object,      ///< the server enforces JSON, the prompt shows the schema
    separate_request, ///< a free answer, which a second request puts into JSON
    hybrid,           ///< the same, the second request with the schema enforced where possible
};

[[nodiscard]] constexpr std::string_view to_string(answer_mode mode) {
    switch (mode) {
    case answer_mode::automatic:
        return "automatic";
    case answer_mode::native_schema:
        return "native_schema";
    case answer_mode::tool_call:
        return "tool_call";
    case answer_mode::json_object:
        return "json_object";
    case answer_mode::separate_request:
        return "separate_request";
    case answer_mode::hybrid:
        return "hybrid";
    }
    return "unknown";
}

} // namespace lkt
