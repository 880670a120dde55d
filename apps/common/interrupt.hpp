// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stop_token>
#include <thread>

namespace lkt_apps {

/// Turns Ctrl-C, SIGTERM and a closed terminal into a stop request. The first one lets the run end
/// cleanly; the second ends the program at once (its workers see that and end as well), but not a
/// second SIGHUP: a terminal or a parent that goes sends several. Signals are a program's business,
/// so this is here and not in the library.
class interrupt {
public:
    interrupt();
    ~interrupt();
    interrupt(interrupt const&) = delete;
    interrupt& operator=(interrupt const&) = delete;

    [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
    [[nodiscard]] bool requested() const { return stop_.stop_requested(); }

private:
    std::stop_source stop_;
    std::jthread listener_;
};

} // namespace lkt_apps
