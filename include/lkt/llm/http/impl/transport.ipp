// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/quiet_thread.hpp>
#include <lkt/llm/http/detail/transport.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace lkt::detail::http {

transport::transport(route way, http_options const& options)
    : session_(std::move(way), options), work_(session_.io.get_executor()),
      max_(std::max<std::size_t>(options.max_in_flight, 1)) {}

transport::~transport() {
    session_.io.stop();
    if (thread_.joinable()) thread_.join();
}

transport::ticket
transport::submit(std::string request, std::shared_ptr<inbox> to, std::size_t call) {
    std::call_once(started_,
                   [this] { thread_ = start_quiet_thread([this] { session_.io.run(); }); });
    // Posted, since an exchange that ends at once would otherwise start the next within itself.
    auto const over = [this](std::shared_ptr<exchange> const& one) {
        asio::post(session_.io, [this, one] {
            in_flight_.erase(one);
            next();
        });
    };
    auto fresh =
        std::make_shared<exchange>(session_, std::move(request), std::move(to), call, over);
    ticket t = fresh;
    asio::post(session_.io, [this, fresh = std::move(fresh)]() mutable {
        waiting_.push_back(std::move(fresh));
        next();
    });
    return t;
}

void transport::next() {
    while (in_flight_.size() < max_ && !waiting_.empty()) {
        auto const first = *in_flight_.insert(std::move(waiting_.front())).first;
        waiting_.pop_front();
        first->start();
    }
}

void transport::read_on(ticket const& t) {
    asio::post(session_.io, [t] {
        if (auto const one = t.lock()) one->read_on();
    });
}

void transport::abandon(ticket const& t) {
    if (t.expired()) return; // most have ended when their caller hears of it
    asio::post(session_.io, [t] {
        if (auto const one = t.lock()) one->abandon();
    });
}

void transport::cancel(ticket const& t) {
    asio::post(session_.io, [this, t] {
        auto const one = t.lock();
        if (!one) return;
        // One that waits for its turn holds no slot that it could give back.
        if (std::erase(waiting_, one) == 0) one->cancel();
    });
}

} // namespace lkt::detail::http
