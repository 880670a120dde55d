// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/connection.hpp>

#include <boost/asio/ip/address.hpp>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace lkt::detail::http {

connection::connection(tcp::socket socket)
    : socket_(std::move(socket)), home_(socket_.get_executor()), protocol_([this] {
          error_code ignored;
          return socket_.local_endpoint(ignored).protocol();
      }()) {}

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
    attend();
    auto handler = [self = shared_from_this(),
                    then = std::move(then)](error_code ec, std::size_t n) { then(ec, n); };
    if (tls_)
        tls_->async_read_some(into, std::move(handler));
    else
        socket_.async_read_some(into, std::move(handler));
}

void connection::write(asio::const_buffer from, io_handler then) {
    attend();
    auto handler = [self = shared_from_this(),
                    then = std::move(then)](error_code ec, std::size_t n) { then(ec, n); };
    if (tls_)
        tls_->async_write_some(from, std::move(handler));
    else
        socket_.async_write_some(from, std::move(handler));
}

std::size_t
connection::read_arrived(asio::mutable_buffer into, asio::io_context& aside, error_code& ec) {
    ec = {};
    if (!std::exchange(aside_, true)) {
        move_to(aside.get_executor());
        socket_.non_blocking(true, ec);
    }
    if (!tls_) return ec ? 0 : socket_.read_some(into, ec);
    // One record at most is read at a time, and several may have arrived.
    std::size_t n = 0;
    while (!ec && n < into.size()) n += tls_->read_some(into + n, ec);
    if (n > 0) ec = {};
    return n;
}

void connection::attend() {
    if (std::exchange(aside_, false)) move_to(home_);
}

/// Where it cannot be registered there, it is closed.
void connection::move_to(asio::any_io_executor where) {
    error_code ec;
    tcp::socket there(std::move(where));
    int const fd = socket_.release(ec);
    if (!ec) {
        there.assign(protocol_, fd, ec);
        if (ec) ::close(fd);
    }
    socket_ = std::move(there);
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
