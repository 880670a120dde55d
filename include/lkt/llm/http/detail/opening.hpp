// SPDX-License-Identifier: BSL-1.0
// From an address to a connection that requests can be written to.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/llm/http/detail/address.hpp>
#include <lkt/llm/http/detail/connection.hpp>
#include <lkt/llm/http/detail/dialer.hpp>
#include <lkt/llm/http/detail/http_answer.hpp>
#include <lkt/llm/http/detail/lookup.hpp>
#include <lkt/llm/http/detail/proxy.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lkt::detail::http {

/// How a server is reached.
struct route {
    address server;
    std::optional<proxy> by = {};
    std::shared_ptr<asio::ssl::context> tls = {}; ///< null for a server without TLS
    bool verify = true;

    /// Whose address is looked up and connected to.
    [[nodiscard]] std::string const& host() const { return by ? by->host : server.host; }
    [[nodiscard]] std::string const& port() const { return by ? by->port : server.port; }
};

/// What it means that a proxy answers with another status than 2xx.
[[nodiscard]] error proxy_failure(std::string const& where, int status);

/// Name look-up, TCP, the proxy's tunnel, TLS. Lives on the I/O thread; its user limits the time.
class opening : public std::enable_shared_from_this<opening> {
public:
    using handler = std::function<void(result<std::shared_ptr<connection>>)>;

    opening(asio::io_context& io, route const& way, lookup& names, handler then);
    void start();
    /// The handler is not called any more.
    void cancel();
    /// What it is at, for whoever loses patience: `connecting to HOST:PORT`.
    [[nodiscard]] std::string const& phase() const { return phase_; }

private:
    void looked_up(lookup_answer const& answer);
    void connected(error_code ec, tcp::socket socket);
    void ask_proxy();
    void read_proxy();
    void proxy_answered();
    void shake_hands();
    void finish(result<std::shared_ptr<connection>> outcome);

    asio::io_context& io_;
    route const& way_;
    lookup& names_;
    handler then_;
    std::string where_, phase_;
    std::shared_ptr<dialer> dialer_;
    std::shared_ptr<connection> connection_;
    answer_reader proxy_says_{0, true};
    std::string text_; ///< to the proxy, then from it
    std::size_t used_ = 0;
};

} // namespace lkt::detail::http
