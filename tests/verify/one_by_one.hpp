// SPDX-License-Identifier: BSL-1.0
// Where elements lie, said by going through all of them one by one: what the descriptions that go
// through words must say too.
#pragma once

#include <lkt/verify/pattern.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace test::one_by_one {

/// What is said of elements, and how many it holds for.
using fit = std::pair<std::string, std::uint64_t>;

/// A set of whole numbers below `end` that has a short description.
inline std::optional<fit>
describe_axis(std::vector<std::uint64_t> const& in, std::uint64_t end, std::string const& unit) {
    auto const number = [](std::uint64_t v) { return std::to_string(v); };
    auto const exactly = [&](std::string const& text) { return fit{text, in.size()}; };
    if (in.size() == end) return exactly("every " + unit);
    std::uint64_t const first = in.front(), last = in.back();
    if (last - first + 1 == in.size()) {
        if (first == last) {
            if (last + 1 == end && end > 1)
                return exactly("the last " + unit + " (" + number(first) + ")");
            return exactly(unit + " " + number(first));
        }
        if (last + 1 == end) {
            // The greatest power of two whose multiples end here hints at a tile without a tail.
            std::uint64_t tile = 1;
            while (first % (tile * 2) == 0 && tile * 2 <= first) tile *= 2;
            std::string text = "the " + unit + "s from " + number(first) + " on";
            if (tile >= 4 && end - first < tile)
                text += ", after the last multiple of " + number(tile);
            return exactly(text);
        }
        return exactly(unit + "s " + number(first) + " to " + number(last));
    }
    std::uint64_t const step = in[1] - in[0];
    bool regular = in.size() > 2;
    for (std::size_t k = 1; k < in.size(); ++k) regular = regular && in[k] - in[k - 1] == step;
    if (regular && first < step && last + step >= end)
        return exactly("every " + lkt::detail::ordinal(step) + " " + unit + " from " +
                       number(first) + " on");
    // Both sides of the borders between tiles of one width, the widest that fits.
    for (std::uint64_t tile = 1024; tile >= 4; tile /= 2) {
        if (tile * 2 > end) continue;
        auto const at_border = [&](std::uint64_t v) {
            return v % tile == 0 || v % tile == tile - 1;
        };
        std::uint64_t const borders = (end + tile - 1) / tile + end / tile;
        if (in.size() >= borders / 2 && std::all_of(in.begin(), in.end(), at_border))
            return fit{unit + "s at the borders of tiles of " + number(tile), borders};
    }
    return std::nullopt;
}

/// Rows times columns: both axes of the marked elements, if these are a full product of the two;
/// else all else that holds for them.
inline std::vector<fit>
describe_product(std::vector<bool> const& wrong, std::uint64_t count, std::uint64_t columns) {
    std::uint64_t const rows = wrong.size() / columns;
    std::vector<bool> in_row(rows), in_column(columns);
    bool diagonal = rows == columns, below = diagonal, above = diagonal, rim = true;
    for (std::uint64_t r = 0; r < rows; ++r)
        for (std::uint64_t c = 0; c < columns; ++c) {
            if (!wrong[r * columns + c]) continue;
            in_row[r] = in_column[c] = true;
            diagonal = diagonal && r == c;
            below = below && c < r;
            above = above && c > r;
            rim = rim && (r == 0 || c == 0 || r + 1 == rows || c + 1 == columns);
        }
    auto const members = [](std::vector<bool> const& marks) {
        std::vector<std::uint64_t> in;
        for (std::uint64_t k = 0; k < marks.size(); ++k)
            if (marks[k]) in.push_back(k);
        return in;
    };
    auto const r = members(in_row), c = members(in_column);
    std::string const shape =
        " of " + std::to_string(rows) + " x " + std::to_string(columns) + " (rows x columns)";
    if (count > 1 && r.size() * c.size() == count) {
        auto const in_rows = describe_axis(r, rows, "row");
        auto const in_columns = describe_axis(c, columns, "column");
        if (in_rows && in_columns)
            return {{in_rows->first + " x " + in_columns->first + shape,
                     in_rows->second * in_columns->second}};
    }
    if (count <= 2) return {};
    std::vector<fit> all;
    std::uint64_t const triangle = rows * (rows - 1) / 2;
    if (diagonal) all.push_back({"on the diagonal" + shape, rows});
    if (below && count * 4 > wrong.size())
        all.push_back({"only below the diagonal" + shape, triangle});
    if (above && count * 4 > wrong.size())
        all.push_back({"only above the diagonal" + shape, triangle});
    std::uint64_t outermost = 0;
    for (std::uint64_t k = 0; k < wrong.size(); ++k) {
        std::uint64_t const row = k / columns, column = k % columns;
        outermost += row == 0 || column == 0 || row + 1 == rows || column + 1 == columns;
    }
    if (rim) all.push_back({"only in the outermost rows and columns" + shape, outermost});
    // Rows (or columns) that are wrong in places only.
    if (r.size() < rows)
        if (auto in = describe_axis(r, rows, "row"))
            all.push_back({"only in " + in->first + shape, in->second * columns});
    if (c.size() < columns)
        if (auto in = describe_axis(c, columns, "column"))
            all.push_back({"only in " + in->first + shape, in->second * rows});
    return all;
}

inline std::string describe_location(std::vector<bool> const& wrong,
                                     std::span<std::int64_t const> extents) {
    std::vector<std::uint64_t> in;
    for (std::uint64_t k = 0; k < wrong.size(); ++k)
        if (wrong[k]) in.push_back(k);
    if (in.empty()) return {};
    std::string const total = std::to_string(wrong.size());
    if (in.size() == wrong.size()) return "all " + total + " elements";
    if (in.size() == 1) return "only element " + std::to_string(in.front());
    std::vector<fit> all;
    auto const add = [&](std::vector<fit> const& more) {
        all.insert(all.end(), more.begin(), more.end());
    };
    for (std::size_t i = 0; i < extents.size(); ++i)
        for (std::size_t j = 0; j < extents.size(); ++j) {
            if (i == j || extents[i] < 2 || extents[j] < 2) continue;
            auto const rows = static_cast<std::uint64_t>(extents[i]);
            auto const columns = static_cast<std::uint64_t>(extents[j]);
            if (wrong.size() % columns != 0 || wrong.size() / columns != rows) continue;
            add(describe_product(wrong, in.size(), columns));
        }
    // A square matrix of one named extent.
    for (std::int64_t extent : extents) {
        auto const side = static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
        if (side < 2 || wrong.size() % side != 0 || wrong.size() / side != side) continue;
        add(describe_product(wrong, in.size(), side));
    }
    if (auto line = describe_axis(in, wrong.size(), "element")) add({*line});
    // The one that holds for the fewest; of several the first.
    if (auto const best = std::min_element(
            all.begin(), all.end(), [](fit const& a, fit const& b) { return a.second < b.second; });
        best != all.end())
        return best->first;
    // The right ones may be easier to name.
    std::vector<std::uint64_t> right;
    for (std::uint64_t k = 0; k < wrong.size() && right.size() <= in.size(); ++k)
        if (!wrong[k]) right.push_back(k);
    if (right.size() < in.size() / 2)
        if (auto line = describe_axis(right, wrong.size(), "element"))
            return "all but " + line->first;
    std::uint64_t step = 0;
    for (std::uint64_t k : in) step = std::gcd(step, k - in.front());
    // How many there are is said beside a location, and would be said twice.
    std::string text = "scattered between elements " + std::to_string(in.front()) + " and " +
                       std::to_string(in.back());
    if (step > 1)
        text += ", all of them " + std::to_string(in.front() % step) + " modulo " +
                std::to_string(step);
    return text;
}

} // namespace test::one_by_one
