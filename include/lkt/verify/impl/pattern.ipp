// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/pattern.hpp>

#include <lkt/verify/detail/chunks.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace lkt {

namespace detail {

std::string ordinal(std::uint64_t n) {
    bool const teen = n / 10 % 10 == 1;
    std::uint64_t const last = teen ? 0 : n % 10;
    return std::to_string(n) + (last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

/// Whether only first and last elements of tiles of this width, a power of two, are marked.
bool only_at_borders(element_set const& in, std::uint64_t tile) {
    std::uint64_t within = 0; // one word of narrow tiles
    for (std::uint64_t k = 0; k < 64; k += tile)
        within |= std::uint64_t{1} << k | std::uint64_t{1}
                                              << std::min<std::uint64_t>(k + tile - 1, 63);
    std::uint64_t const words = std::max<std::uint64_t>(tile / 64, 1); // of a wide one
    auto const all = in.words();
    for (std::size_t w = 0; w < all.size(); ++w) {
        if (all[w] == 0) continue;
        std::uint64_t borders = within;
        if (w % words != 0) borders &= ~std::uint64_t{1};
        if (w % words != words - 1) borders &= ~std::uint64_t{0} >> 1;
        if ((all[w] & ~borders) != 0) return false;
    }
    return true;
}

/// Where elements are, and how many the words hold for: the fewer, the more they say.
struct fit {
    std::string text;
    std::uint64_t covers = 0;
};
/// Of two that cover as many the first.
void take_tighter(std::optional<fit>& best, std::optional<fit> other) {
    if (other && (!best || other->covers < best->covers)) best = std::move(other);
}

/// A set of whole numbers that has a short description; not of an empty one.
std::optional<fit> describe_axis(element_set const& in, std::string const& unit) {
    auto const number = [](std::uint64_t v) { return std::to_string(v); };
    std::uint64_t const end = in.size(), count = in.count();
    auto const all_of_them = [&](std::string text) { return fit{std::move(text), count}; };
    if (count == end) return all_of_them("every " + unit);
    std::uint64_t const first = in.next(0), last = in.last();
    if (last - first + 1 == count) {
        if (first == last) {
            return all_of_them(last + 1 == end && end > 1
                                   ? "the last " + unit + " (" + number(first) + ")"
                                   : unit + " " + number(first));
        }
        if (last + 1 == end) {
            // The greatest power of two whose multiples end here hints at a tile without a tail.
            std::uint64_t tile = 1;
            while (first % (tile * 2) == 0 && tile * 2 <= first) tile *= 2;
            std::string text = "the " + unit + "s from " + number(first) + " on";
            if (tile >= 4 && end - first < tile)
                text += ", after the last multiple of " + number(tile);
            return all_of_them(text);
        }
        return all_of_them(unit + "s " + number(first) + " to " + number(last));
    }
    std::uint64_t const step = in.next(first + 1) - first;
    if (count > 2 && first < step && last + step >= end) {
        std::uint64_t expected = first;
        auto const regular = [&](std::uint64_t k) {
            bool const as_expected = k == expected;
            expected += step;
            return as_expected;
        };
        if (in.all_of(regular))
            return all_of_them("every " + ordinal(step) + " " + unit + " from " + number(first) +
                               " on");
    }
    // Both sides of the borders between tiles of one width, the widest that fits.
    for (std::uint64_t tile = 1024; tile >= 4; tile /= 2) {
        if (tile * 2 > end) continue;
        std::uint64_t const borders = (end + tile - 1) / tile + end / tile;
        if (count >= borders / 2 && only_at_borders(in, tile))
            return fit{unit + "s at the borders of tiles of " + number(tile), borders};
    }
    return std::nullopt;
}

/// What the marks of some rows of a matrix have in common.
struct marks_of_rows {
    element_set columns; ///< those with a mark
    bool diagonal = true, below = true, above = true, rim = true;

    /// Takes in a row with a mark.
    void add(element_set const& wrong, std::uint64_t row, std::uint64_t rows) {
        std::uint64_t const width = columns.size(), start = row * width;
        std::uint64_t low = width, high = 0;
        bool inner = false;
        for (std::uint64_t c = 0; c < width; c += 64) {
            std::uint64_t bits = wrong.bits_from(start + c);
            if (width - c < 64) bits &= (std::uint64_t{1} << (width - c)) - 1;
            if (bits == 0) continue;
            columns.mark_word(c, bits);
            if (low == width) low = c + static_cast<std::uint64_t>(std::countr_zero(bits));
            high = c + 63 - static_cast<std::uint64_t>(std::countl_zero(bits));
            if (c == 0) bits &= ~std::uint64_t{1};
            if (width - c <= 64) bits &= ~(std::uint64_t{1} << (width - c - 1));
            inner = inner || bits != 0;
        }
        diagonal = diagonal && low == row && high == row;
        below = below && high < row;
        above = above && low > row;
        rim = rim && (row == 0 || row + 1 == rows || !inner);
    }
    void add(marks_of_rows const& o) {
        for (std::size_t w = 0; w < o.columns.words().size(); ++w)
            columns.mark_word(w * 64, o.columns.words()[w]);
        diagonal = diagonal && o.diagonal;
        below = below && o.below;
        above = above && o.above;
        rim = rim && o.rim;
    }
};

/// Rows times columns: both axes of the marked elements, if these are a full product of the two;
/// else the tightest of what else holds for all of them.
std::optional<fit>
describe_product(element_set const& wrong, std::uint64_t count, std::uint64_t columns) {
    std::uint64_t const rows = wrong.size() / columns;
    element_set in_row(rows);
    std::vector<marks_of_rows> parts(chunks_in(rows), marks_of_rows{element_set(columns)});
    auto const look = [&](std::size_t chunk, std::size_t first, std::size_t last) noexcept {
        for (std::uint64_t k = wrong.next(first * columns); k < last * columns;) {
            std::uint64_t const row = k / columns;
            in_row.mark(row); // no page of which two chunks share
            parts[chunk].add(wrong, row, rows);
            k = wrong.next((row + 1) * columns);
        }
    };
    (void)for_each_chunk(rows, threads_for(rows), {}, look); // nobody stops it
    marks_of_rows all = std::move(parts.front());
    for (std::size_t k = 1; k < parts.size(); ++k) all.add(parts[k]);
    std::string const shape =
        " of " + std::to_string(rows) + " x " + std::to_string(columns) + " (rows x columns)";
    if (count > 1 && in_row.count() * all.columns.count() == count) {
        auto const in_rows = describe_axis(in_row, "row");
        auto const in_columns = describe_axis(all.columns, "column");
        if (in_rows && in_columns)
            return fit{in_rows->text + " x " + in_columns->text + shape,
                       in_rows->covers * in_columns->covers};
    }
    if (count <= 2) return std::nullopt;
    bool const square = rows == columns, many = count * 4 > wrong.size();
    std::optional<fit> best;
    auto const add = [&](std::string const& text, std::uint64_t covers) {
        take_tighter(best, fit{text + shape, covers});
    };
    if (square && all.diagonal) add("on the diagonal", rows);
    if (square && all.below && many) add("only below the diagonal", rows * (rows - 1) / 2);
    if (square && all.above && many) add("only above the diagonal", rows * (rows - 1) / 2);
    if (all.rim) {
        std::uint64_t const inner = rows > 2 && columns > 2 ? (rows - 2) * (columns - 2) : 0;
        add("only in the outermost rows and columns", rows * columns - inner);
    }
    // Rows (or columns) that are wrong in places only.
    if (in_row.count() < rows)
        if (auto const in = describe_axis(in_row, "row"))
            add("only in " + in->text, in->covers * columns);
    if (all.columns.count() < columns)
        if (auto const in = describe_axis(all.columns, "column"))
            add("only in " + in->text, in->covers * rows);
    return best;
}

/// The marked elements as those of a matrix whose extents are the problem's, in the order of which
/// they are described the tightest.
std::optional<fit> describe_in_matrix(element_set const& wrong,
                                      std::uint64_t count,
                                      std::span<std::int64_t const> extents) {
    std::vector<std::uint64_t> tried; // another extent of the same size says nothing new
    std::optional<fit> best;
    auto const with = [&](std::uint64_t columns) {
        if (std::find(tried.begin(), tried.end(), columns) != tried.end()) return;
        tried.push_back(columns);
        take_tighter(best, describe_product(wrong, count, columns));
    };
    for (std::size_t i = 0; i < extents.size(); ++i)
        for (std::size_t j = 0; j < extents.size(); ++j) {
            if (i == j || extents[i] < 2 || extents[j] < 2) continue;
            auto const rows = static_cast<std::uint64_t>(extents[i]);
            auto const columns = static_cast<std::uint64_t>(extents[j]);
            if (wrong.size() % columns != 0 || wrong.size() / columns != rows) continue;
            with(columns);
        }
    // A square matrix of one named extent.
    for (std::int64_t extent : extents) {
        auto const side = static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1));
        if (side < 2 || wrong.size() % side != 0 || wrong.size() / side != side) continue;
        with(side);
    }
    return best;
}

} // namespace detail

std::string describe_location(element_set const& wrong, std::span<std::int64_t const> extents) {
    std::uint64_t const count = wrong.count();
    if (count == 0) return {};
    std::string const total = std::to_string(wrong.size());
    if (count == wrong.size()) return "all " + total + " elements";
    std::uint64_t const first = wrong.next(0), last = wrong.last();
    if (count == 1) return "only element " + std::to_string(first);
    auto best = detail::describe_in_matrix(wrong, count, extents);
    detail::take_tighter(best, detail::describe_axis(wrong, "element"));
    if (best) return best->text;
    // The right ones may be easier to name.
    if (wrong.size() - count < count / 2)
        if (auto const right = detail::describe_axis(wrong.others(), "element"))
            return "all but " + right->text;
    std::uint64_t step = 0, before = first;
    (void)wrong.all_of([&](std::uint64_t k) {
        if (step == 0 || (k - before) % step != 0) step = std::gcd(step, k - before);
        before = k;
        return step != 1;
    });
    // How many there are is said beside a location, and would be said twice.
    std::string text =
        "scattered between elements " + std::to_string(first) + " and " + std::to_string(last);
    if (step > 1)
        text += ", all of them " + std::to_string(first % step) + " modulo " + std::to_string(step);
    return text;
}

} // namespace lkt
