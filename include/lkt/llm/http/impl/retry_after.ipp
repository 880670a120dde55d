// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/llm/http/detail/retry_after.hpp>
#include <lkt/llm/http/detail/words.hpp>

#include <lkt/llm/detail/fence_line.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

namespace lkt::detail::http {

wait wait_of_ms(double ms) {
    constexpr double longest = 366.0 * 24 * 3600 * 1000;
    return wait(static_cast<std::int64_t>(std::ceil(std::clamp(ms, 0.0, longest))));
}

namespace waits {

wait of_ms(double ms) { return wait_of_ms(ms); }

/// A number without sign at the beginning of `text`, which is taken off.
std::optional<double> take_number(std::string_view& text) {
    double value = 0;
    if (text.empty() || (text.front() != '.' && (text.front() < '0' || text.front() > '9')))
        return std::nullopt;
    auto const [end, failed] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (failed != std::errc() || !std::isfinite(value)) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<double> whole_number(std::string_view text) {
    auto const value = take_number(text);
    return text.empty() ? value : std::nullopt;
}

std::optional<int> digits(std::string_view text) {
    int value = 0;
    auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const all = failed == std::errc() && end == text.data() + text.size();
    return all && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<time_point> at(int year, int month, int day, std::string_view clock) {
    using namespace std::chrono;
    if (clock.size() < 8 || clock[2] != ':' || clock[5] != ':') return std::nullopt;
    auto const h = digits(clock.substr(0, 2)), m = digits(clock.substr(3, 2)),
               s = digits(clock.substr(6, 2));
    year_month_day const date{std::chrono::year(year),
                              std::chrono::month(static_cast<unsigned>(month)),
                              std::chrono::day(static_cast<unsigned>(day))};
    // Beyond these, time points overflow.
    if (!h || !m || !s || year < 1970 || year > 2200 || !date.ok()) return std::nullopt;
    if (*h > 23 || *m > 59 || *s > 60) return std::nullopt;
    return time_point(sys_days(date)) + hours(*h) + minutes(*m) + std::chrono::seconds(*s);
}

} // namespace waits

std::optional<time_point> http_date(std::string_view text) {
    static constexpr std::array<std::string_view, 12> names{
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
    std::optional<int> year, month, day;
    std::string_view clock;
    // All three forms are a month's name, a clock, and the day before the year.
    for (std::size_t at = 0; at < text.size();) {
        auto const end = std::min(text.find_first_of(" ,-", at), text.size());
        auto const word = text.substr(at, end - at);
        at = end + 1;
        if (word.empty()) continue;
        if (word.find(':') != word.npos) {
            clock = word;
            continue;
        }
        if (auto const number = waits::digits(word)) {
            if (!day)
                day = number;
            else if (!year)
                year = word.size() == 2 ? *number + (*number < 70 ? 2000 : 1900) : *number;
            continue;
        }
        auto const named = std::find(names.begin(), names.end(), lower(word.substr(0, 3)));
        if (named != names.end() && word.size() == 3)
            month = static_cast<int>(named - names.begin()) + 1;
    }
    if (!year || !month || !day || clock.size() != 8) return std::nullopt;
    return waits::at(*year, *month, *day, clock);
}

std::optional<time_point> rfc3339(std::string_view text) {
    if (text.size() < 20 || text[4] != '-' || text[7] != '-') return std::nullopt;
    auto const year = waits::digits(text.substr(0, 4)), month = waits::digits(text.substr(5, 2)),
               day = waits::digits(text.substr(8, 2));
    if (!year || !month || !day || (lower(text[10]) != 't' && text[10] != ' ')) return std::nullopt;
    auto moment = waits::at(*year, *month, *day, text.substr(11, 8));
    if (!moment) return std::nullopt;
    text.remove_prefix(19);
    if (text.starts_with('.')) {
        auto const fraction = waits::take_number(text);
        if (!fraction) return std::nullopt;
        *moment += waits::of_ms(*fraction * 1000);
    }
    if (text == "Z" || text == "z") return moment;
    if (text.size() != 6 || text[3] != ':' || (text[0] != '+' && text[0] != '-'))
        return std::nullopt;
    auto const hours = waits::digits(text.substr(1, 2)), minutes = waits::digits(text.substr(4, 2));
    if (!hours || !minutes) return std::nullopt;
    auto const offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
    return text[0] == '+' ? *moment - offset : *moment + offset;
}

std::optional<wait> go_duration(std::string_view text) {
    if (auto const plain = waits::whole_number(text)) return waits::of_ms(*plain * 1000);
    struct unit {
        std::string_view name;
        double ms;
    };
    // Longer names first: `m` begins `ms`.
    static constexpr std::array<unit, 7> units{{{"ns", 1e-6},
                                                {"us", 1e-3},
                                                {"\xC2\xB5s", 1e-3},
                                                {"ms", 1},
                                                {"s", 1e3},
                                                {"m", 60e3},
                                                {"h", 3600e3}}};
    double sum = 0;
    if (text.empty()) return std::nullopt;
    while (!text.empty()) {
        auto const number = waits::take_number(text);
        auto const found = std::find_if(
            units.begin(), units.end(), [&](unit const& u) { return text.starts_with(u.name); });
        if (!number || found == units.end()) return std::nullopt;
        sum += *number * found->ms;
        text.remove_prefix(found->name.size());
    }
    return waits::of_ms(sum);
}

std::optional<wait> retry_after(wire_response const& response, time_point now) {
    if (auto const date = response.header("date"))
        if (auto const moment = http_date(*date)) now = *moment;
    auto const until = [&](time_point moment) {
        return waits::of_ms(std::chrono::duration<double, std::milli>(moment - now).count());
    };
    if (auto const text = response.header("retry-after-ms"))
        if (auto const ms = waits::whole_number(*text)) return waits::of_ms(*ms);
    if (auto const text = response.header("retry-after")) {
        if (auto const seconds = waits::whole_number(*text)) return waits::of_ms(*seconds * 1000);
        if (auto const moment = http_date(*text)) return until(*moment);
    }
    if (response.status != 429) return std::nullopt;

    // The limit that was met is the one with nothing left; where none is told, all of them count.
    std::optional<wait> longest, longest_empty;
    auto const count = [&](std::string const& reset, std::string const& remaining) {
        auto const text = response.header(reset);
        if (!text) return;
        auto w = go_duration(*text);
        if (auto const moment = rfc3339(*text)) w = until(*moment);
        if (!w) return;
        auto const left = response.header(remaining);
        auto const number = left ? waits::whole_number(*left) : std::nullopt;
        if (number && *number > 0) return;
        auto& kind = number ? longest_empty : longest;
        kind = std::max(kind.value_or(*w), *w);
    };
    for (std::string const what : {"requests", "tokens", "input-tokens", "output-tokens"}) {
        std::string const prefix = "anthropic-ratelimit-" + what;
        count(prefix + "-reset", prefix + "-remaining");
    }
    for (std::string const what : {"requests", "tokens"})
        count("x-ratelimit-reset-" + what, "x-ratelimit-remaining-" + what);
    return longest_empty ? longest_empty : longest;
}

} // namespace lkt::detail::http
