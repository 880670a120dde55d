// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/dialects.hpp>
#include <lkt/llm/http/detail/wire_messages.hpp>
#include <lkt/llm/http/detail/words.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/llm/detail/fence_line.hpp>
#include <lkt/llm/detail/read_json.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace lkt::detail::http {

std::string checked_request::system() const {
    std::string text;
    auto const add = [&](std::string_view part) {
        if (!text.empty() && !part.empty()) text += "\n\n";
        text += part;
    };
    for (message const& m : request.messages)
        if (m.role == role::system) add(well_formed_utf8(m.text));
    add(in_words);
    return text;
}

boost::json::array checked_request::messages() const {
    boost::json::array all;
    auto const add = [&](std::string_view role, std::string_view text) {
        all.push_back(boost::json::object{{"role", role}, {"content", well_formed_utf8(text)}});
    };
    if (!in_words.empty()) add("system", system());
    for (message const& m : request.messages)
        if (in_words.empty() || m.role != role::system) add(to_string(m.role), m.text);
    return all;
}

namespace encoding {

error refused(std::string what, std::string hint) {
    return {condition::rejected, "lkt.http.request", std::move(what), std::move(hint)};
}

/// Servers that enforce a schema strictly take those whose objects are closed and whose properties
/// are all required, without what a grammar cannot say; of the others they enforce less.
bool is_strict(json const& schema) {
    if (auto const* list = schema.if_array())
        return std::all_of(list->begin(), list->end(), is_strict);
    auto const* object = schema.if_object();
    if (!object) return true;
    for (std::string_view const word : {"allOf",
                                        "oneOf",
                                        "not",
                                        "if",
                                        "patternProperties",
                                        "dependentRequired",
                                        "dependentSchemas",
                                        "uniqueItems",
                                        "propertyNames",
                                        "default"})
        if (object->contains(word)) return false;
    auto const* properties = member(&schema, "properties");
    if (text_at(&schema, "type") == "object" || properties) {
        auto const* open = member(&schema, "additionalProperties");
        if (!open || !open->is_bool() || open->get_bool()) return false;
        auto const& required = list_at(&schema, "required");
        if (properties && properties->is_object())
            for (auto const& property : properties->get_object())
                if (std::find(required.begin(), required.end(), json(property.key())) ==
                    required.end())
                    return false;
    }
    return std::all_of(
        object->begin(), object->end(), [](auto const& each) { return is_strict(each.value()); });
}

bool is_name(std::string_view name) {
    return name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' ||
                      c == '-';
           });
}

std::optional<error> read_format(checked_request& r) {
    if (!r.request.format) return std::nullopt;
    answer_format const& f = *r.request.format;
    r.name = f.name.empty() ? "answer" : f.name;
    if (!is_name(r.name))
        return refused("the answer's form is called `" + excerpt(f.name, 0, 80) + "`",
                       "use at most 64 letters, digits, _ and - in a name");
    if (f.kind == answer_kind::json_object) {
        // Some refuse the mode where nothing speaks of JSON, and Anthropic has none.
        auto const speaks = [](message const& m) { return says(m.text, {"json"}); };
        if (r.options.dialect == dialect::anthropic ||
            std::none_of(r.request.messages.begin(), r.request.messages.end(), speaks))
            r.in_words = "Answer with one JSON object and nothing else.";
        return std::nullopt;
    }
    json_fault fault;
    auto schema = read_json(f.schema, {.depth = 128}, fault);
    if (!schema || !schema->is_object())
        return refused("the schema of `" + r.name + "` is not a JSON object" +
                           (schema ? std::string() : ": " + fault.words()),
                       "hand over a JSON Schema as text");
    r.schema = std::move(*schema);
    // vLLM enforces what it can of any schema, and nothing of a tool's that is not strict.
    r.strict = r.options.dialect == dialect::vllm || is_strict(r.schema);
    return std::nullopt;
}

std::optional<error> check(chat_request const& request, http_options const& options) {
    if (request.messages.empty()) return refused("the request has no message", "add one");
    bool const said = std::any_of(request.messages.begin(),
                                  request.messages.end(),
                                  [](message const& m) { return !trimmed(m.text).empty(); });
    if (!said) return refused("all messages of the request are empty", "ask for something");
    if (options.model.empty() && options.dialect != dialect::llama_cpp)
        return refused("no model is named", "set http_options::model to its name on the server");
    if (request.temperature && !std::isfinite(*request.temperature))
        return refused("the temperature is not a number", "set one from 0 to 2, or none");
    if (request.max_tokens && *request.max_tokens < 1)
        return refused("max_tokens is " + std::to_string(*request.max_tokens),
                       "set at least one token, or leave it out");
    return std::nullopt;
}

/// JSON Merge Patch, RFC 7396.
void merge(boost::json::object& into, boost::json::object const& patch) {
    for (auto const& field : patch) {
        auto const* inner = field.value().if_object();
        if (field.value().is_null()) {
            into.erase(field.key());
        } else if (inner) {
            auto& there = into[field.key()];
            if (!there.is_object()) there.emplace_object();
            merge(there.as_object(), *inner);
        } else {
            into[field.key()] = field.value();
        }
    }
}

boost::json::object body_of(checked_request const& r) {
    switch (r.options.dialect) {
    case dialect::openai_responses:
        return openai_responses_body(r);
    case dialect::anthropic:
        return anthropic_body(r);
    case dialect::ollama:
        return ollama_body(r);
    case dialect::openai_chat:
    case dialect::llama_cpp:
    case dialect::vllm:
        break;
    }
    auto body = openai_chat_body(r);
    if (r.options.dialect == dialect::llama_cpp) adapt_to_llama_cpp(r, body);
    if (r.options.dialect == dialect::vllm) adapt_to_vllm(r, body);
    return body;
}

std::string target_of(http_options const& options) {
    std::string_view base = options.base_url;
    while (base.ends_with('/')) base.remove_suffix(1);
    switch (options.dialect) {
    case dialect::openai_responses:
        return "/responses";
    case dialect::anthropic: // with the version in the base URL too, as others have it
        return base.ends_with("/v1") ? "/messages" : "/v1/messages";
    case dialect::ollama:
        return "/api/chat";
    case dialect::openai_chat:
    case dialect::llama_cpp:
    case dialect::vllm:
        break;
    }
    return "/chat/completions";
}

/// What may stand in a header: a line feed in it would begin another one.
bool is_header_text(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        auto const byte = static_cast<unsigned char>(c);
        return (byte >= 0x20 && byte != 0x7F) || byte == '\t';
    });
}

bool is_header_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return c > 0x20 && c < 0x7F &&
               std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
    });
}

void put(header_list& headers, std::string_view name, std::string_view value) {
    for (auto& [known, old] : headers) {
        if (lower(known) != lower(name)) continue;
        old = value;
        return;
    }
    headers.emplace_back(name, value);
}

result<header_list> headers_of(http_options const& options, std::string_view key) {
    header_list headers{{"content-type", "application/json"}};
    auto const* const streamed =
        options.dialect == dialect::ollama ? "application/x-ndjson" : "text/event-stream";
    put(headers, "accept", options.stream ? streamed : "application/json");
    key = trimmed(key); // of a file, with its line's end
    if (!is_header_text(key))
        return refused("the key contains a line break or another control character",
                       "use only the key, without the lines around it");
    if (options.dialect == dialect::anthropic) {
        put(headers, "anthropic-version", "2023-06-01");
        if (!key.empty()) put(headers, "x-api-key", key);
    } else if (!key.empty()) {
        put(headers, "authorization", "Bearer " + std::string(key));
    }
    for (auto const& [name, value] : options.headers) {
        if (!is_header_name(name) || !is_header_text(value))
            return refused(
                "the header `" + excerpt(name, 0, 40) + "` cannot be sent",
                "a name must not contain spaces or colons, and a value must be one line");
        put(headers, name, value);
    }
    return headers;
}

} // namespace encoding

result<wire_request>
encode(chat_request const& request, http_options const& options, std::string_view key) {
    if (auto defect = encoding::check(request, options)) return *defect;
    checked_request r{request, options};
    if (auto defect = encoding::read_format(r)) return *defect;
    auto headers = encoding::headers_of(options, key);
    if (!headers) return headers.error();
    auto body = encoding::body_of(r);
    if (!trimmed(options.body).empty()) {
        json_fault fault;
        auto const patch = read_json(options.body, {.depth = 128}, fault);
        if (!patch || !patch->is_object())
            return encoding::refused("http_options::body is not a JSON object" +
                                         (patch ? std::string() : ": " + fault.words()),
                                     R"(write it as in {"top_p": 0.9})");
        encoding::merge(body, patch->get_object());
    }
    return wire_request{encoding::target_of(options),
                        std::move(*headers),
                        plain_json(boost::json::serialize(body))};
}

} // namespace lkt::detail::http
