// SPDX-License-Identifier: BSL-1.0
// Base URLs, proxies' URLs, and lists of those that need none.
#include "support/property.hpp"

#include <lkt/llm/http/detail/address.hpp>
#include <lkt/llm/http/detail/proxy.hpp>
#include <lkt/llm/http/detail/request_text.hpp>

#include <algorithm>
#include <string>

namespace {

namespace http = lkt::detail::http;
using lkt_fuzz::require;

bool fits_a_line(std::string const& part) {
    return std::ranges::all_of(part, [](char c) { return c > 0x20 && c < 0x7f; });
}

bool is_port(std::string const& port) {
    return !port.empty() && port.size() < 6 && std::stoi(port) > 0 && std::stoi(port) < 65536;
}

} // namespace

lkt_fuzz::target const here("base_url", [](std::uint8_t const* data, std::size_t size) {
    auto const text = lkt_fuzz::text_of(data, size);
    if (auto const a = http::parse_address(text)) {
        require(!a->host.empty() && fits_a_line(a->host), "a host fits a line", text);
        require(is_port(a->port), "a port is one", text);
        auto const target = a->target("/x");
        require(target.starts_with('/') && fits_a_line(target), "a target fits a line", text);
        auto const again = http::parse_address((a->tls ? "https://" : "http://") + a->endpoint() +
                                               a->path + a->query);
        require(again && again->host == a->host && again->port == a->port &&
                    again->target("/x") == target,
                "its parts make it again",
                text);
        auto const whole = http::request_text({.server = *a}, {"/x", {}, ""});
        require(whole && std::ranges::count(*whole, '\n') == 5, "no line is added", text);
    }
    if (auto const p = http::parse_proxy(text)) {
        require(is_port(p->port), "a proxy's port is one", text);
        require(p->authorization.find_first_of("\r\n") == std::string::npos,
                "credentials fit a line",
                text);
    }
    (void)http::is_exempt(text, "10.1.2.3", "443");
    (void)http::is_exempt(text, "a.test", "443");
    (void)http::header_defect({{"X", std::string(text)}, {std::string(text), "x"}});
    return 0;
});
