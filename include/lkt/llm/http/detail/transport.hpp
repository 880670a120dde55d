// SPDX-License-Identifier: BSL-1.0
// The I/O thread of a model, and the calls that wait for their turn.
#pragma once

#include <lkt/llm/http/detail/exchange.hpp>
#include <lkt/llm/http/detail/http_session.hpp>
#include <lkt/llm/http/detail/inbox.hpp>

#include <boost/asio/executor_work_guard.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>

namespace lkt::detail::http {

/// Safe to use from several threads. The thread starts with the first call.
class transport {
public:
    transport(route way, http_options const& options);
    transport(transport const&) = delete;
    transport& operator=(transport const&) = delete;
    /// Ends the thread. Whoever still waits is told nothing, so nobody may.
    ~transport();

    /// A call under way. It is owned by the I/O thread.
    using ticket = std::weak_ptr<exchange>;

    /// Sends the request when it is its turn; only connects for an empty one. Throws
    /// `std::system_error` if there is no thread.
    [[nodiscard]] ticket submit(std::string request, std::shared_ptr<inbox> to, std::size_t call);
    void read_on(ticket const& t);
    void abandon(ticket const& t);
    void cancel(ticket const& t);

    [[nodiscard]] http_session& shared() { return session_; }

private:
    void next();

    http_session session_;
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    std::size_t const max_;
    std::deque<std::shared_ptr<exchange>> waiting_;
    std::unordered_set<std::shared_ptr<exchange>> in_flight_;
    std::once_flag started_;
    std::thread thread_;
};

} // namespace lkt::detail::http
