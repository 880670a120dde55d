// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/units.hpp>
#include <lkt/graph/observe.hpp>
#include <lkt/nodes/progress_event.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>

namespace lkt {

/// Shows what a run is doing, how far it is, how long that will take and what it has cost so far:
/// one line that is rewritten on a terminal, a line at times elsewhere. It takes a tuner's
/// progress events and, as an observer of the graph, its retries.
///
///     lkt::progress_display display;
///     tuner.tune(task, {.on_progress = std::ref(display)}, display);
class progress_display {
public:
    using clock = std::function<seconds()>;

    /// To `out`, which is asked whether it is a terminal.
    explicit progress_display(std::FILE* out = stderr)
        : progress_display([out](std::string const& text) { put(out, text); },
                           isatty(fileno(out)) == 1) {}
    /// To any sink; `now` counts from any moment.
    progress_display(std::function<void(std::string const&)> sink,
                     bool terminal,
                     clock now = steady_clock())
        : sink_(std::move(sink)), now_(std::move(now)), terminal_(terminal) {}

    /// Ends the line that is being rewritten; called by the destructor too.
    void finish() {
        if (open_) sink_("\n");
        open_ = false;
    }
    progress_display(progress_display const&) = delete;
    progress_display& operator=(progress_display const&) = delete;
    ~progress_display() { finish(); }

    void operator()(progress_event const& e) {
        seconds const now = now_();
        bool const fresh = !any_ || e.what != what_ || e.done == 0;
        if (fresh) began_ = now;
        // A line costs a write: on a terminal ten a second, elsewhere one in five seconds.
        bool const due = now - shown_ >= (terminal_ ? seconds(0.1) : seconds(5));
        any_ = true;
        what_ = e.what;
        if (!fresh && !due && e.done != e.total) return;
        if (!fresh && !terminal_ && !due) return;
        shown_ = now;
        show(line(e, now - began_));
    }

    void on_retry(node_event const& node, retry_event const& r) {
        finish();
        sink_("retrying " + std::string(node.node) + " in " + std::to_string(r.delay.count()) +
              " ms (attempt " + std::to_string(r.attempt + 1) + "): " + r.why.message + "\n");
    }

private:
    static clock steady_clock() {
        return [] { return seconds(std::chrono::steady_clock::now().time_since_epoch()); };
    }
    static void put(std::FILE* out, std::string const& text) {
        // A display that cannot be written must not end the run that it shows.
        if (std::fwrite(text.data(), 1, text.size(), out) == text.size()) std::fflush(out);
    }

    static std::string line(progress_event const& e, seconds spent) {
        std::string text(to_string(e.what));
        if (e.total > 0) text += " " + std::to_string(e.done) + "/" + std::to_string(e.total);
        if (!e.last.empty()) text += " (" + std::string(e.last) + ")";
        if (e.done > 0 && e.done < e.total) {
            double const left = static_cast<double>(e.total - e.done) / static_cast<double>(e.done);
            text += ", " + rounded(spent * left) + " left";
        }
        if (e.attempt > 0) text += " | attempt " + std::to_string(e.attempt);
        if (e.best.count() > 0) text += " | best " + to_string(e.best);
        if (e.best.count() > 0 && e.baseline.count() > 0) {
            char factor[32];
            std::snprintf(factor, sizeof factor, " (%.2fx)", e.baseline / e.best);
            text += factor;
        }
        if (e.model_calls > 0)
            text += " | " + std::to_string(e.model_calls) + " model calls, " +
                    std::to_string(e.tokens) + " tokens";
        return text;
    }
    /// Whole seconds are as much as an estimate is good for.
    static std::string rounded(seconds t) {
        auto const whole = static_cast<long long>(t.count() + 0.5);
        if (whole < 60) return std::to_string(whole) + " s";
        return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    }
    void show(std::string const& text) {
        if (!terminal_) {
            sink_(text + "\n");
            return;
        }
        sink_("\r\x1b[K" + text);
        open_ = true;
    }

    std::function<void(std::string const&)> sink_;
    clock now_;
    bool terminal_ = false, open_ = false, any_ = false;
    activity what_ = activity::testing_reference;
    seconds began_{}, shown_{};
};

} // namespace lkt
