// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/connection.hpp>

#include <boost/asio/ip/address.hpp>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <sys/socket.h>
#include <utility>

namespace lkt::detail::http {

connection::connection(tcp::socket socket) : socket_(std::move(socket)) {}

void connection::handshake(asio::ssl::context& tls,
                           std::string const& host,
                           bool verify,
                           io_handler then) {
    tls_.emplace(socket_, tls);
    SSL* const ssl = tls_->native_handle();
    error_code no_address;
    asio::ip::make_address(host, no_address);
    bool set = true;
    if (no_address) {
        set = SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
        if (verify) set = SSL_set1_host(ssl, host.c_str()) == 1 && set;
    } else if (verify) {
        set = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
    }
    // Out of memory: a handshake that would not look at the name must fail.
    if (!set) close();
    tls_->async_handshake(
        asio::ssl::stream_base::client,
        [self = shared_from_this(), then = std::move(then)](error_code ec) { then(ec, 0); });
}

void connection::read(asio::mutable_buffer into, io_handler then) {
    auto handler = [self = shared_from_this(),
                    then = std::move(then)](error_code ec, std::size_t n) { then(ec, n); };
    if (tls_)
        tls_->async_read_some(into, std::move(handler));
    else
        socket_.async_read_some(into, std::move(handler));
}

void connection::write(asio::const_buffer from, io_handler then) {
    auto handler = [self = shared_from_this(),
                    then = std::move(then)](error_code ec, std::size_t n) { then(ec, n); };
    if (tls_)
        tls_->async_write_some(from, std::move(handler));
    else
        socket_.async_write_some(from, std::move(handler));
}

bool connection::is_quiet() {
    // What lies there is the other side's farewell, or an answer that nobody asked for.
    char one = 0;
    return socket_.is_open() &&
           ::recv(socket_.native_handle(), &one, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

void connection::close() {
    error_code ignored;
    socket_.close(ignored);
}

} // namespace lkt::detail::http
