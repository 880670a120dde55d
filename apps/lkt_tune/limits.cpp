// SPDX-License-Identifier: BSL-1.0
#include "limits.hpp"

#include "errors.hpp"

#include <lkt/core/warning.hpp>

#include <algorithm>
#include <charconv>

namespace lkt_tune {
namespace {

std::optional<double> seconds_in(char unit) {
    switch (unit) {
    case 's':
        return 1;
    case 'm':
        return 60;
    case 'h':
        return 3'600;
    case 'd':
        return 86'400;
    default:
        return std::nullopt;
    }
}

std::optional<double> seconds_of(std::string_view text) {
    double sum = 0;
    while (!text.empty()) {
        double number = 0;
        auto const [end, failed] = std::from_chars(
            text.data(), text.data() + text.size(), number, std::chars_format::fixed);
        auto const used = static_cast<std::size_t>(end - text.data());
        if (failed != std::errc{} || used == text.size()) return std::nullopt;
        auto const unit = seconds_in(text[used]);
        if (!unit) return std::nullopt;
        sum += number * *unit;
        text.remove_prefix(used + 1);
    }
    return sum;
}

constexpr std::string_view cut_short = "the budget ended the search";

/// What a search notes that the time did not suffice for; in a batch also who was not asked.
std::string const* cut_short_in(lkt::tuning_outcome const& outcome, std::string_view what) {
    auto const in = [&](std::vector<std::string> const& notes) -> std::string const* {
        auto const at = std::find_if(notes.begin(), notes.end(), [&](std::string const& note) {
            return note.find(what) != note.npos;
        });
        return at == notes.end() ? nullptr : &*at;
    };
    if (auto const* note = in(outcome.notes)) return note;
    for (lkt::attempt_record const& a : outcome.history)
        if (auto const* note = in(a.notes)) return note;
    return nullptr;
}

/// The option behind the code of an error.
std::string option_behind(std::string_view code) {
    if (code == "lkt.budget.money") return "--max-cost";
    if (code == "lkt.budget.calls") return "--max-calls";
    if (code == "lkt.budget.time" || code == "lkt.tuner.budget") return "--max-time";
    return {};
}

} // namespace

lkt::result<lkt::seconds> duration_of(std::string_view option, std::string const& text) {
    auto const found = seconds_of(text);
    if (found && *found > 0 && *found <= 365 * 86'400.0) return lkt::seconds(*found);
    std::string const name(option);
    return usage(name + " '" + text + "' is not a time with a unit (s, m, h, d), above 0",
                 "for example " + name + " 90s, " + name + " 10m or " + name + " 1h30m");
}

std::optional<lkt::error>
limit_reached(options const& o, lkt::tuning_outcome const& outcome, bool saved) {
    auto const said = [&](std::string const& option) {
        return option + " " +
               (option == "--max-time"    ? o.max_time_text
                : option == "--max-calls" ? std::to_string(*o.max_calls)
                                          : lkt::significant(*o.max_cost));
    };
    auto const raise = [](std::string const& option) {
        return "to search further, raise " + option;
    };
    if (outcome.stopped_by) {
        auto found = *outcome.stopped_by;
        auto const option = option_behind(found.code);
        if (option.empty()) return std::nullopt;
        if (option == "--max-time") {
            found.code = "lkt.budget.time"; // wherever it was noticed
            found.message = "the time limit is reached";
        }
        found.message = said(option) + " ended the run: " + found.message;
        found.hint = raise(option) + (saved ? "" : "; with --journal FOLDER a run can be resumed");
        return found;
    }
    auto const left_out =
        [&](std::string const& option, std::string_view code, std::string_view note) {
            return lkt::error{
                lkt::condition::exhausted,
                std::string(code),
                said(option) + " cut the run short: " + std::string(lkt::text_of_warning(note)),
                saved ? "to search further, resume the run, or raise " + option
                      : raise(option) + " in a new run, or save the run with --journal "
                                        "FOLDER and resume it"};
        };
    if (o.max_time)
        for (std::string_view const what : {cut_short,
                                            std::string_view("the time limit of"),
                                            std::string_view("not evaluated: the budget")})
            if (auto const* note = cut_short_in(outcome, what))
                return left_out("--max-time", "lkt.budget.time", *note);
    if (o.max_calls)
        if (auto const* note =
                cut_short_in(outcome, "the budget of " + std::to_string(*o.max_calls) + " calls"))
            return left_out("--max-calls", "lkt.budget.calls", *note);
    if (o.max_cost)
        if (auto const* note =
                cut_short_in(outcome, "the budget of " + lkt::significant(*o.max_cost) + " USD"))
            return left_out("--max-cost", "lkt.budget.money", *note);
    return std::nullopt;
}

std::optional<std::string> left_out_by_budget(options const& o,
                                              lkt::tuning_outcome const& outcome) {
    if (!o.budget) return std::nullopt;
    std::uint64_t tried = 0, all = 0;
    for (lkt::attempt_record const& a : outcome.history) {
        if (a.configurations.empty()) continue;
        tried += a.configurations.size();
        all += std::max<std::uint64_t>(a.space, a.configurations.size());
    }
    if (tried == all) return std::nullopt;
    return lkt::warning(budget_text(*o.budget) + ": " + std::to_string(tried) + " of " +
                        std::to_string(all) + " configurations were tried");
}

std::string budget_text(lkt::search_budget const& budget) {
    return "--budget " + (budget.configurations > 0 ? std::to_string(budget.configurations)
                                                    : lkt::significant(100 * budget.share) + "%");
}

} // namespace lkt_tune
