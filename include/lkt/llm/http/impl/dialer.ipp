// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/dialer.hpp>

#include <boost/asio/socket_base.hpp>

#include <cerrno>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace lkt::detail::http {

std::vector<tcp::endpoint> interleaved(std::vector<tcp::endpoint> const& endpoints) {
    std::vector<tcp::endpoint> families[2], mixed;
    for (auto const& one : endpoints)
        families[one.protocol() != endpoints.front().protocol()].push_back(one);
    for (std::size_t i = 0; mixed.size() < endpoints.size(); ++i)
        for (auto const& family : families)
            if (i < family.size()) mixed.push_back(family[i]);
    return mixed;
}

dialer::dialer(asio::io_context& io, std::vector<tcp::endpoint> endpoints, handler then)
    : io_(io), endpoints_(interleaved(endpoints)), then_(std::move(then)), timer_(io) {}

void dialer::start() { next(); }

void dialer::cancel() {
    if (std::exchange(done_, true)) return;
    then_ = nullptr;
    timer_.cancel();
    error_code ignored;
    for (auto const& attempt : attempts_) attempt->close(ignored);
}

void dialer::next() {
    timer_.cancel();
    if (attempts_.size() == endpoints_.size()) return;
    auto const& to = endpoints_[attempts_.size()];
    auto const socket = std::make_shared<tcp::socket>(io_);
    attempts_.push_back(socket);
    // Asio's own would be inherited by programs that are started meanwhile.
    int const fd = ::socket(to.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
    if (fd < 0) return failed({errno, boost::system::system_category()});
    error_code unusable;
    socket->assign(to.protocol(), fd, unusable);
    if (unusable) {
        ::close(fd);
        return failed(unusable);
    }
    socket->async_connect(to, [self = shared_from_this(), socket](error_code ec) {
        if (self->done_) return;
        if (!ec) return self->finish({}, std::move(*socket));
        error_code ignored;
        socket->close(ignored);
        self->failed(ec);
    });
    if (attempts_.size() == endpoints_.size()) return;
    timer_.expires_after(head_start);
    timer_.async_wait([self = shared_from_this()](error_code ec) {
        if (!ec && !self->done_) self->next();
    });
}

void dialer::failed(error_code ec) {
    if (++failed_ == endpoints_.size()) return finish(ec, tcp::socket(io_));
    next();
}

void dialer::finish(error_code ec, tcp::socket socket) {
    auto const then = std::move(then_);
    cancel();
    if (!ec) {
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        // Routers forget a connection over which a model thinks for minutes.
        socket.set_option(asio::socket_base::keep_alive(true), ignored);
    }
    then(ec, std::move(socket));
}

} // namespace lkt::detail::http
