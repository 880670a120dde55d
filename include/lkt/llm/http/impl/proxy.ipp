// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/proxy.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <openssl/evp.h>

#include <algorithm>
#include <cstdlib>

namespace lkt::detail::http {

/// `Basic` and the two in base 64.
std::string basic_credentials(std::string const& user, std::string const& password) {
    std::string const plain = user + ":" + password;
    std::string coded(4 * ((plain.size() + 2) / 3) + 1, '\0');
    int const written = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()),
                                        reinterpret_cast<unsigned char const*>(plain.data()),
                                        static_cast<int>(plain.size()));
    coded.resize(static_cast<std::size_t>(written));
    return "Basic " + coded;
}

result<proxy> parse_proxy(std::string_view url) {
    auto const no_proxy = [](std::string const& why) {
        return error{condition::rejected,
                     "lkt.http.proxy",
                     "the proxy's address " + why,
                     "write it as http://HOST:PORT, or `none` for no proxy"};
    };
    std::string whole(url);
    if (whole.find("://") == std::string::npos) whole.insert(0, "http://");
    auto const parsed = boost::urls::parse_uri(whole);
    if (!parsed) return no_proxy("is not a URL: " + parsed.error().message());
    if (parsed->scheme_id() != boost::urls::scheme::http)
        return no_proxy("is not an http:// proxy, the only kind that lkt supports");
    proxy p;
    p.host = parsed->host_address();
    if (p.host.empty()) return no_proxy("names no host");
    p.port = port_of(std::string(parsed->port()), std::string(parsed->encoded_path()), "80");
    if (p.port.empty()) return no_proxy("has an invalid port");
    if (parsed->has_userinfo()) {
        if (parsed->userinfo().size() > 4096)
            return no_proxy("contains a user name without an end");
        p.authorization = basic_credentials(parsed->user(), parsed->password());
    }
    return p;
}

bool in_network(std::string_view network, std::string_view host) {
    namespace ip = boost::asio::ip;
    boost::system::error_code none;
    auto const address = ip::make_address(host, none);
    if (none) return false;
    if (address.is_v4()) {
        auto const net = ip::make_network_v4(network, none);
        return !none &&
               ip::network_v4(address.to_v4(), net.prefix_length()).canonical() == net.canonical();
    }
    auto const net = ip::make_network_v6(network, none);
    return !none &&
           ip::network_v6(address.to_v6(), net.prefix_length()).canonical() == net.canonical();
}

bool exempts(std::string_view entry, std::string_view host, std::string_view port) {
    if (entry == "*") return true;
    if (entry.find('/') != std::string_view::npos) return in_network(entry, host);
    std::string_view only;
    if (entry.starts_with('[')) {
        auto const end = entry.find(']');
        if (end == std::string_view::npos) return false;
        if (entry.substr(end + 1).starts_with(':')) only = entry.substr(end + 2);
        entry = entry.substr(1, end - 1);
    } else if (std::ranges::count(entry, ':') == 1) {
        only = entry.substr(entry.find(':') + 1);
        entry = entry.substr(0, entry.find(':'));
    }
    if (!only.empty() && only != port) return false;
    if (entry.starts_with("*.")) entry.remove_prefix(1);
    if (entry.starts_with('.')) entry.remove_prefix(1);
    if (entry.empty()) return false;
    return host == entry ||
           (host.ends_with(entry) && host.substr(0, host.size() - entry.size()).ends_with('.'));
}

bool is_exempt(std::string_view no_proxy, std::string_view host, std::string_view port) {
    std::string list(no_proxy);
    for (char& c : list)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    std::string_view rest = list;
    while (!rest.empty()) {
        auto const end = std::min(rest.find_first_of(", \t"), rest.size());
        if (end > 0 && exempts(rest.substr(0, end), host, port)) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

/// The first of the variables that is set and not empty.
std::string first_of_environment(std::initializer_list<char const*> names) {
    for (char const* const name : names)
        if (char const* const value = std::getenv(name); value && *value) return value;
    return {};
}

result<std::optional<proxy>> choose_proxy(address const& server, std::string const& option) {
    if (option == "none") return std::optional<proxy>();
    std::string url = option;
    if (url.empty()) {
        if (is_loopback(server.host) ||
            is_exempt(first_of_environment({"no_proxy", "NO_PROXY"}), server.host, server.port))
            return std::optional<proxy>();
        // In a CGI program a client's `Proxy:` header becomes HTTP_PROXY.
        bool const cgi = std::getenv("REQUEST_METHOD") != nullptr;
        url = server.tls ? first_of_environment({"https_proxy", "HTTPS_PROXY"})
              : cgi      ? first_of_environment({"http_proxy"})
                         : first_of_environment({"http_proxy", "HTTP_PROXY"});
        if (url.empty()) url = first_of_environment({"all_proxy", "ALL_PROXY"});
        if (url.empty()) return std::optional<proxy>();
    }
    auto parsed = parse_proxy(url);
    if (!parsed) return parsed.error();
    return std::optional<proxy>(std::move(*parsed));
}

} // namespace lkt::detail::http
