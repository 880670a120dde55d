// SPDX-License-Identifier: BSL-1.0
#include "batch_text.hpp"

#include "../common/status.hpp"
#include "description.hpp"

#include <lkt/core/plain_text.hpp>

#include <algorithm>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lkt_tune {
namespace {

namespace status = lkt_apps::status;

std::string duration_text(double seconds) {
    auto const whole = static_cast<long long>(seconds + 0.5);
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600)
        return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

struct totals {
    std::size_t accepted = 0;
    std::int64_t calls = 0;
    double usd = 0;
    bool priced = false;
};

totals sum(std::vector<batch_row> const& rows) {
    totals t;
    for (batch_row const& row : rows) {
        if (row.end.has_kernel() && !row.running) ++t.accepted;
        t.calls += row.end.calls;
        t.usd += row.end.usd.value_or(0);
        t.priced = t.priced || row.end.usd;
    }
    return t;
}

std::string speedup_text(operation_end const& end) {
    if (!end.has_kernel()) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.2fx", end.speedup);
    return text;
}

std::size_t columns_of_terminal() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace

std::string outcome_text(batch_row const& row) {
    operation_end const& end = row.end;
    if (end.status < 0) return "not begun";
    if (end.has_kernel()) {
        std::string text = end.stored ? "accepted (stored)" : "accepted";
        if (end.status == status::unchecked) text += ", not checked in full";
        return end.finished ? text : text + ", cut short";
    }
    if (end.status == status::suspended) return "waits for a reply";
    if (end.status == status::interrupted) return "interrupted";
    return "no kernel";
}

std::string table_text(std::vector<batch_row> const& rows) {
    std::vector<std::vector<std::string>> table{
        {"operation", "outcome", "speed-up", "calls", "cost", "time"}};
    auto const t = sum(rows);
    double seconds = 0;
    for (batch_row const& row : rows) {
        bool const begun = row.end.status >= 0;
        table.push_back({lkt::plain_text(row.name),
                         outcome_text(row),
                         speedup_text(row.end),
                         begun ? std::to_string(row.end.calls) : "-",
                         row.end.usd ? dollars(*row.end.usd) : "-",
                         begun ? duration_text(row.end.time.count()) : "-"});
        seconds += row.end.time.count();
    }
    table.push_back(
        {"all",
         std::to_string(t.accepted) + " of " + std::to_string(rows.size()) + " accepted",
         "",
         std::to_string(t.calls),
         t.priced ? dollars(t.usd) : "-",
         duration_text(seconds)});
    std::vector<std::size_t> widths(table.front().size());
    for (auto const& line : table)
        for (std::size_t k = 0; k < line.size(); ++k)
            widths[k] = std::max(widths[k], line[k].size());
    std::string text;
    for (auto const& line : table) {
        std::string one;
        for (std::size_t k = 0; k < line.size(); ++k) {
            std::string const room(widths[k] - line[k].size(), ' ');
            one += (k == 0 ? "" : "  ") + (k < 2 ? line[k] + room : room + line[k]);
        }
        text += one.substr(0, one.find_last_not_of(' ') + 1) + "\n";
    }
    for (batch_row const& row : rows)
        if (row.end.status >= 0 && !row.end.finished && !row.end.message.empty() &&
            row.end.status != status::interrupted)
            text += "\n" + lkt::plain_text(row.name + ": " + row.end.message) + "\n";
    return text;
}

batch_display::batch_display(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

void batch_display::put(std::string const& text) const {
    // A display that cannot be written must not end the batch that it shows.
    if (std::fwrite(text.data(), 1, text.size(), stderr) == text.size()) std::fflush(stderr);
}

void batch_display::begin(std::size_t all, std::size_t finished, std::string const& folder) {
    if (quiet_) return;
    put(std::to_string(all) + " operations" +
        (finished > 0 ? ", " + std::to_string(finished) + " of them finished before" : "") +
        "; limits hold for each of them; logs are in " + lkt::plain_text(folder) + "\n");
}

void batch_display::started(batch_row const& row, bool goes_on) {
    if (quiet_ || terminal_) return;
    put(lkt::plain_text(row.name) + (goes_on ? ": goes on" : ": begins") +
        (row.device.empty() ? "" : " on device " + lkt::plain_text(row.device)) + "\n");
}

void batch_display::ended(batch_row const& row) {
    ++ended_;
    if (quiet_) return;
    finish();
    put(lkt::plain_text(row.name) + ": " + outcome_text(row) +
        (row.end.has_kernel() ? ", " + speedup_text(row.end) : "") + ", " +
        duration_text(row.end.time.count()) + "\n");
}

void batch_display::show(std::vector<batch_row> const& rows, std::size_t waiting) {
    double const now = seconds_now();
    if (quiet_ || now - shown_ < (terminal_ ? 0.25 : 30)) return;
    bool const first = shown_ == 0;
    shown_ = now;
    if (first && !terminal_) return;
    auto const t = sum(rows);
    std::size_t running = 0;
    std::vector<std::string> lines;
    for (batch_row const& row : rows) {
        if (!row.running) continue;
        ++running;
        lines.push_back("  " + lkt::plain_text(row.name) + ": " + row.line);
    }
    // One that waited for a reply, or was cut short, has an end and goes on all the same.
    std::size_t const ended = rows.size() - waiting - running;
    std::string head = std::to_string(ended) + "/" + std::to_string(rows.size()) + " ended, " +
                       std::to_string(t.accepted) + " accepted | " + std::to_string(t.calls) +
                       " model calls" + (t.priced ? ", " + dollars(t.usd) : "");
    if (ended_ > 0)
        head += " | about " +
                duration_text((now - began_) / static_cast<double>(ended_) *
                              static_cast<double>(waiting + running)) +
                " left";
    lines.insert(lines.begin(), head);
    if (!terminal_) {
        for (std::string const& line : lines) put(line + "\n");
        return;
    }
    finish();
    auto const columns = columns_of_terminal();
    for (std::string const& line : lines)
        put(std::string(lkt::cut_at_character(line, columns - 1)) + "\n");
    lines_ = lines.size();
}

void batch_display::finish() {
    if (lines_ > 0) put("\033[" + std::to_string(lines_) + "A\033[J");
    lines_ = 0;
}

} // namespace lkt_tune
