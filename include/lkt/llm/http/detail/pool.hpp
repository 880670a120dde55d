// SPDX-License-Identifier: BSL-1.0
// Connections between two requests.
#pragma once

#include <lkt/llm/http/detail/connection.hpp>

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace lkt::detail::http {

/// Lives on the I/O thread.
class pool {
public:
    explicit pool(asio::io_context& io) : timer_(io) {}

    /// The one that was used last and is still open, or null.
    [[nodiscard]] std::shared_ptr<connection> take();
    void put(std::shared_ptr<connection> one);

private:
    void sweep();

    using clock = std::chrono::steady_clock;
    /// Less than servers and routers keep one; those that close earlier are noticed.
    static constexpr std::chrono::seconds idle_limit{30};
    static constexpr std::chrono::seconds between_sweeps{2};

    struct idle {
        std::shared_ptr<connection> one;
        clock::time_point since;
    };
    std::vector<idle> idle_; ///< the last one was used last
    asio::steady_timer timer_;
    bool sweeping_ = false;
};

} // namespace lkt::detail::http
