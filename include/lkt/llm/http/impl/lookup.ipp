// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/lookup.hpp>
#include <lkt/llm/http/detail/quiet_thread.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

#include <cstring>
#include <mutex>
#include <netdb.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace lkt::detail::http {

struct lookup::shared {
    std::string host, port;
    std::vector<handler> waiting; ///< of the I/O thread alone

    std::mutex mutex;
    asio::io_context* io = nullptr; ///< null when nobody waits any more
};

lookup_answer resolve(std::string const& host, std::string const& port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* first = nullptr;
    lookup_answer answer;
    answer.failure = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &first);
    if (answer.failure) return answer;
    for (addrinfo const* one = first; one; one = one->ai_next) {
        tcp::endpoint endpoint;
        if ((one->ai_family != AF_INET && one->ai_family != AF_INET6) ||
            one->ai_addrlen > endpoint.capacity())
            continue;
        std::memcpy(endpoint.data(), one->ai_addr, one->ai_addrlen);
        endpoint.resize(one->ai_addrlen);
        answer.endpoints.push_back(endpoint);
    }
    ::freeaddrinfo(first);
    if (answer.endpoints.empty()) answer.failure = EAI_NONAME;
    return answer;
}

lookup::lookup(asio::io_context& io, std::string host, std::string port)
    : shared_(std::make_shared<shared>()) {
    shared_->host = std::move(host);
    shared_->port = std::move(port);
    shared_->io = &io;
}

lookup::~lookup() {
    std::lock_guard const lock(shared_->mutex);
    shared_->io = nullptr;
}

void lookup::ask(handler then) {
    error_code no_address;
    auto const ip = asio::ip::make_address(shared_->host, no_address);
    if (!no_address) {
        auto const port = static_cast<unsigned short>(std::stoul(shared_->port));
        lookup_answer answer;
        answer.endpoints.emplace_back(ip, port);
        then(answer);
        return;
    }
    shared_->waiting.push_back(std::move(then));
    if (shared_->waiting.size() > 1) return;
    auto const work = [state = shared_] {
        auto answer = resolve(state->host, state->port);
        std::lock_guard const lock(state->mutex);
        if (!state->io) return;
        asio::post(*state->io, [state, answer = std::move(answer)] {
            auto const waiting = std::exchange(state->waiting, {});
            for (auto const& each : waiting) each(answer);
        });
    };
    try {
        start_quiet_thread(work).detach();
    } catch (std::system_error const&) {
        auto const waiting = std::exchange(shared_->waiting, {});
        for (auto const& each : waiting) each({.failure = EAI_AGAIN});
    }
}

} // namespace lkt::detail::http
