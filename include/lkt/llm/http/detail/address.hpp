// SPDX-License-Identifier: BSL-1.0
// Where a server is.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/http/options.hpp>

#include <string>
#include <string_view>

namespace lkt::detail::http {

/// The parts of `http[s]://HOST[:PORT][/PATH][?QUERY]`.
struct address {
    bool tls = false;
    std::string host;       ///< lower case; an IPv6 address without brackets
    std::string port;       ///< the scheme's own where the URL has none
    std::string path = {};  ///< percent-encoded, without a slash at its end
    std::string query = {}; ///< with its `?`, or empty

    /// `HOST:PORT`, with brackets around an IPv6 address.
    [[nodiscard]] std::string endpoint() const;
    /// The same without a port that the scheme implies: what a Host header says.
    [[nodiscard]] std::string authority() const;
    /// What a request asks for, where `appended` is the dialect's part of the path.
    [[nodiscard]] std::string target(std::string_view appended) const;
};

/// Errors (rejected, `lkt.http.address`) do not quote the URL, which may hold a key.
[[nodiscard]] result<address> parse_address(std::string_view url);

/// What a URL's port says, or else what its scheme implies; empty: it is none. `path` is what
/// follows it: Boost.URL 1.81 takes the letters of `http://host:x` for that, and a port for its
/// remainder by 65536.
[[nodiscard]] std::string
port_of(std::string_view port, std::string_view path, std::string_view implied);

/// Whether `host` is `localhost` or a loopback address.
[[nodiscard]] bool is_loopback(std::string_view host);

} // namespace lkt::detail::http
