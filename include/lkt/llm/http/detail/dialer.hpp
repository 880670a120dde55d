// SPDX-License-Identifier: BSL-1.0
// A TCP connection to whichever address answers.
#pragma once

#include <lkt/llm/http/detail/connection.hpp>

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace lkt::detail::http {

/// The addresses with the two families in turn, the first one's first.
[[nodiscard]] std::vector<tcp::endpoint> interleaved(std::vector<tcp::endpoint> const& endpoints);

/// Tries one address after the other: the next when one fails, or has not answered for 250 ms (RFC
/// 8305). The first connection wins and the others are closed. Lives on the I/O thread.
class dialer : public std::enable_shared_from_this<dialer> {
public:
    /// The failure is that of the last address to fail.
    using handler = std::function<void(error_code, tcp::socket)>;

    dialer(asio::io_context& io, std::vector<tcp::endpoint> endpoints, handler then);
    void start();
    /// The handler is not called any more.
    void cancel();

private:
    void next();
    void failed(error_code ec);
    void finish(error_code ec, tcp::socket socket);

    static constexpr std::chrono::milliseconds head_start{250};

    asio::io_context& io_;
    std::vector<tcp::endpoint> endpoints_;
    handler then_;
    asio::steady_timer timer_;
    std::vector<std::shared_ptr<tcp::socket>> attempts_;
    std::size_t failed_ = 0;
    bool done_ = false;
};

} // namespace lkt::detail::http
