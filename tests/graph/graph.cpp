// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/graph.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <variant>

#include "machines.hpp"

using namespace machines;
using lkt::defect;
using lkt::report_of;

TEST_CASE("the outcome is the variant of the terminals") {
    CHECK(std::is_same_v<lkt::outcome_of<refine>, std::variant<gave_up, tuned, broke>>);
    CHECK(std::is_empty_v<std::remove_const_t<decltype(refine::graph)>>);
    CHECK(decltype(refine::graph)::valid);
    CHECK_FALSE(decltype(refine::graph)::fallible);
    CHECK(decltype(asking::graph)::fallible);
    CHECK(decltype(campaign::graph)::fallible); // through its nested graph
}

TEST_CASE("a correct graph has no defect") {
    constexpr auto r = report_of<state>(
        node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(stop<gave_up>)));
    CHECK(r == lkt::report{});
}

TEST_CASE("missing-edge: the outcome without a clause") {
    constexpr auto r = report_of<state>(node<build>(on<built::ok>(stop<tuned>)));
    CHECK(r.kind == defect::missing_edge);
    CHECK(r.node == 0);
    CHECK(r.outcome == 1);
    CHECK(report_of<state>(node<propose>()).kind == defect::missing_edge);
    CHECK(
        report_of<state>(node<sub<refine>>(on<tuned>(stop<tuned>), on<broke>(stop<broke>))).kind ==
        defect::missing_edge);
}

TEST_CASE("duplicate-edge: an outcome, a condition or a policy given twice") {
    constexpr auto r = report_of<state>(node<build>(on<built::ok>(stop<tuned>),
                                                    on<built::ok>(stop<gave_up>),
                                                    on<built::rejected>(stop<tuned>)));
    CHECK(r.kind == defect::duplicate_edge);
    CHECK(r.clause == 1);
    CHECK(report_of<state>(node<ask>(to(stop<tuned>),
                                     on_error<transient>(stop<gave_up>),
                                     on_error<transient>(stop<tuned>)))
              .kind == defect::duplicate_edge);
    CHECK(
        report_of<state>(node<ask>(retrying<lkt::never>(), retrying<lkt::fixed>(), to(stop<tuned>)))
            .kind == defect::duplicate_edge);
}

TEST_CASE("foreign-outcome: a clause that can never fire") {
    CHECK(report_of<state>(node<build>(on<verdict::wrong>(stop<tuned>))).kind ==
          defect::foreign_outcome);
    CHECK(report_of<state>(node<build>(on<true>(stop<tuned>))).kind == defect::foreign_outcome);
    CHECK(report_of<state>(node<build>(on<tuned>(stop<tuned>))).kind == defect::foreign_outcome);
    CHECK(report_of<state>(node<propose>(on<built::ok>(stop<tuned>))).kind ==
          defect::foreign_outcome);
    CHECK(report_of<state>(node<propose>(to(stop<tuned>), on_error<transient>(stop<tuned>))).kind ==
          defect::foreign_outcome);
    CHECK(report_of<state>(node<propose>(to(stop<tuned>), retrying<lkt::never>())).kind ==
          defect::foreign_outcome);
}

TEST_CASE("unknown-target: an edge to a node that the graph lacks") {
    constexpr auto r = report_of<state>(node<propose>(to(build)));
    CHECK(r.kind == defect::unknown_target);
    CHECK(r.clause == 0);
    CHECK(report_of<state>(node<propose>(limit<3>(build), to(stop<tuned>))).kind ==
          defect::unknown_target);
}

TEST_CASE("unreachable-node: nothing leads to it") {
    constexpr auto r =
        report_of<state>(node<propose>(to(stop<tuned>)), node<repair>(to(stop<tuned>)));
    CHECK(r.kind == defect::unreachable_node);
    CHECK(r.node == 1);
}

TEST_CASE("no-way-out: no path to a terminal") {
    constexpr auto r =
        report_of<state>(node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(repair)),
                         node<repair>(limit<3>(propose), to(propose)),
                         node<propose>(to(repair)));
    CHECK(r.kind == defect::no_way_out);
    CHECK(r.node == 1);
    CHECK(report_of<state>(node<propose>(limit<3>(propose), to(propose))).kind ==
          defect::no_way_out);
}

TEST_CASE("unbounded-loop: a cycle without a limit") {
    CHECK(report_of<state>(node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(build)))
              .kind == defect::unbounded_loop);
}

namespace {

inline constexpr auto again = propose;
inline constexpr struct counting_fn {
    int step = 1;
    constexpr void operator()(state& s) const { s.rounds += step; }
} counting{};
void plain(state&) {}
inline constexpr auto number = [](state&) -> int { return 1; };
struct loaded {
    int n;
};
inline constexpr auto carrying = [](state&) -> std::variant<tuned, loaded> { return tuned{}; };
struct elsewhere {
    int most = 3;
};
inline constexpr auto far = [](elsewhere&) -> void {};
inline constexpr auto unstated = [](state&, int, int) -> void {};

} // namespace

TEST_CASE("duplicate-node: a node is its type, whatever its name") {
    constexpr auto r = report_of<state>(node<propose>(to(again)), node<again>(to(stop<tuned>)));
    CHECK(r.kind == defect::duplicate_node);
    CHECK(r.node == 1);
}

TEST_CASE("duplicate-limit: two limits on one node") {
    constexpr auto r =
        report_of<state>(node<propose>(limit<2>(stop<tuned>), limit<3>(stop<tuned>), to(propose)));
    CHECK(r.kind == defect::duplicate_limit);
    CHECK(r.clause == 1);
}

TEST_CASE("stateful-node: data in the node, or a plain function") {
    CHECK(report_of<state>(node<counting>(to(stop<tuned>))).kind == defect::stateful_node);
    CHECK(report_of<state>(node<plain>(to(stop<tuned>))).kind == defect::stateful_node);
    CHECK(report_of<state>(node<fn<&plain>>(to(stop<tuned>))).kind == defect::none);
}

TEST_CASE("outcome-with-data: in the return type or in a terminal") {
    CHECK(report_of<state>(node<number>(to(stop<tuned>))).kind == defect::outcome_with_data);
    CHECK(report_of<state>(node<carrying>(on<tuned>(stop<tuned>))).kind ==
          defect::outcome_with_data);
    constexpr auto r = report_of<state>(node<propose>(to(stop<loaded>)));
    CHECK(r.kind == defect::outcome_with_data);
    CHECK(r.clause == 0);
}

TEST_CASE("wrong-state: a node, a nested graph or a limit of another state") {
    CHECK(report_of<state>(node<far>(to(stop<tuned>))).kind == defect::wrong_state);
    CHECK(report_of<state>(node<unstated>(to(stop<tuned>))).kind == defect::wrong_state);
    CHECK(report_of<elsewhere>(node<sub<refine>>(on<tuned>(stop<tuned>))).kind ==
          defect::wrong_state);
    constexpr auto r =
        report_of<state>(node<propose>(limit<&elsewhere::most>(stop<tuned>), to(propose)));
    CHECK(r.kind == defect::wrong_state);
    CHECK(r.clause == 0);
}

TEST_CASE("of several defects the most fundamental is reported") {
    CHECK(report_of<state>(node<counting>(to(stop<loaded>)), node<build>()).kind ==
          defect::stateful_node);
    // An unreachable node, a missing edge and a foreign outcome.
    CHECK(report_of<state>(node<propose>(to(stop<tuned>), on<built::ok>(stop<tuned>)),
                           node<build>(on<built::ok>(stop<tuned>)))
              .kind == defect::foreign_outcome);
}

TEST_CASE("equal names are numbered") {
    CHECK(decltype(refine::graph)::names[2] == "repair");
    CHECK(lkt::graph_name<refine> == "refine");
}

namespace {
namespace one {
inline constexpr auto duplicate = [](state&) -> void {};
}
namespace two {
inline constexpr auto duplicate = [](state&) -> void {};
}
struct duplicates {
    static constexpr auto graph = lkt::graph<state>(node<one::duplicate>(to(two::duplicate)),
                                                    node<two::duplicate>(to(stop<tuned>)));
};
} // namespace

TEST_CASE("the second of two equal names gets #2") {
    CHECK(decltype(duplicates::graph)::names[0] == "duplicate");
    CHECK(decltype(duplicates::graph)::names[1] == "duplicate#2");
}
