// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace lkt::detail::http {

class exchange;

/// Reads streams that flow all together, an interval after the first of them asked for it. To be
/// woken for each piece of each stream costs more than to read it. Lives on the I/O thread.
class rounds {
public:
    rounds(boost::asio::io_context& io, seconds interval);

    static constexpr seconds longest{0.1};
    /// False: each piece is to be waited for.
    [[nodiscard]] bool any() const { return interval_.count() > 0; }
    [[nodiscard]] seconds interval() const { return interval_; }
    /// Has it read what has arrived, in the next round.
    void join(std::shared_ptr<exchange> one);

private:
    void run();

    std::chrono::steady_clock::duration interval_;
    boost::asio::steady_timer timer_;
    std::vector<std::shared_ptr<exchange>> waiting_, reading_;
};

} // namespace lkt::detail::http
