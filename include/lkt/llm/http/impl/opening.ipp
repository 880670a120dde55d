// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/opening.hpp>
#include <lkt/llm/http/detail/tls.hpp>

#include <netdb.h>
#include <utility>

namespace lkt::detail::http {

error name_failure(std::string const& host, int failure, bool of_proxy) {
    bool const passing = failure == EAI_AGAIN || failure == EAI_SYSTEM || failure == EAI_MEMORY;
    return {passing ? condition::transient : condition::unavailable,
            "lkt.http.name",
            "cannot look up the host name " + host + ": " + ::gai_strerror(failure),
            passing    ? "check this machine's network; behind a proxy, HTTPS_PROXY names it"
            : of_proxy ? "check the spelling in the proxy's URL"
                       : "check this machine's network, and the spelling in the base URL"};
}

opening::opening(asio::io_context& io, route const& way, lookup& names, handler then)
    : io_(io), way_(way), names_(names), then_(std::move(then)),
      where_(address{.host = way.host(), .port = way.port()}.endpoint()) {
    if (way_.by) where_ = "the proxy " + where_;
}

void opening::start() {
    phase_ = "looking up " + way_.host();
    names_.ask([weak = weak_from_this()](lookup_answer const& answer) {
        if (auto const self = weak.lock(); self && self->then_) self->looked_up(answer);
    });
}

void opening::cancel() {
    then_ = nullptr;
    if (dialer_) dialer_->cancel();
    if (connection_) connection_->close();
}

void opening::finish(result<std::shared_ptr<connection>> outcome) {
    if (!then_) return;
    auto const then = std::exchange(then_, nullptr);
    if (!outcome && connection_) connection_->close();
    connection_.reset();
    then(std::move(outcome));
}

void opening::looked_up(lookup_answer const& answer) {
    if (answer.failure)
        return finish(name_failure(way_.host(), answer.failure, way_.by.has_value()));
    phase_ = "connecting to " + where_;
    dialer_ = std::make_shared<dialer>(
        io_, answer.endpoints, [weak = weak_from_this()](error_code ec, tcp::socket socket) {
            if (auto const self = weak.lock(); self && self->then_)
                self->connected(ec, std::move(socket));
        });
    dialer_->start();
}

void opening::connected(error_code ec, tcp::socket socket) {
    if (ec) {
        bool const refused = ec == asio::error::connection_refused;
        bool const full = ec == boost::system::errc::too_many_files_open ||
                          ec == boost::system::errc::too_many_files_open_in_system;
        return finish(error{full ? condition::exhausted : condition::transient,
                            "lkt.http.connect",
                            "no connection to " + where_ + ": " + ec.message(),
                            full      ? "raise the limit (ulimit -n), or lower max_in_flight"
                            : way_.by ? "check the proxy's URL (HTTPS_PROXY, HTTP_PROXY, "
                                        "ALL_PROXY); NO_PROXY exempts servers from it"
                            : refused ? "start the server, or correct the base URL"
                                      : "check the base URL and this machine's network"});
    }
    connection_ = std::make_shared<connection>(std::move(socket));
    if (!way_.tls) return finish(connection_);
    if (way_.by) return ask_proxy();
    shake_hands();
}

void opening::ask_proxy() {
    phase_ = "waiting for " + where_;
    auto const to = way_.server.endpoint();
    text_ = "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n";
    if (!way_.by->authorization.empty())
        text_ += "Proxy-Authorization: " + way_.by->authorization + "\r\n";
    text_ += "\r\n";
    used_ = 0;
    auto const write = [](auto const& self, auto const& again) -> void {
        auto const rest = asio::buffer(self->text_) + self->used_;
        self->connection_->write(rest, [self, again](error_code ec, std::size_t n) {
            if (!self->then_) return;
            self->used_ += n;
            if (!ec && self->used_ < self->text_.size()) return again(self, again);
            // With an error too: a proxy that hangs up may have said why.
            self->text_.assign(answer_reader::max_head, '\0');
            self->used_ = 0;
            self->read_proxy();
        });
    };
    write(shared_from_this(), write);
}

void opening::read_proxy() {
    auto const room = asio::buffer(text_) + used_;
    connection_->read(room, [self = shared_from_this()](error_code ec, std::size_t n) {
        if (!self->then_) return;
        if (ec)
            return self->finish(
                error{condition::transient,
                      "lkt.http.proxy",
                      self->where_ +
                          " closed the connection instead of opening a tunnel: " + ec.message(),
                      ""});
        self->used_ += n;
        error_code bad;
        auto const taken =
            self->proxy_says_.put(asio::buffer(self->text_.data(), self->used_), bad);
        self->text_.erase(0, taken);
        self->used_ -= taken;
        if (bad == boost::beast::http::error::need_more && self->used_ < self->text_.size())
            return self->read_proxy();
        if (bad)
            return self->finish(error{condition::rejected,
                                      "lkt.http.proxy",
                                      self->where_ + " does not speak HTTP: " + bad.message(),
                                      "check its port"});
        if (self->proxy_says_.is_done()) return self->proxy_answered();
        self->read_proxy();
    });
}

error proxy_failure(std::string const& where, int status) {
    bool const passing = status == 408 || status == 429 || status >= 500;
    std::string hint = "see whether the proxy lets you through to that server; NO_PROXY exempts "
                       "servers from it";
    if (status == 407)
        hint = "write user and password into its URL: http://USER:PASSWORD@HOST:PORT";
    return {passing ? condition::transient : condition::rejected,
            "lkt.http.proxy",
            where + " refused with status " + std::to_string(status),
            hint};
}

void opening::proxy_answered() {
    int const status = proxy_says_.head.status;
    if (status / 100 != 2) return finish(proxy_failure(where_, status));
    if (used_ > 0)
        return finish(error{condition::rejected,
                            "lkt.http.proxy",
                            where_ + " sent more than lkt requested",
                            "check its port"});
    shake_hands();
}

void opening::shake_hands() {
    phase_ = "in the TLS handshake with " + way_.server.endpoint();
    connection_->handshake(
        *way_.tls,
        way_.server.host,
        way_.verify,
        [self = shared_from_this()](error_code ec, std::size_t) {
            if (!self->then_) return;
            if (!ec) return self->finish(self->connection_);
            self->finish(
                tls_failure(self->connection_->ssl(), self->way_.verify, self->way_.server, ec));
        });
}

} // namespace lkt::detail::http
