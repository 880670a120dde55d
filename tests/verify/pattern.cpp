// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/pattern.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <limits>

namespace {

std::string where(std::size_t count,
                  std::function<bool(std::size_t)> const& wrong,
                  std::vector<std::int64_t> const& extents = {}) {
    lkt::element_set marks(count);
    for (std::size_t k = 0; k < count; ++k) marks[k] = wrong(k);
    return lkt::describe_location(marks, extents);
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
