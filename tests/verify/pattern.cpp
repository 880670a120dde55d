// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/pattern.hpp>

#include <doctest/doctest.h>

#include "one_by_one.hpp"

#include <functional>
#include <limits>
#include <random>

namespace {

std::string where(std::size_t count,
                  std::function<bool(std::size_t)> const& wrong,
                  std::vector<std::int64_t> const& extents = {}) {
    lkt::element_set marks(count);
    std::vector<bool> listed(count);
    for (std::size_t k = 0; k < count; ++k)
        if (wrong(k)) marks.mark(k), listed[k] = true;
    auto text = lkt::describe_location(marks, extents);
    CHECK(text == test::one_by_one::describe_location(listed, extents));
    return text;
}

std::string in_matrix(std::size_t rows,
                      std::size_t columns,
                      std::function<bool(std::size_t, std::size_t)> const& wrong) {
    return where(rows * columns,
                 [&](std::size_t k) { return wrong(k / columns, k % columns); },
                 {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), 7});
}

} // namespace

TEST_CASE("patterns of a line of elements") {
    CHECK(where(100, [](auto) { return false; }) == "");
    CHECK(where(100, [](auto) { return true; }) == "all 100 elements");
    CHECK(where(1, [](auto) { return true; }) == "all 1 elements");
    CHECK(where(100, [](auto k) { return k == 42; }) == "only element 42");
    CHECK(where(1000, [](auto k) { return k >= 992; }) ==
          "the elements from 992 on, after the last multiple of 32");
    CHECK(where(1000, [](auto k) { return k >= 256; }) == "the elements from 256 on");
    CHECK(where(1000, [](auto k) { return k < 10; }) == "elements 0 to 9");
    CHECK(where(1000, [](auto k) { return k >= 500 && k < 600; }) == "elements 500 to 599");
    CHECK(where(1000, [](auto k) { return k % 4 == 1; }) == "every 4th element from 1 on");
    CHECK(where(1024, [](auto k) { return k % 128 == 0 || k % 128 == 127; }) ==
          "elements at the borders of tiles of 128");
    CHECK(where(1000, [](auto k) { return k % 4 != 1; }) == "all but every 4th element from 1 on");
    CHECK(where(1000, [](auto k) { return k != 3; }) == "all but element 3");
    CHECK(where(1000, [](auto k) { return k == 3 || k == 15 || k == 903; }) ==
          "scattered between elements 3 and 903, all of them 3 modulo 12");
    CHECK(where(1000, [](auto k) { return k == 3 || k == 14 || k == 904; }) ==
          "scattered between elements 3 and 904");
}

TEST_CASE("patterns of a matrix whose extents are the problem's") {
    std::string const shape = " of 48 x 100 (rows x columns)";
    CHECK(in_matrix(48, 100, [](auto, auto c) { return c >= 96; }) ==
          "every row x the columns from 96 on, after the last multiple of 32" + shape);
    CHECK(in_matrix(48, 100, [](auto r, auto) { return r == 47; }) ==
          "the last row (47) x every column" + shape);
    CHECK(in_matrix(48, 100, [](auto r, auto c) { return r < 16 && c < 16; }) ==
          "rows 0 to 15 x columns 0 to 15" + shape);
    CHECK(in_matrix(48, 100, [](auto, auto c) { return c % 4 == 3; }) ==
          "every row x every 4th column from 3 on" + shape);
    CHECK(in_matrix(48, 100, [](auto r, auto) { return r % 16 == 0 || r % 16 == 15; }) ==
          "rows at the borders of tiles of 16 x every column" + shape);
    CHECK(in_matrix(48, 100, [](auto r, auto c) {
              return r == 0 || c == 0 || r == 47 || c == 99;
          }) == "only in the outermost rows and columns" + shape);
    CHECK(in_matrix(48, 100, [](auto r, auto c) { return r >= 40 && (r + c) % 3 == 0; }) ==
          "only in the rows from 40 on" + shape);
}

TEST_CASE("of two matrices that the extents make, the one that says more") {
    // Rows of 48 elements, although the extents name the 100 last.
    CHECK(in_matrix(48, 100, [](auto r, auto c) { return (r * 100 + c) % 48 == 7; }) ==
          "every row x column 7 of 100 x 48 (rows x columns)");
    CHECK(where(6 * 100, [](auto k) { return k % 6 == 5; }, {6, 100}) ==
          "every row x the last column (5) of 100 x 6 (rows x columns)");
    // Where neither is exact, what holds for fewer elements is tighter.
    CHECK(where(20 * 30, [](auto k) { return k % 20 >= 17 && k % 7 != 0; }, {20, 30}) ==
          "only in the columns from 17 on of 30 x 20 (rows x columns)");
    // A line that is exact says more than rows that are wrong in places.
    CHECK(where(48 * 100, [](auto k) { return k % 37 == 5; }, {48, 100}) ==
          "every 37th element from 5 on");
}

TEST_CASE("patterns of a square matrix of one extent") {
    auto const square = [](std::function<bool(std::size_t, std::size_t)> const& wrong) {
        return where(32 * 32, [&](std::size_t k) { return wrong(k / 32, k % 32); }, {32});
    };
    std::string const shape = " of 32 x 32 (rows x columns)";
    CHECK(square([](auto r, auto c) { return r == c; }) == "on the diagonal" + shape);
    CHECK(square([](auto r, auto c) { return c < r; }) == "only below the diagonal" + shape);
    CHECK(square([](auto r, auto c) { return c > r; }) == "only above the diagonal" + shape);
    CHECK(square([](auto r, auto c) { return (r * 7 + c * 5) % 11 == 0; }) ==
          "scattered between elements 0 and 1019");
}

TEST_CASE("ordinals") {
    CHECK(lkt::detail::ordinal(2) + lkt::detail::ordinal(3) == "2nd3rd");
    CHECK(lkt::detail::ordinal(12) + lkt::detail::ordinal(21) == "12th21st");
    CHECK(lkt::detail::ordinal(111) + lkt::detail::ordinal(64) == "111th64th");
}

TEST_CASE("odd extents do no harm") {
    auto const one = [](std::size_t k) { return k == 2 || k == 5; };
    for (std::vector<std::int64_t> extents :
         {std::vector<std::int64_t>{0, -3, 10},
          {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()},
          {1, 10},
          {1000000}})
        CHECK(where(10, one, extents) ==
              "scattered between elements 2 and 5, all of them 2 modulo 3");
}

TEST_CASE("words say what going through every element says") {
    std::mt19937 random(11);
    auto const below = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    std::size_t told = 0, texts = 0;
    for (std::size_t rows : {2, 7, 63, 64, 65, 130})
        for (std::size_t columns : {2, 5, 63, 64, 65, 128, 129}) {
            CAPTURE(rows);
            CAPTURE(columns);
            std::size_t const n = rows * columns, a = below(rows), b = below(columns);
            std::size_t const c = a + below(rows - a), d = b + below(columns - b);
            std::size_t const step = 2 + below(9), offset = below(step), tile = 4u << below(5);
            double const share = std::vector{0.001, 0.01, 0.1, 0.5, 0.9, 0.999}[below(6)];
            auto const matrix = [&](std::function<bool(std::size_t, std::size_t)> const& wrong) {
                auto const text = in_matrix(rows, columns, wrong);
                told += text.find("scattered") == text.npos ? 1 : 0;
                ++texts;
            };
            auto const chance = [&](double p) { return std::bernoulli_distribution(p)(random); };
            auto const border = [&](std::size_t k) {
                return k % tile == 0 || k % tile == tile - 1;
            };
            matrix([&](auto, auto) { return chance(share); });
            matrix([&](auto r, auto) { return r >= a && r <= c; });
            matrix([&](auto, auto k) { return k >= b && k <= d; });
            matrix([&](auto r, auto k) { return r >= a && r <= c && k >= b && k <= d; });
            matrix([&](auto r, auto k) { return r >= a && r <= c && k >= b && chance(share); });
            matrix([&](auto r, auto k) { return r >= a && k <= d && (k != d || r != a); });
            matrix([&](auto r, auto k) { return r == k; });
            matrix([&](auto r, auto k) { return r + 1 == k || k + 1 == r; });
            matrix([&](auto r, auto k) { return k < r; });
            matrix([&](auto r, auto k) { return k <= r; });
            matrix([&](auto r, auto k) { return k > r; });
            matrix([&](auto r, auto k) { return k > r && chance(share); });
            matrix([&](auto r, auto k) {
                return r == 0 || k == 0 || r + 1 == rows || k + 1 == columns;
            });
            matrix([&](auto r, auto k) {
                return (r == 0 || k == 0 || r + 1 == rows || k + 1 == columns) && chance(share);
            });
            matrix([&](auto r, auto) { return border(r); });
            matrix([&](auto, auto k) { return border(k); });
            matrix([&](auto r, auto k) { return border(r * columns + k); });
            matrix([&](auto r, auto k) { return border(r * columns + k) && chance(share); });
            matrix([&](auto r, auto k) { return border(r) && border(k); });
            matrix([&](auto r, auto) { return r % step == offset; });
            matrix([&](auto, auto k) { return k % step == offset; });
            matrix([&](auto r, auto k) { return (r * columns + k) % step == offset; });
            matrix([&](auto r, auto k) { return (r * columns + k) % step != offset; });
            matrix([&](auto r, auto k) {
                return (r * columns + k) % step == offset && chance(share);
            });
            matrix([&](auto r, auto k) { return r * columns + k != a * columns + b; });
            // No matrix, or a square one of one extent.
            (void)where(n, [&](auto k) { return k >= a * columns + b; });
            (void)where(n, [&](auto k) { return k % step == offset; }, {7});
            (void)where(rows * rows,
                        [&](auto k) { return k % rows <= k / rows && chance(share); },
                        {static_cast<std::int64_t>(rows)});
        }
    CHECK(told > texts / 2);
}

TEST_CASE("chunks of rows on several threads say the same") {
    // Rows in thousands of words, and enough of them for threads.
    std::size_t const rows = (std::size_t{1} << 20) + 100;
    (void)in_matrix(rows, 2, [](auto r, auto c) { return r >= 70000 && r < 200000 && c == 1; });
    (void)in_matrix(rows, 2, [](auto r, auto c) { return r == 5 || (r == 900000 && c == 0); });
    // Columns in several words, with marks in the second chunk of rows alone.
    CHECK(in_matrix(66000, 70, [](auto r, auto c) { return r >= 65990 && c >= 66; }) ==
          "the rows from 65990 on x the columns from 66 on of 66000 x 70 (rows x columns)");
}
