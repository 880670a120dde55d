// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/scan/scan_table.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace lkt {

flop_rate scan_row::rate() const {
    return measured() && instance.time.count() > 0 ? spec.operations() / instance.time
                                                   : flop_rate();
}

byte_rate scan_row::bandwidth() const {
    return measured() && instance.time.count() > 0 ? spec.bytes() / instance.time : byte_rate();
}

std::string scan_row::product() const {
    return engine + '\n' + device + '\n' + settings + '\n' + to_string(spec);
}

scan_table rows_of(std::string engine,
                   scan_spec const& spec,
                   scanned_product const& found,
                   std::string date,
                   accelerator const* device,
                   scan_setup const& setup) {
    scan_row common{.engine = std::move(engine),
                    .device = found.device.empty() ? setup.device : found.device,
                    .date = std::move(date),
                    .settings = setup.settings,
                    .spec = spec,
                    .unsupported = found.unsupported};
    for (std::string const& remark : found.remarks)
        common.message += (common.message.empty() ? "" : "; ") + remark;
    scan_table rows;
    for (scanned_instance const& one : found.instances) {
        rows.push_back(common);
        rows.back().instance = one;
    }
    if (rows.empty()) {
        rows.push_back(common);
        rows[0].status = scan_status::refused;
        if (rows[0].message.empty()) rows[0].message = "no instance supports this product";
    }
    for (scan_row& row : rows) row.of_product = rows.size();
    if (device != nullptr) set_roofs(rows, *device);
    mark_best(rows);
    return rows;
}

void set_roofs(scan_table& table, accelerator const& device) {
    for (scan_row& row : table) {
        auto const roof = roofline_of(row.spec, device);
        seconds const least = roof.least();
        bool const known = least.count() > 0;
        row.roof = known ? row.spec.operations() / least : flop_rate();
        row.memory_bound = known && roof.memory_bound();
    }
}

void mark_best(scan_table& table) {
    std::unordered_map<std::string, std::size_t> best;
    for (std::size_t i = 0; i < table.size(); ++i) {
        auto& row = table[i];
        row.best = false;
        if (!row.measured() || row.instance.verdict == scan_verdict::wrong) continue;
        auto const [at, first] = best.try_emplace(row.product(), i);
        if (!first && row.instance.time < table[at->second].instance.time) at->second = i;
    }
    for (auto const& [product, i] : best) table[i].best = true;
}

scan_table filter(scan_table const& table, std::function<bool(scan_row const&)> const& wanted) {
    scan_table found;
    std::copy_if(table.begin(), table.end(), std::back_inserter(found), wanted);
    return found;
}

scan_table best_of(scan_table const& table) {
    auto marked = table;
    mark_best(marked);
    return filter(marked, [](scan_row const& row) { return row.best; });
}

std::map<std::string, scan_summary>
group_by(scan_table const& table, std::function<std::string(scan_row const&)> const& key) {
    std::map<std::string, scan_summary> groups;
    // Sums of squares around the mean of those before: Welford's.
    std::map<std::string, decltype(flop_rate() * flop_rate())> squares;
    for (scan_row const& row : table) {
        if (!row.measured()) continue;
        auto const name = key(row);
        auto& g = groups[name];
        flop_rate const rate = row.rate();
        g.least = g.rows == 0 ? rate : std::min(g.least, rate);
        g.most = std::max(g.most, rate);
        g.share = std::max(g.share, row.share());
        ++g.rows;
        flop_rate const off = rate - g.mean;
        g.mean = g.mean + off / static_cast<double>(g.rows);
        squares[name] = squares[name] + off * (rate - g.mean);
    }
    for (auto& [name, g] : groups)
        if (g.rows > 1)
            g.deviation =
                flop_rate(std::sqrt(squares[name].count() / static_cast<double>(g.rows - 1)));
    return groups;
}

namespace detail::scan {

/// The fastest row of each spec, by its text.
inline std::unordered_map<std::string, scan_row const*> fastest(scan_table const& table) {
    std::unordered_map<std::string, scan_row const*> found;
    for (scan_row const& row : table) {
        if (!row.measured() || row.instance.verdict == scan_verdict::wrong) continue;
        auto const [at, first] = found.try_emplace(to_string(row.spec), &row);
        if (!first && row.instance.time < at->second->instance.time) at->second = &row;
    }
    return found;
}

/// Each device with its settings, in order.
inline std::vector<std::string> setups_of(scan_table const& table) {
    std::vector<std::string> all;
    for (scan_row const& row : table) {
        if (!row.measured()) continue;
        std::string text = row.device.empty() ? "device not known" : row.device;
        if (!row.settings.empty()) text += "; " + row.settings;
        all.push_back(std::move(text));
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

/// The specs of a table that another one has not.
inline std::vector<scan_spec>
missing(scan_table const& table,
        std::unordered_map<std::string, scan_row const*> const& own,
        std::unordered_map<std::string, scan_row const*> const& other) {
    std::vector<scan_spec> specs;
    for (scan_row const& row : table) {
        auto const key = to_string(row.spec);
        auto const at = own.find(key);
        if (at != own.end() && at->second == &row && !other.contains(key))
            specs.push_back(row.spec);
    }
    return specs;
}

} // namespace detail::scan

scan_comparison compare(scan_table const& before, scan_table const& after) {
    auto const a = detail::scan::fastest(before), b = detail::scan::fastest(after);
    scan_comparison c;
    for (scan_row const& row : before) {
        auto const key = to_string(row.spec);
        auto const at = a.find(key);
        auto const other = b.find(key);
        if (at == a.end() || at->second != &row || other == b.end()) continue;
        c.products.push_back({row.spec,
                              row.instance.time,
                              other->second->instance.time,
                              row.instance.name,
                              other->second->instance.name});
    }
    c.setups_before = detail::scan::setups_of(before);
    c.setups_after = detail::scan::setups_of(after);
    if (c.setups_before == c.setups_after) {
        c.setups_before.clear();
        c.setups_after.clear();
    }
    c.only_before = detail::scan::missing(before, a, b);
    c.only_after = detail::scan::missing(after, b, a);
    return c;
}

double scan_comparison::mean_speed_up() const {
    double sum = 0;
    for (compared_product const& one : products) sum += std::log(one.speed_up());
    return products.empty() ? 0 : std::exp(sum / static_cast<double>(products.size()));
}

} // namespace lkt
