// SPDX-License-Identifier: BSL-1.0
// Models behind HTTP: servers.cpp, or where lkt::http cannot be built, none.cpp.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/llm/any_chat_model.hpp>
#include <lkt/llm/http/options.hpp>
#include <lkt/llm/thinking.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt_apps {

/// Whether a `--model` names one on a server: no recorded replies, no mailbox.
[[nodiscard]] inline bool is_on_server(std::string_view spec) {
    return !spec.empty() && !spec.starts_with("replay:") && !spec.starts_with("mailbox:");
}

/// The model `PROVIDER:MODEL[@BASE_URL]`, which reasons in its text between `thinking` too, and is
/// given so much time for each request. Errors:
/// `lkt.llm.model-name`, `lkt.http.*`.
[[nodiscard]] lkt::result<lkt::any_chat_model>
server_model(std::string const& spec,
             std::vector<lkt::thinking_tags> thinking,
             lkt::http_timeouts const& timeouts);

/// The same model before it can be asked: its description, the address of its server, and the
/// variable that should hold its key and does not (empty: nothing is missing). Errors:
/// `lkt.llm.model-name`.
struct server_facts {
    std::string description, base_url, missing_key;
};
[[nodiscard]] lkt::result<server_facts> server_facts_of(std::string const& spec);

/// Why no connection to the server of the model `spec` can be made, TLS and a proxy included, in a
/// few seconds; nothing is sent to it.
[[nodiscard]] std::optional<lkt::error> unreachable(std::string const& spec,
                                                    lkt::call_context const& context = {});

/// A provider of models, the address of its server, and the environment variable that holds its
/// key.
struct server_provider {
    std::string name, base_url, key_variable;
};
/// Those that `--model` may name; none where this program asks no servers.
[[nodiscard]] std::vector<server_provider> server_providers();
/// The library that speaks TLS, with its version; empty where this program asks no servers.
[[nodiscard]] std::string built_with();

} // namespace lkt_apps
