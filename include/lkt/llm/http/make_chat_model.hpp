// SPDX-License-Identifier: BSL-1.0
// Chat models by name, for programs that choose at run time.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/any_chat_model.hpp>
#include <lkt/llm/http/options.hpp>

#include <span>
#include <string>
#include <string_view>

namespace lkt {

/// Who serves models, under a name.
struct provider {
    std::string_view name;
    lkt::dialect dialect = lkt::dialect::openai_chat;
    std::string_view base_url;
    std::string_view key_variable; ///< the environment variable that holds the key
};

/// The providers that lkt knows; `openai:MODEL@URL` reaches any other compatible server.
[[nodiscard]] std::span<provider const> providers();

/// The variable whose key is sent to a server that was named by its address: a provider's own key
/// goes to that provider alone.
inline constexpr std::string_view other_key_variable = "LKT_API_KEY";

/// Reads `PROVIDER:MODEL[@BASE_URL]`: `anthropic:claude-opus-4-5`, `ollama:qwen3:8b`,
/// `openai:tiny@http://127.0.0.1:8080/v1`. Timeouts, proxy and all other options are those of
/// `others`. Errors (rejected): `lkt.llm.model-name`.
[[nodiscard]] result<http_options> parse_model_name(std::string_view name,
                                                    http_options others = {});

/// The model called `name`: as `parse_model_name` reads it, asked again by `transport_retry` after
/// failures that may pass; or `replay:FILE`, a cassette; or `mailbox:FOLDER`, which waits for
/// replies; of `others`, these take `thinking` alone. Errors: `lkt.llm.model-name`,
/// `lkt.llm.no-key` (unavailable: the provider's variable is not set), and that of a model which
/// cannot be used.
[[nodiscard]] result<any_chat_model> make_chat_model(std::string_view name,
                                                     http_options others = {});

/// For a program's help: the forms of a model's name, and the providers.
[[nodiscard]] std::string model_name_help();

} // namespace lkt
