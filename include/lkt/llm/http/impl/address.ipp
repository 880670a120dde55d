// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/address.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <charconv>
#include <system_error>

namespace lkt::detail::http {

std::string address::endpoint() const {
    bool const v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + port;
}

std::string address::authority() const {
    std::string all = endpoint();
    if (port == (tls ? "443" : "80")) all.resize(all.size() - port.size() - 1);
    return all;
}

std::string address::target(std::string_view appended) const {
    std::string all = path;
    all += appended;
    if (!all.starts_with('/')) all.insert(0, "/");
    return all + query;
}

std::string port_of(std::string_view port, std::string_view path, std::string_view implied) {
    if (!path.empty() && !path.starts_with('/')) return {};
    if (port.empty()) return std::string(implied);
    unsigned number = 0;
    auto const [end, failed] = std::from_chars(port.data(), port.data() + port.size(), number);
    bool const whole = failed == std::errc() && end == port.data() + port.size();
    return whole && number > 0 && number < 65536 ? std::to_string(number) : std::string();
}

result<address> parse_address(std::string_view url) {
    auto const no_address = [](std::string const& why) {
        return error{condition::rejected,
                     "lkt.http.address",
                     "the base URL of a model " + why,
                     "write it as https://HOST:PORT/PATH"};
    };
    auto const parsed = boost::urls::parse_uri({url.data(), url.size()});
    if (!parsed) return no_address("is not a URL: " + parsed.error().message());
    auto const& parts = *parsed;
    address a;
    auto const scheme = parts.scheme_id();
    if (scheme != boost::urls::scheme::http && scheme != boost::urls::scheme::https)
        return no_address("does not begin with http:// or https://");
    a.tls = scheme == boost::urls::scheme::https;
    if (parts.has_userinfo())
        return no_address("contains a user or a password; pass these as a key or a header");
    if (parts.has_fragment())
        return no_address("contains a #fragment, which servers do not receive");
    a.host = parts.host_address();
    bool const v6 = parts.host_type() == boost::urls::host_type::ipv6;
    for (char& c : a.host) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
        // A percent-encoded host decodes to anything, line feeds included.
        bool const known = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
                           c == '.' || c == '_' || (c == ':' && v6);
        if (!known) return no_address("names a host with invalid characters");
    }
    if (a.host.empty()) return no_address("names no host");
    a.path = std::string(parts.encoded_path());
    a.port = port_of(std::string(parts.port()), a.path, a.tls ? "443" : "80");
    if (a.port.empty()) return no_address("has an invalid port");
    while (a.path.ends_with('/')) a.path.pop_back();
    if (parts.has_query()) a.query = "?" + std::string(parts.encoded_query());
    return a;
}

bool is_loopback(std::string_view host) {
    if (host == "localhost" || host.ends_with(".localhost")) return true;
    boost::system::error_code none;
    auto const ip = boost::asio::ip::make_address(host, none);
    return !none && ip.is_loopback();
}

} // namespace lkt::detail::http
