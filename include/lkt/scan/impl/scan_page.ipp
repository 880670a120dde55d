// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/scan/scan_page.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

namespace lkt {

namespace detail::scan {

inline std::string html(std::string_view text) {
    std::string out;
    for (char const c : plain_line(text, 300)) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else if (c == '\'')
            out += "&#39;";
        else
            out += c;
    }
    return out;
}

/// A coordinate: a tenth of a pixel is enough.
inline std::string px(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

/// A logarithmic axis from one power of ten to another.
struct log_axis {
    double low = 0, high = 1;   ///< exponents
    double first = 0, last = 1; ///< pixels
    [[nodiscard]] double at(double value) const {
        return first + (std::log10(value) - low) / (high - low) * (last - first);
    }
    static log_axis over(double least, double most, double first, double last) {
        log_axis a{std::floor(std::log10(least)), std::ceil(std::log10(most)), first, last};
        if (a.high <= a.low) a.high = a.low + 1;
        return a;
    }
};

inline std::string label(double x, double y, char const* anchor, std::string const& text) {
    return "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\" text-anchor=\"" + anchor + "\">" + text +
           "</text>\n";
}

inline std::string line(double x1, double y1, double x2, double y2, char const* kind) {
    return "<line class=\"" + std::string(kind) + "\" x1=\"" + px(x1) + "\" y1=\"" + px(y1) +
           "\" x2=\"" + px(x2) + "\" y2=\"" + px(y2) + "\"/>\n";
}

inline std::string tooltip(scan_row const& row) {
    return "<title>" +
           html(to_string(row.spec) + ": " + lkt::to_string(row.instance.time) + ", " +
                lkt::to_string(row.rate()) +
                (row.share() > 0 ? ", " + significant(100 * row.share()) + " % of the roof" : "") +
                ", " + row.instance.name) +
           "</title>";
}

inline std::string
roofline_figure(scan_table const& best, gemm_type type, accelerator const* device) {
    double x_least = 1e300, x_most = 0, y_least = 1e300, y_most = 0;
    for (scan_row const& row : best) {
        x_least = std::min(x_least, row.spec.intensity().count());
        x_most = std::max(x_most, row.spec.intensity().count());
        y_least = std::min(y_least, row.rate().count());
        y_most = std::max(y_most, row.rate().count());
    }
    // Matrix units have no roof for element-wise operations.
    bool const units = best[0].spec.elementwise() == nullptr;
    double const bandwidth = device ? device->bandwidth.count() : 0,
                 ridge = device && units ? device->ridge(type).count() : 0,
                 top = device ? device->rate(type).count() : 0;
    if (bandwidth > 0 && !units) y_most = std::max(y_most, bandwidth * x_most);
    if (ridge > 0) {
        x_least = std::min(x_least, ridge);
        x_most = std::max(x_most, ridge * 2);
        y_most = std::max(y_most, top);
    }
    auto const x = log_axis::over(x_least, x_most, 70, 780),
               y = log_axis::over(y_least, y_most, 340, 20);
    std::string svg = "<svg viewBox=\"0 0 800 400\" role=\"img\"><title>Roofline</title>\n";
    for (double e = x.low; e <= x.high; ++e) {
        double const at = x.at(std::pow(10, e));
        svg +=
            line(at, 20, at, 340, "grid") + label(at, 358, "middle", significant(std::pow(10, e)));
    }
    for (double e = y.low; e <= y.high; ++e) {
        double const at = y.at(std::pow(10, e));
        svg += line(70, at, 780, at, "grid") +
               label(64, at + 4, "end", significant(std::pow(10, e - 12)));
    }
    svg += label(425, 384, "middle", "FLOP / byte") + label(70, 12, "start", "TFLOP/s");
    // From the left edge, or from where it enters at the bottom, to the ridge, and on.
    double const begin =
        bandwidth > 0 ? std::max(std::pow(10, x.low), std::pow(10, y.low) / bandwidth) : 0;
    if (bandwidth > 0 && !units) {
        double const end = std::min(std::pow(10, x.high), std::pow(10, y.high) / bandwidth);
        svg += "<path class=\"roof\" d=\"M" + px(x.at(begin)) + ' ' + px(y.at(begin * bandwidth)) +
               " L" + px(x.at(end)) + ' ' + px(y.at(end * bandwidth)) + "\"/>\n";
    }
    if (ridge > 0) {
        svg += "<path class=\"roof\" d=\"M" + px(x.at(begin)) + ' ' + px(y.at(begin * bandwidth)) +
               " L" + px(x.at(ridge)) + ' ' + px(y.at(top)) + " L" + px(x.last) + ' ' +
               px(y.at(top)) + "\"/>\n";
        svg += label(x.at(ridge), y.at(top) - 6, "middle", "ridge at " + significant(ridge));
    }
    for (scan_row const& row : best)
        svg += "<circle cx=\"" + px(x.at(row.spec.intensity().count())) + "\" cy=\"" +
               px(y.at(row.rate().count())) + "\" r=\"4\">" + tooltip(row) + "</circle>\n";
    return svg + "</svg>\n";
}

/// Of a share from 0 to 1: dark to bright, readable without colours.
inline std::string heat(double share) {
    auto const mix = [&](double a, double b) {
        return std::to_string(static_cast<int>(a + (b - a) * std::clamp(share, 0.0, 1.0)));
    };
    return "rgb(" + mix(40, 253) + ',' + mix(20, 200) + ',' + mix(90, 60) + ')';
}

/// The two extents that a heat map is over: its rows, its columns.
inline std::array<std::string_view, 2> map_axes(scan_spec const& spec) {
    if (spec.gemm() != nullptr) return {"M", "N"};
    if (spec.convolution() != nullptr) return {"C", "K"};
    return {"inputs", "elements"};
}

inline std::int64_t extent_of(scan_spec const& spec, std::string_view name) {
    for (auto const& [own, extent] : spec.sizes())
        if (own == name) return extent;
    return 0;
}

inline std::string heat_map(scan_table const& best) {
    auto const axes = map_axes(best[0].spec);
    std::string const down(axes[0]), across(axes[1]);
    std::map<std::pair<std::int64_t, std::int64_t>, scan_row const*> cells;
    std::set<std::int64_t> ms, ns;
    flop_rate most;
    for (scan_row const& row : best) {
        auto const m = extent_of(row.spec, down), n = extent_of(row.spec, across);
        auto& cell = cells[{m, n}];
        if (cell == nullptr || row.rate() > cell->rate()) cell = &row;
        ms.insert(m);
        ns.insert(n);
        most = std::max(most, row.rate());
    }
    double const width = 700.0 / static_cast<double>(ns.size()),
                 height = std::min(30.0, 600.0 / static_cast<double>(ms.size()));
    double const bottom = 20 + height * static_cast<double>(ms.size());
    std::string svg = "<svg viewBox=\"0 0 800 " + px(bottom + 40) +
                      "\" role=\"img\"><title>Heat map over " + down + " and " + across +
                      "</title>\n";
    svg += label(74, 12, "end", down);
    double y = 20;
    for (std::int64_t const m : ms) {
        svg += label(74, y + height / 2 + 4, "end", std::to_string(m));
        double x = 80;
        for (std::int64_t const n : ns) {
            if (auto const at = cells.find({m, n}); at != cells.end())
                svg += "<rect x=\"" + px(x) + "\" y=\"" + px(y) + "\" width=\"" + px(width) +
                       "\" height=\"" + px(height) + "\" fill=\"" +
                       heat(at->second->rate() / most) + "\">" + tooltip(*at->second) + "</rect>\n";
            x += width;
        }
        y += height;
    }
    double x = 80;
    std::size_t const every = 1 + ns.size() / 16;
    std::size_t i = 0;
    for (std::int64_t const n : ns) {
        if (i++ % every == 0) svg += label(x + width / 2, bottom + 16, "middle", std::to_string(n));
        x += width;
    }
    return svg +
           label(430,
                 bottom + 34,
                 "middle",
                 across + " (the brightest: " + lkt::to_string(most) +
                     "; each is the best of its products)") +
           "</svg>\n";
}

inline std::string bars(scan_table const& best) {
    constexpr std::size_t most_bars = 100;
    flop_rate most;
    for (scan_row const& row : best) most = std::max({most, row.rate(), row.roof});
    auto const shown = std::min(best.size(), most_bars);
    std::string svg = "<svg viewBox=\"0 0 800 " + std::to_string(20 * shown + 10) +
                      "\" role=\"img\"><title>What each product reaches</title>\n";
    for (std::size_t i = 0; i < shown; ++i) {
        auto const& row = best[i];
        double const y = 20.0 * static_cast<double>(i), length = 380 * (row.rate() / most);
        svg += label(294, y + 14, "end", html(to_string(row.spec)));
        svg += "<rect class=\"bar\" x=\"300\" y=\"" + px(y + 3) + "\" width=\"" + px(length) +
               "\" height=\"14\">" + tooltip(row) + "</rect>\n";
        if (row.roof > flop_rate()) {
            double const at = 300 + 380 * (row.roof / most);
            svg += line(at, y + 1, at, y + 19, "roof");
        }
        svg += label(690,
                     y + 14,
                     "start",
                     significant(row.rate() / teraflop_per_second) +
                         (row.share() > 0
                              ? " (" + significant(std::round(1000 * row.share()) / 10) + " %)"
                              : std::string()));
    }
    svg += "</svg>\n";
    if (shown < best.size())
        svg += "<p>The first " + std::to_string(shown) + " of " + std::to_string(best.size()) +
               " products.</p>\n";
    return svg;
}

inline constexpr std::string_view page_head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Scan</title>
<style>
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #ddd; --mark: #1565c0; --roof: #c62828; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --paper: #181818; --faint: #3a3a3a; --mark: #64b5f6; --roof: #ef9a9a; } }
body { font: 15px system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60em; margin: 2em auto; padding: 0 1em; }
svg { width: 100%; height: auto; } text { font-size: 12px; fill: var(--ink); }
.grid { stroke: var(--faint); } .roof { stroke: var(--roof); stroke-width: 2; fill: none; }
circle, .bar { fill: var(--mark); fill-opacity: .75; }
</style></head><body>
<h1>Scan</h1>
)";

} // namespace detail::scan

std::string scan_page(scan_table const& table, std::optional<accelerator> const& device) {
    using namespace detail::scan;
    std::string page(page_head);
    if (device)
        page += "<p>Roof: " + html(device->name) + ", " + lkt::to_string(device->bandwidth) + "; " +
                html(device->source) + ".</p>\n";
    auto const best = best_of(table);
    if (best.empty()) page += "<p>Nothing was measured.</p>\n";
    constexpr std::pair<scan_operation, char const*> operations[] = {
        {gemm_spec::operation, "Matrix products"},
        {convolution_spec::operation, "Convolutions"},
        {elementwise_spec::operation, "Element-wise operations"}};
    for (auto const& [operation, title] : operations)
        for (gemm_type const type : every_gemm_type) {
            auto const own = filter(best, [&, name = operation](scan_row const& row) {
                return row.spec.operation() == name && row.spec.type() == type;
            });
            if (own.empty()) continue;
            page += "<h2>" + std::string(title) + ", " + std::string(to_string(type)) +
                    "</h2>\n<h3>Roofline</h3>\n" +
                    roofline_figure(own, type, device ? &*device : nullptr) + "<h3>Sizes</h3>\n" +
                    heat_map(own) + "<h3>TFLOP/s, and the share of the roof</h3>\n" + bars(own);
        }
    std::size_t without = 0;
    for (scan_row const& row : table) without += row.measured() ? 0 : 1;
    if (without > 0) page += "<p>" + std::to_string(without) + " products have no numbers.</p>\n";
    return page + "</body></html>\n";
}

} // namespace lkt
