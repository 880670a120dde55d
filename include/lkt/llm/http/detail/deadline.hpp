// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace lkt::detail::http {

/// A time limit that is put off with each piece that arrives. Putting it off costs a clock reading:
/// the timer runs to the old limit, sees that there is a new one, and goes on.
class deadline : public std::enable_shared_from_this<deadline> {
public:
    using clock = std::chrono::steady_clock;

    deadline(boost::asio::io_context& io, std::function<void()> passed)
        : timer_(io), passed_(std::move(passed)) {}

    void set(clock::time_point due) {
        due_ = due;
        if (due_ == clock::time_point::max() || (running_ && timer_.expiry() <= due_)) return;
        run();
    }
    /// `passed` is not called any more.
    void cancel() {
        passed_ = nullptr;
        timer_.cancel();
    }
    /// Farther than any call lasts for 0, which means without limit.
    [[nodiscard]] static clock::time_point after(std::chrono::duration<double> wait) {
        constexpr std::chrono::duration<double> a_year{365.0 * 24 * 3600};
        if (!(wait.count() > 0) || wait > a_year) return clock::time_point::max();
        return clock::now() + std::chrono::duration_cast<clock::duration>(wait);
    }

private:
    void run() {
        running_ = true;
        timer_.expires_at(due_);
        timer_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
            if (ec || !self->passed_) return;
            self->running_ = false;
            if (self->due_ == clock::time_point::max()) return;
            if (clock::now() < self->due_) return self->run();
            std::exchange(self->passed_, nullptr)();
        });
    }

    boost::asio::steady_timer timer_;
    std::function<void()> passed_;
    clock::time_point due_ = clock::time_point::max();
    bool running_ = false;
};

} // namespace lkt::detail::http
