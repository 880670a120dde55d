// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/llm/message.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// How a server is made to answer in JSON.
enum class answer_kind : unsigned char {
    json_object, ///< any JSON object
    json_schema, ///< what the schema describes, enforced while the answer is written
    tool_call,   ///< the arguments of a call to the one tool that the model is given
};

[[nodiscard]] constexpr std::string_view to_string(answer_kind k) {
    switch (k) {
    case answer_kind::json_object:
        return "json_object";
    case answer_kind::json_schema:
        return "json_schema";
    case answer_kind::tool_call:
        return "tool_call";
    }
    return "unknown";
}

/// The form that an answer must have. The reply's text is the JSON then, also of a tool call.
struct answer_format {
    answer_kind kind = answer_kind::json_schema;
    std::string name; ///< of the schema or the tool: letters, digits, `_` and `-`, at most 64
    std::string description; ///< of the tool; may be empty
    std::string schema;      ///< a JSON Schema as JSON text; empty for `json_object`
    friend bool operator==(answer_format const&, answer_format const&) = default;
};

/// How much a model that can reason should do so before it answers.
enum class effort : unsigned char { none, low, medium, high };

[[nodiscard]] constexpr std::string_view to_string(effort e) {
    switch (e) {
    case effort::none:
        return "none";
    case effort::low:
        return "low";
    case effort::medium:
        return "medium";
    case effort::high:
        return "high";
    }
    return "unknown";
}

/// What a request is for: `by_purpose` asks a model of its own for each.
enum class purpose : unsigned char {
    write,  ///< a kernel, or a declaration of its arguments and tests
    review, ///< a judgement: what limits a kernel, which step comes next, whether one is worth it
};

/// A request to a model. Absent members are left to the server.
struct chat_request {
    conversation messages;
    std::optional<double> temperature;
    std::optional<int> max_tokens; ///< of the answer, reasoning included
    std::optional<std::uint64_t> seed;
    std::optional<answer_format> format;
    std::optional<lkt::effort> effort;
    lkt::purpose purpose = lkt::purpose::write; ///< not sent, and no part of `request_key`
    friend bool operator==(chat_request const&, chat_request const&) = default;
};

/// Tokens as the server counts them; zero where it does not say.
struct token_usage {
    std::int64_t input = 0;     ///< all of the request's, those from a cache included
    std::int64_t output = 0;    ///< all of the reply's, reasoning included
    std::int64_t cached = 0;    ///< of `input`, those read from the server's cache
    std::int64_t reasoning = 0; ///< of `output`, where the server tells them apart
    bool estimated = false;     ///< counted by lkt from the texts, since the server did not say
    constexpr token_usage& operator+=(token_usage const& more) {
        input += more.input;
        output += more.output;
        cached += more.cached;
        reasoning += more.reasoning;
        estimated = estimated || more.estimated;
        return *this;
    }
    friend bool operator==(token_usage const&, token_usage const&) = default;
};

/// Why a reply ended.
enum class finish : unsigned char { stop, length, filtered, unknown };

[[nodiscard]] constexpr std::string_view to_string(finish f) {
    switch (f) {
    case finish::stop:
        return "stop";
    case finish::length:
        return "length";
    case finish::filtered:
        return "filtered";
    case finish::unknown:
        return "unknown";
    }
    return "unknown";
}

struct chat_reply {
    std::string text;      ///< UTF-8
    std::string reasoning; ///< kept for the record, never part of the answer
    std::string model;     ///< which model answered, as it names itself
    std::string source;    ///< what was asked, such as `gpt-4o at api.openai.com`; may be empty
    lkt::finish finish = lkt::finish::stop;
    token_usage usage;
    int requests = 1; ///< how often a model was asked for it, failed attempts included
    friend bool operator==(chat_reply const&, chat_reply const&) = default;
};

/// A language model behind any transport. `complete` passes text on to `context.on_text` as it
/// arrives and returns a `cancelled` error soon after `context.stop` is triggered.
template <class M>
concept chat_model = requires(M& m, chat_request const& r, call_context const& c) {
    { m.complete(r, c) } -> std::same_as<result<chat_reply>>;
};

/// A model that keeps many calls in flight by itself; results are in the order of the requests.
template <class M>
concept batch_chat_model =
    chat_model<M> && requires(M& m, std::span<chat_request const> rs, call_context const& c) {
        { m.complete_all(rs, c) } -> std::same_as<std::vector<result<chat_reply>>>;
    };

} // namespace lkt
