// SPDX-License-Identifier: BSL-1.0
// What the compiler prints is tested in tests/compile_fail/graph; here, which diagnostic is chosen.
#include <lkt/graph/diagnose.hpp>

#include <doctest/doctest.h>

#include <type_traits>

#include "machines.hpp"

using namespace machines;

namespace {

template <class... Ts>
using first_no_clause = typename lkt::detail::first_without<lkt::detail::is_clause, Ts...>::type;
using clause = lkt::clauses::to<lkt::stop_t<tuned>>;

} // namespace

TEST_CASE("the first argument that is no clause is the offending part") {
    CHECK(std::is_same_v<first_no_clause<clause, int, char>, int>);
    CHECK(std::is_same_v<first_no_clause<clause, lkt::absent>, void>);
    CHECK(std::is_same_v<first_no_clause<>, void>);
}

TEST_CASE("nodes and absent nodes are told from anything else") {
    CHECK(lkt::detail::is_node_or_absent<lkt::absent>::value);
    CHECK(lkt::detail::is_node_or_absent<lkt::node_t<propose>>::value);
    CHECK_FALSE(lkt::detail::is_node_or_absent<int>::value);
}
