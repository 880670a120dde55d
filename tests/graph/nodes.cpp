// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/nodes.hpp>

#include <doctest/doctest.h>

#include <boost/hana/contains.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/front.hpp>
#include <boost/hana/length.hpp>

#include "machines.hpp"

namespace hana = boost::hana;
using namespace machines;

TEST_CASE("the nodes of a graph are a Hana list of types, the entry first") {
    CHECK(decltype(hana::length(lkt::nodes_of<refine>))::value == 4);
    using entry = typename std::remove_cvref_t<decltype(hana::front(lkt::nodes_of<refine>))>::type;
    CHECK(std::is_same_v<entry, std::remove_const_t<decltype(propose)>>);
    constexpr auto build_type = hana::type_c<std::remove_const_t<decltype(build)>>;
    constexpr auto ask_type = hana::type_c<std::remove_const_t<decltype(ask)>>;
    CHECK(decltype(hana::contains(lkt::nodes_of<refine>, build_type))::value);
    CHECK_FALSE(decltype(hana::contains(lkt::nodes_of<refine>, ask_type))::value);
}

TEST_CASE("terminals and names match the tables") {
    constexpr auto expected = hana::tuple_t<gave_up, tuned, broke>;
    CHECK(decltype(lkt::terminals_of<refine> == expected)::value);
    CHECK(lkt::node_names<refine>.size() == 4);
    CHECK(lkt::node_names<refine>[1] == "build");
}
