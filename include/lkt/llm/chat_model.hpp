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
#include <vector>

namespace lkt {

/// What a model is asked. What is absent is left to the server.
struct chat_request {
    conversation messages;
    std::optional<double> temperature;
    std::optional<int> max_tokens;
    std::optional<std::uint64_t> seed;
    friend bool operator==(chat_request const&, chat_request const&) = default;
};

/// Tokens as the server counts them; zero where it does not say.
struct token_usage {
    std::int64_t input = 0, output = 0;
    friend bool operator==(token_usage, token_usage) = default;
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
    lkt::finish finish = lkt::finish::stop;
    token_usage usage;
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
