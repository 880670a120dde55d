// SPDX-License-Identifier: BSL-1.0
#include "servers.hpp"

#include <lkt/llm/http.hpp>
#include <lkt/llm/http/make_chat_model.hpp>

#include <cstdlib>
#include <openssl/crypto.h>
#include <utility>

namespace lkt_tune {

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
                        missing ? options->key_variable : std::string()};
}

std::string built_with() { return ::OpenSSL_version(OPENSSL_VERSION); }

std::vector<server_provider> server_providers() {
    std::vector<server_provider> all;
    for (lkt::provider const& p : lkt::providers())
        all.push_back({std::string(p.name), std::string(p.key_variable)});
    return all;
}

} // namespace lkt_tune
