// SPDX-License-Identifier: BSL-1.0
// Which server a model is asked on, and how.
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/llm/thinking.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// The protocol that a server speaks.
enum class dialect : unsigned char {
    openai_chat,      ///< `POST chat/completions`: OpenAI and whoever is compatible
    openai_responses, ///< `POST responses`
    anthropic,        ///< `POST v1/messages`
    ollama,           ///< `POST api/chat`, NDJSON
    llama_cpp,        ///< `chat/completions` of llama.cpp's server, with its form of schemas
    vllm,             ///< `chat/completions` of vLLM
};

[[nodiscard]] constexpr std::string_view to_string(dialect d) {
    switch (d) {
    case dialect::openai_chat:
        return "openai";
    case dialect::openai_responses:
        return "responses";
    case dialect::anthropic:
        return "anthropic";
    case dialect::ollama:
        return "ollama";
    case dialect::llama_cpp:
        return "llama.cpp";
    case dialect::vllm:
        return "vllm";
    }
    return "unknown";
}

/// How long a call may take; 0: without limit. Each ends it with a transient error.
struct http_timeouts {
    seconds connect{10};     ///< name look-up, TCP and TLS together
    seconds first_byte{600}; ///< from the request's end to the answer's first byte
    seconds idle{120};       ///< between two pieces of an answer
    seconds total{3600};     ///< the whole call, from its turn on
};

/// A server and a model on it.
struct http_options {
    lkt::dialect dialect = lkt::dialect::openai_chat; ///< the protocol
    /// `https://HOST[:PORT][/PATH]`, to which the dialect's path is appended: OpenAI's and
    /// compatible ones end in `/v1`, Anthropic's and Ollama's do not. Empty: the provider's own.
    std::string base_url = {};
    std::string model = {}; ///< as the server calls it

    /// Asked for the key before each call; an empty answer sends none. Without it, the environment
    /// variable `key_variable` is read. A key is never logged and never part of an error.
    std::function<std::string()> key = {};
    std::string key_variable = {}; ///< empty: `key_variable_of` says which

    bool stream = true;          ///< receive text as it is written
    http_timeouts timeouts = {}; ///< of a call
    /// `http://[USER:PASSWORD@]HOST:PORT`. Empty: `HTTPS_PROXY` or `HTTP_PROXY`, `ALL_PROXY` and
    /// `NO_PROXY` (or in lower case) decide, except for servers on this machine; `none`: never.
    std::string proxy = {};
    std::string ca_file = {}; ///< PEM, instead of the system's certificates
    bool verify_tls = true;   ///< false accepts any certificate: for tests alone
    std::vector<std::pair<std::string, std::string>> headers = {}; ///< sent with each request
    /// A JSON object that is merged into each request's body (JSON Merge Patch, RFC 7396: objects
    /// are merged, null removes a member, anything else replaces it), for parameters of a server
    /// that lkt does not know: `{"top_p": 0.9, "options": {"num_ctx": 32768}}`.
    std::string body = {};
    /// Tags around reasoning in this model's text, if the server leaves it in, in addition to those
    /// that `split_thinking` knows.
    std::vector<thinking_tags> thinking = {};
    std::size_t max_in_flight = 256;               ///< calls at once; more of them wait
    std::size_t max_reply = std::size_t{64} << 20; ///< bytes
};

/// The base URL of the provider, or of the server on this machine.
[[nodiscard]] constexpr std::string_view default_base_url(dialect d) {
    switch (d) {
    case dialect::openai_chat:
    case dialect::openai_responses:
        return "https://api.openai.com/v1";
    case dialect::anthropic:
        return "https://api.anthropic.com";
    case dialect::ollama:
        return "http://127.0.0.1:11434";
    case dialect::llama_cpp:
        return "http://127.0.0.1:8080/v1";
    case dialect::vllm:
        return "http://127.0.0.1:8000/v1";
    }
    return "";
}

/// The environment variable in which a provider's users keep their key.
[[nodiscard]] constexpr std::string_view default_key_variable(dialect d) {
    switch (d) {
    case dialect::openai_chat:
    case dialect::openai_responses:
        return "OPENAI_API_KEY";
    case dialect::anthropic:
        return "ANTHROPIC_API_KEY";
    case dialect::ollama:
        return "OLLAMA_API_KEY";
    case dialect::llama_cpp:
        return "LLAMA_API_KEY";
    case dialect::vllm:
        return "VLLM_API_KEY";
    }
    return "";
}

/// Whether the requests go to the company whose dialect it is.
[[nodiscard]] constexpr bool is_providers_own(http_options const& options) {
    auto const own = default_base_url(options.dialect);
    std::string_view const base = options.base_url;
    auto const host = own.substr(0, own.find('/', own.find("//") + 2));
    return base.empty() ||
           (base.starts_with(host) && (base.size() == host.size() || base[host.size()] == '/'));
}

/// The environment variable to read a key from; empty: none. A provider's variable is not read for
/// another owner's server, which would learn the key.
[[nodiscard]] constexpr std::string_view key_variable_of(http_options const& options) {
    if (!options.key_variable.empty()) return options.key_variable;
    auto const company = options.dialect == dialect::openai_chat ||
                         options.dialect == dialect::openai_responses ||
                         options.dialect == dialect::anthropic;
    if (company && !is_providers_own(options)) return "";
    return default_key_variable(options.dialect);
}

} // namespace lkt
