// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/tuner/progress.hpp>

#include <lkt/core/plain_text.hpp>
#include <lkt/core/units.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <string_view>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace lkt {

namespace detail::progress {

inline void put(std::FILE* out, std::string const& text) {
    // A display that cannot be written must not end the run that it shows.
    if (std::fwrite(text.data(), 1, text.size(), out) == text.size()) std::fflush(out);
}

/// Of the terminal; 0 where that is unknown.
[[nodiscard]] inline std::size_t columns_of(std::FILE* out) {
    winsize size{};
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// Whole seconds are as much as an estimate is good for.
[[nodiscard]] inline std::string rounded(seconds t) {
    auto const whole = static_cast<long long>(t.count() + 0.5);
    if (whole < 60) return std::to_string(whole) + " s";
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

/// The beginning of a text, on one line: whole words of it, as far as they fit.
[[nodiscard]] inline std::string first_words(std::string_view text, std::size_t most) {
    std::string words;
    for (std::size_t at = 0; at < text.size();) {
        constexpr std::string_view spaces = " \t\r\n";
        auto const from = text.find_first_not_of(spaces, at);
        if (from == text.npos) break;
        auto const to = std::min(text.find_first_of(spaces, from), text.size());
        if (!words.empty() && words.size() + 1 + (to - from) > most) return words + " ...";
        words += (words.empty() ? "" : " ") + std::string(text.substr(from, to - from));
        at = to;
    }
    words = plain_line(words);
    if (words.size() <= most) return words;
    return std::string(cut_at_character(words, most)) + "...";
}

/// What the calls cost; empty where that is nothing, or not known.
[[nodiscard]] inline std::string
money(progress_event const& e, price_table const& prices, std::string_view asked) {
    auto const found = cost_of(e.models, prices, asked);
    if (!found || !(found->usd > 0)) return {};
    char text[32];
    std::snprintf(text, sizeof text, ", $%.2f", found->usd);
    if (!found->listed) return text;
    return std::string(text) + " (prices of " + std::string(price_table::month()) + ")";
}

[[nodiscard]] inline std::string
line(progress_event const& e, seconds spent, price_table const& prices, std::string_view asked) {
    if (e.what == activity::deciding) return std::string(e.last);
    std::string text(to_string(e.what));
    if (e.total > 0) text += " " + std::to_string(e.done) + "/" + std::to_string(e.total);
    if (!e.last.empty()) text += " (" + std::string(e.last) + ")";
    // What is known from before took no time.
    if (e.done > e.reused && e.done < e.total) {
        double const left =
            static_cast<double>(e.total - e.done) / static_cast<double>(e.done - e.reused);
        text += ", " + rounded(spent * left) + " left";
    }
    if (e.attempt > 0) text += " | attempt " + std::to_string(e.attempt);
    if (auto const step = first_words(e.step, 40); !step.empty()) text += " | step: " + step;
    if (e.best.count() > 0) text += " | best " + to_string(e.best);
    if (e.best.count() > 0 && e.baseline.count() > 0) {
        char factor[32];
        std::snprintf(factor, sizeof factor, " (%.2fx)", e.baseline / e.best);
        text += factor;
    }
    std::string const requests = e.model_requests > e.model_calls
                                     ? " (" + std::to_string(e.model_requests) + " requests)"
                                     : std::string();
    if (e.model_calls > 0 || e.model_requests > 0)
        text += " | " + std::to_string(e.model_calls) + " model calls" + requests + ", " +
                std::to_string(e.tokens.input + e.tokens.output) + " tokens" +
                money(e, prices, asked);
    return text;
}

} // namespace detail::progress

progress_display::progress_display(std::FILE* out)
    : progress_display([out](std::string const& text) { detail::progress::put(out, text); },
                       isatty(fileno(out)) == 1,
                       steady_clock(),
                       [out] { return detail::progress::columns_of(out); }) {
    try {
        ticker_ = std::jthread([this](std::stop_token stop) { keep_ticking(std::move(stop)); });
    } catch (std::system_error const&) { // a display without it is still one
    }
}

progress_display::progress_display(std::function<void(std::string const&)> sink,
                                   bool terminal,
                                   clock now,
                                   std::function<std::size_t()> columns)
    : sink_(std::move(sink)), now_(std::move(now)), terminal_(terminal),
      columns_(std::move(columns)) {}

progress_display::~progress_display() {
    ticker_ = {};
    finish();
}

void progress_display::show_money(price_table prices, std::string asked) {
    std::lock_guard const alone(mutex_);
    prices_ = std::move(prices);
    asked_ = std::move(asked);
}

void progress_display::finish() {
    std::lock_guard const alone(mutex_);
    end_line();
    any_ = false;
}

void progress_display::operator()(progress_event const& e) {
    std::lock_guard const alone(mutex_);
    seconds const now = now_();
    bool const fresh = !any_ || e.what != what_ || e.done == 0;
    if (fresh) began_ = now;
    // A line costs a write: on a terminal ten a second, elsewhere one in five seconds.
    bool const due = now - shown_ >= (terminal_ ? seconds(0.1) : seconds(5));
    any_ = true;
    what_ = e.what;
    told_ = now;
    text_ = plain_line(detail::progress::line(e, now - began_, prices_, asked_));
    if (!fresh && !due && e.done != e.total) return;
    if (!fresh && !terminal_ && !due) return;
    shown_ = now;
    if (e.what == activity::deciding) { // whoever looks later should find it
        end_line();
        sink_(text_ + "\n");
        return;
    }
    show(text_);
}

void progress_display::on_retry(node_event const& node, retry_event const& r) {
    std::lock_guard const alone(mutex_);
    end_line();
    sink_("retrying " + std::string(node.node) + " in " + std::to_string(r.delay.count()) +
          " ms (attempt " + std::to_string(r.attempt + 1) +
          "): " + plain_line(r.why.message, 2000) + "\n");
}

progress_display::clock progress_display::steady_clock() {
    return [] { return seconds(std::chrono::steady_clock::now().time_since_epoch()); };
}

void progress_display::end_line() {
    if (open_) sink_("\n");
    open_ = false;
}

/// A line that is longer than the terminal would not be rewritten but repeated.
void progress_display::show(std::string const& text, std::string const& end) {
    if (!terminal_) {
        sink_(text + end + "\n");
        return;
    }
    std::size_t const columns = columns_ ? columns_() : 0;
    std::size_t const most = columns > 0 ? columns - 1 : text.size() + end.size();
    std::string const last(cut_at_character(end, most));
    sink_("\r\x1b[K" + std::string(cut_at_character(text, most - last.size())) + last);
    open_ = true;
}

void progress_display::hold(std::string why) {
    std::lock_guard const alone(mutex_);
    held_ = plain_line(why);
    held_since_ = shown_ = now_();
    show(held_);
}

void progress_display::go_on() {
    std::lock_guard const alone(mutex_);
    if (std::exchange(held_, {}).empty()) return;
    told_ = shown_ = now_();
    began_ = began_ + (told_ - held_since_);
    if (any_) show(text_);
}

void progress_display::tick() {
    std::lock_guard const alone(mutex_);
    seconds const now = now_();
    bool const held = !held_.empty();
    if ((!any_ && !held) || now - shown_ < (terminal_ ? seconds(1) : seconds(5))) return;
    shown_ = now;
    seconds const idle = now - (held ? held_since_ : told_);
    show(held ? held_ : text_,
         idle >= seconds(1) ? " | " + detail::progress::rounded(idle) + " since" : "");
}

void progress_display::keep_ticking(std::stop_token stop) {
    std::mutex alone;
    std::condition_variable_any never;
    std::unique_lock lock(alone);
    while (!never.wait_for(lock, stop, std::chrono::milliseconds(500), [] { return false; }) &&
           !stop.stop_requested())
        tick();
}

} // namespace lkt
