// SPDX-License-Identifier: BSL-1.0
// By which proxy a server is reached.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/http/detail/address.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail::http {

struct proxy {
    std::string host, port;
    std::string authorization; ///< the header's value, or empty
};

/// `[http://][USER:PASSWORD@]HOST[:PORT]`. Errors (rejected, `lkt.http.proxy`) quote nothing.
[[nodiscard]] result<proxy> parse_proxy(std::string_view url);

/// Whether NO_PROXY exempts the server: a list, by comma or space, of `*`, of hosts, which stand
/// for their subdomains too, of addresses and of networks (`10.0.0.0/8`); `:PORT` narrows one.
[[nodiscard]] bool
is_exempt(std::string_view no_proxy, std::string_view host, std::string_view port);

/// The proxy by `http_options::proxy`, or where that is empty by the environment: of `https_proxy`
/// (`http_proxy` for a server without TLS), the same in upper case, `all_proxy` and `ALL_PROXY` the
/// first that is set. The environment's is not for loopback addresses.
[[nodiscard]] result<std::optional<proxy>> choose_proxy(address const& server,
                                                        std::string const& option);

} // namespace lkt::detail::http
