// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/cursor.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>

#include <limits>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "machines.hpp"

using namespace machines;

TEST_CASE("a fresh cursor is at the entry, here and inside") {
    constexpr lkt::cursor<campaign> c;
    CHECK(c.at == 0);
    CHECK(c.visits.size() == 2);
    CHECK_FALSE(c.entered);
    CHECK_FALSE(c.finished());
    CHECK(c.valid());
    CHECK(std::tuple_size_v<decltype(c.inner)> == 1);
    CHECK(std::is_same_v<std::tuple_element_t<0, decltype(c.inner)>, lkt::cursor<asking>>);
    CHECK(std::tuple_size_v<decltype(lkt::cursor<refine>{}.inner)> == 0);
}

TEST_CASE("cursors are plain values") {
    lkt::cursor<campaign> a;
    auto b = a;
    CHECK(a == b);
    std::get<0>(b.inner).visits[0] = 3;
    CHECK_FALSE(a == b);
    CHECK(std::is_trivially_copyable_v<lkt::cursor<refine>>);
}

TEST_CASE("values that no run leaves behind are not valid, and are not run") {
    lkt::cursor<refine> c;
    c.at = 4;
    CHECK_FALSE(c.valid());
    state s;
    CHECK_THROWS_AS(lkt::run<refine>(s, c), std::out_of_range);
    c.at = -3;
    CHECK(c.valid());
    c.at = -4;
    CHECK_FALSE(c.valid());
    c.at = std::numeric_limits<int>::min();
    CHECK_FALSE(c.valid());
    c.at = 0;
    c.visits[1] = -1;
    CHECK_FALSE(c.valid());

    lkt::cursor<campaign> nested;
    std::get<0>(nested.inner).at = 2;
    CHECK_FALSE(nested.valid());
    CHECK(s.rounds == 0);
}
