// SPDX-License-Identifier: BSL-1.0
// What Nsight Compute writes, read.
#pragma once

#include <lkt/gpu/cuda/profiler.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace lkt::cuda_detail {

namespace profiler_parts {

/// The fields of a line; nothing where a quote is left open.
std::optional<std::vector<std::string>> fields_of_line(std::string_view line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        char const c = line[i];
        if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
            fields.back() += line[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    if (quoted) return std::nullopt;
    return fields;
}

/// `1,234.5`; nothing for `n/a`, and for what is no count, share or ratio.
std::optional<double> number_in(std::string text) {
    std::erase(text, ',');
    double value = 0;
    auto const* const end = text.data() + text.size();
    auto const read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(value) || value < 0)
        return std::nullopt;
    return value;
}

/// The table so far: the names of its columns, and their units once these came.
struct profile_table {
    std::vector<std::string> names, units;

    /// The launch of a row, if it is one.
    std::optional<profiled_launch> take(std::vector<std::string> row) {
        if (row.size() != names.size()) return std::nullopt;
        if (row.front().empty()) { // no launch has this number
            units = std::move(row);
            return std::nullopt;
        }
        profiled_launch launch;
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (names[k] == "Kernel Name") launch.kernel = row[k];
            // What the columns before the metrics are called has no such pair in it.
            if (names[k].find("__") == std::string::npos) continue;
            if (auto const value = number_in(std::move(row[k])))
                launch.metrics.push_back(
                    {names[k], k < units.size() ? units[k] : std::string{}, *value});
        }
        return launch;
    }
};

} // namespace profiler_parts

profiler_log read_profiler_log(std::string_view text) {
    using namespace profiler_parts;
    profiler_log log;
    profile_table table;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        bool const whole = end < text.size();
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        for (std::string_view const stem : {"==ERROR== ", "==WARNING== "})
            if (line.starts_with(stem)) log.complaints.emplace_back(line.substr(stem.size()));
        if (!line.starts_with('"')) continue; // another message, or the program's own
        auto row = fields_of_line(line);
        if (!row || !whole) continue; // it was cut off
        if (row->front() == "ID") {
            table = {std::move(*row), {}};
        } else if (!table.names.empty()) {
            if (auto launch = table.take(std::move(*row)))
                log.launches.push_back(std::move(*launch));
        }
    }
    return log;
}

} // namespace lkt::cuda_detail
