// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/engine.hpp>
#include <lkt/llm/http/detail/proxy.hpp>
#include <lkt/llm/http/detail/request_text.hpp>
#include <lkt/llm/http/detail/tls.hpp>
#include <lkt/llm/http/detail/wire_messages.hpp>
#include <lkt/llm/thinking.hpp>

#include <cstdlib>
#include <utility>

namespace lkt::detail::http {

engine::engine(http_options chosen) : options(std::move(chosen)), defect(build()) {}

std::optional<error> engine::build() {
    auto const url = options.base_url.empty() ? default_base_url(options.dialect)
                                              : std::string_view(options.base_url);
    auto there = parse_address(url);
    if (!there) return there.error();
    server = *there;
    auto by = choose_proxy(server, options.proxy);
    if (!by) return by.error();
    if (auto wrong = header_defect(options.headers)) return wrong;
    if (auto wrong = thinking_defect(options.thinking)) return wrong;
    // The dialect knows what else is wrong with them.
    chat_request sample;
    sample.messages.push_back({role::user, "?"});
    if (auto const text = encode(sample, options, {}); !text) return text.error();
    route way{.server = server, .by = std::move(*by), .verify = options.verify_tls};
    if (server.tls) {
        auto tls = make_tls(options);
        if (!tls) return tls.error();
        way.tls = std::move(*tls);
    }
    net.emplace(std::move(way), options);
    return std::nullopt;
}

std::string engine::key() const {
    std::string key;
    if (options.key) {
        key = options.key();
    } else {
        std::string const variable(key_variable_of(options));
        char const* const value = variable.empty() ? nullptr : std::getenv(variable.c_str());
        if (value) key = value;
    }
    // Keys are read from files, which end with a line feed.
    static constexpr char blank[] = " \t\r\n";
    key.erase(key.find_last_not_of(blank) + 1);
    key.erase(0, key.find_first_not_of(blank));
    return key;
}

std::string engine::name() const {
    return server.host.empty() ? options.model : options.model + " at " + server.authority();
}

} // namespace lkt::detail::http
