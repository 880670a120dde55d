// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/graph/observe.hpp>
#include <lkt/llm/prices.hpp>
#include <lkt/nodes/progress_event.hpp>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace lkt {

/// Shows what a run is doing, how far it is, how long that will take and what it has cost so far:
/// one line that is rewritten on a terminal, a line at times elsewhere. A decision
/// (`activity::deciding`) keeps its line. It takes a tuner's progress events, from any thread, and,
/// as an observer of the graph, its retries.
///
///     lkt::progress_display display;
///     tuner.tune(task, {.on_progress = std::ref(display)}, display);
class progress_display {
public:
    using clock = std::function<seconds()>;

    /// To `out`, which is asked whether it is a terminal.
    explicit progress_display(std::FILE* out = stderr);
    /// To any sink; `now` counts from any moment. `columns`: of the terminal, 0 where unknown.
    progress_display(std::function<void(std::string const&)> sink,
                     bool terminal,
                     clock now = steady_clock(),
                     std::function<std::size_t()> columns = {});

    /// Shows what the calls cost, in US dollars, where each model that answers has a price here.
    /// `asked` says who was asked (`describe`) where replies do not: a server's prices are its own.
    void show_money(price_table prices, std::string asked = {});

    /// Ends the line that is being rewritten; called by the destructor too.
    void finish();
    progress_display(progress_display const&) = delete;
    progress_display& operator=(progress_display const&) = delete;
    ~progress_display();

    void operator()(progress_event const& e);
    void on_retry(node_event const& node, retry_event const& r);
    /// Shows `why` in place of what the run does, until `go_on`: it waits, and that time counts for
    /// no estimate.
    void hold(std::string why);
    void go_on();
    /// Shows that time goes by where nothing happens: with a terminal after a second, elsewhere
    /// after five. A display of a file calls it by itself, twice a second.
    void tick();

private:
    static clock steady_clock();
    void show(std::string const& text, std::string const& end = {});
    void end_line();
    void keep_ticking(std::stop_token stop);

    std::function<void(std::string const&)> sink_;
    clock now_;
    price_table prices_;
    std::string asked_;
    std::mutex mutex_;
    bool terminal_ = false, open_ = false, any_ = false;
    activity what_ = activity::testing_reference;
    seconds began_{}, shown_{}, told_{}; ///< told: the last event
    std::string text_;                   ///< what was shown of it
    std::string held_;                   ///< what it waits for
    seconds held_since_{};
    std::function<std::size_t()> columns_;
    std::jthread ticker_; ///< calls `tick`
};

} // namespace lkt
