// SPDX-License-Identifier: BSL-1.0
#include "servers.hpp"

#include <lkt/llm/http.hpp>
#include <lkt/llm/http/make_chat_model.hpp>

#include <cstdlib>
#include <openssl/crypto.h>
#include <utility>

namespace lkt_apps {

lkt::result<lkt::any_chat_model> server_model(std::string const& spec,
                                              std::vector<lkt::thinking_tags> thinking,
                                              lkt::http_timeouts const& timeouts) {
    return lkt::make_chat_model(spec, {.timeouts = timeouts, .thinking = std::move(thinking)});
}

lkt::result<server_facts> server_facts_of(std::string const& spec) {
    auto const options = lkt::parse_model_name(spec);
    if (!options) return options.error();
    char const* const key = std::getenv(options->key_variable.c_str());
    bool const needed = options->key_variable != lkt::other_key_variable &&
                        options->base_url.starts_with("https://");
    bool const missing = needed && (key == nullptr || *key == '\0');
    return server_facts{lkt::http_model(*options).description(),
                        options->base_url,
                        missing ? options->key_variable : std::string()};
}

std::optional<lkt::error> unreachable(std::string const& spec, lkt::call_context const& context) {
    // Whoever waits for a model may wait for long; whoever starts a program does not.
    lkt::http_options others;
    others.timeouts.connect = lkt::seconds(5);
    auto options = lkt::parse_model_name(spec, std::move(others));
    if (!options) return options.error();
    auto const done = lkt::http_model(std::move(*options)).connect(context);
    if (done) return std::nullopt;
    auto why = done.error();
    if (why.code == "lkt.http.connect-timeout")
        why.hint = "check its address; a firewall may stand between, or a proxy be needed "
                   "(HTTPS_PROXY)";
    return why;
}

std::string built_with() { return ::OpenSSL_version(OPENSSL_VERSION); }

std::vector<server_provider> server_providers() {
    std::vector<server_provider> all;
    for (lkt::provider const& p : lkt::providers())
        all.push_back({std::string(p.name), std::string(p.base_url), std::string(p.key_variable)});
    return all;
}

} // namespace lkt_apps
