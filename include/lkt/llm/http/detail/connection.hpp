// SPDX-License-Identifier: BSL-1.0
// A TCP connection, with or without TLS on it.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace lkt::detail::http {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using error_code = boost::system::error_code;

/// One type for all handlers, so that Asio's operations are instantiated once.
using io_handler = std::function<void(error_code, std::size_t)>;

/// Lives on the I/O thread. An operation keeps it alive; after `close` a handler is still called,
/// with an error.
class connection : public std::enable_shared_from_this<connection> {
public:
    explicit connection(tcp::socket socket);

    /// TLS from now on, where the server must prove that it is `host`, unless `verify` is false.
    /// With an error the handler may ask `ssl()` what was wrong.
    void handshake(asio::ssl::context& tls, std::string const& host, bool verify, io_handler then);
    void read(asio::mutable_buffer into, io_handler then);
    void write(asio::const_buffer from, io_handler then);

    /// Whether a connection that nothing is expected from can be used again.
    [[nodiscard]] bool is_quiet();
    void close();
    [[nodiscard]] SSL* ssl() { return tls_ ? tls_->native_handle() : nullptr; }

private:
    tcp::socket socket_;
    std::optional<asio::ssl::stream<tcp::socket&>> tls_;
};

} // namespace lkt::detail::http
