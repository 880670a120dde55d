// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/tuner/progress.hpp>

#include <lkt/core/units.hpp>

#include <chrono>
#include <unistd.h>
#include <utility>

namespace lkt {

namespace detail::progress {

inline void put(std::FILE* out, std::string const& text) {
    // A display that cannot be written must not end the run that it shows.
    if (std::fwrite(text.data(), 1, text.size(), out) == text.size()) std::fflush(out);
}

/// Whole seconds are as much as an estimate is good for.
[[nodiscard]] inline std::string rounded(seconds t) {
    auto const whole = static_cast<long long>(t.count() + 0.5);
    if (whole < 60) return std::to_string(whole) + " s";
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

[[nodiscard]] inline std::string line(progress_event const& e, seconds spent) {
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

} // namespace detail::progress

progress_display::progress_display(std::FILE* out)
    : progress_display([out](std::string const& text) { detail::progress::put(out, text); },
                       isatty(fileno(out)) == 1) {}

progress_display::progress_display(std::function<void(std::string const&)> sink,
                                   bool terminal,
                                   clock now)
    : sink_(std::move(sink)), now_(std::move(now)), terminal_(terminal) {}

void progress_display::finish() {
    if (open_) sink_("\n");
    open_ = false;
}

void progress_display::operator()(progress_event const& e) {
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
    show(detail::progress::line(e, now - began_));
}

void progress_display::on_retry(node_event const& node, retry_event const& r) {
    finish();
    sink_("retrying " + std::string(node.node) + " in " + std::to_string(r.delay.count()) +
          " ms (attempt " + std::to_string(r.attempt + 1) + "): " + r.why.message + "\n");
}

progress_display::clock progress_display::steady_clock() {
    return [] { return seconds(std::chrono::steady_clock::now().time_since_epoch()); };
}

void progress_display::show(std::string const& text) {
    if (!terminal_) {
        sink_(text + "\n");
        return;
    }
    sink_("\r\x1b[K" + text);
    open_ = true;
}

} // namespace lkt
