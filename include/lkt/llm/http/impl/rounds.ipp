// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/exchange.hpp>
#include <lkt/llm/http/detail/rounds.hpp>

#include <algorithm>
#include <utility>

namespace lkt::detail::http {

rounds::rounds(boost::asio::io_context& io, seconds interval)
    : interval_(std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::min(std::max(seconds{0}, interval), longest))),
      timer_(io) {}

void rounds::join(std::shared_ptr<exchange> one) {
    if (waiting_.empty()) {
        timer_.expires_after(interval_);
        timer_.async_wait([this](boost::system::error_code ec) {
            if (!ec) run();
        });
    }
    waiting_.push_back(std::move(one));
}

void rounds::run() {
    reading_.swap(waiting_);
    for (auto const& each : reading_) each->read_arrived();
    reading_.clear();
}

} // namespace lkt::detail::http
