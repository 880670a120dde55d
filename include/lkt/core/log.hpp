// SPDX-License-Identifier: BSL-1.0
// Logging as a value that is passed: a level and a sink. Nothing here is global.
#pragma once

#include <lkt/config.hpp>

#include <concepts>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace lkt {

/// How much is logged; each level includes those before it.
enum class log_level : unsigned char { off, error, warning, info, debug };

[[nodiscard]] constexpr std::string_view to_string(log_level level) {
    switch (level) {
    case log_level::off:
        return "off";
    case log_level::error:
        return "error";
    case log_level::warning:
        return "warning";
    case log_level::info:
        return "info";
    case log_level::debug:
        return "debug";
    }
    return "unknown";
}

/// Receives each line that passes the level, without a line feed; never two at a time. It must not
/// log itself.
using log_sink = std::function<void(log_level, std::string_view)>;

/// Writes `lkt: warning: ...` to the standard error stream, a line in one piece.
void log_to_stderr(log_level level, std::string_view text);

/// Copies share the sink; each copy has its own level. May be called from any thread. A line that
/// does not pass the level costs a comparison.
class logger {
public:
    /// Says warnings and errors on the standard error stream.
    logger() : logger(log_level::warning) {}
    explicit logger(log_level level, log_sink sink = log_to_stderr)
        : level_(level), out_(std::make_shared<output>(std::move(sink))) {}

    [[nodiscard]] log_level level() const { return level_; }
    [[nodiscard]] bool passes(log_level level) const {
        return level != log_level::off && level <= level_;
    }
    /// The same sink at another level.
    [[nodiscard]] logger at(log_level level) const {
        logger other = *this;
        other.level_ = level;
        return other;
    }

    /// The parts are joined: anything that converts to `std::string_view`, numbers, `bool`, or one
    /// callable that returns a string and is called only when the line passes.
    template <class... Parts>
    void operator()(log_level level, Parts const&... parts) const {
        if (!passes(level)) return;
        std::string text;
        (append(text, parts), ...);
        out_->write(level, text);
    }
    template <class... Parts>
    void error(Parts const&... parts) const {
        (*this)(log_level::error, parts...);
    }
    template <class... Parts>
    void warning(Parts const&... parts) const {
        (*this)(log_level::warning, parts...);
    }
    template <class... Parts>
    void info(Parts const&... parts) const {
        (*this)(log_level::info, parts...);
    }
    template <class... Parts>
    void debug(Parts const&... parts) const {
        (*this)(log_level::debug, parts...);
    }

private:
    struct output {
        explicit output(log_sink s) : sink(std::move(s)) {}
        void write(log_level level, std::string_view text) {
            std::lock_guard const one_at_a_time(mutex);
            if (sink) sink(level, text);
        }
        std::mutex mutex;
        log_sink sink;
    };

    template <class Part>
    static void append(std::string& text, Part const& part) {
        if constexpr (std::convertible_to<Part const&, std::string_view>)
            text += std::string_view(part);
        else if constexpr (std::same_as<Part, bool>)
            text += part ? "true" : "false";
        else if constexpr (std::same_as<Part, char>)
            text += part;
        else if constexpr (std::invocable<Part const&>)
            text += part();
        else if constexpr (std::integral<Part> || std::floating_point<Part>)
            text += number(part);
        else
            text += to_string(part); // found beside the part's type
    }
    template <class Number>
    static std::string number(Number value) {
        if constexpr (std::integral<Number>) {
            return std::to_string(value);
        } else {
            char digits[32];
            int const n = std::snprintf(digits, sizeof digits, "%.6g", static_cast<double>(value));
            return {digits, static_cast<std::size_t>(n)};
        }
    }

    log_level level_;
    std::shared_ptr<output> out_;
};

} // namespace lkt
