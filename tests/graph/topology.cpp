// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/topology.hpp>

#include <doctest/doctest.h>

#include "machines.hpp"

using namespace machines;

TEST_CASE("types become indices: edges, limits and terminals") {
    constexpr auto const& map = decltype(refine::graph)::map;
    // Terminals count as the clauses name them: gave_up, tuned, broke.
    CHECK(decltype(refine::graph)::terminal_count == 3);
    CHECK(map.edge(0, 0) == 1);
    CHECK(map.outcomes(0) == 1);
    CHECK(map.outcomes(3) == 3);
    CHECK(map.edge(1, 0) == 3);
    CHECK(map.edge(1, 1) == 2);
    CHECK(map.edge(3, 0) == -2);
    CHECK(map.edge(3, 1) == 0);
    CHECK(map.edge(3, 2) == -3);
    CHECK(map.rows[0].limit_clause == 0);
    CHECK(map.rows[0].limit_to == -1);
    CHECK(map.rows[1].limit_clause == -1);
    CHECK(map.rows[1].error_to[0] == lkt::detail::no_target);
    CHECK(map.verdict == lkt::report{});
}

namespace {

inline constexpr auto a = [](state&) -> void {};
inline constexpr auto b = [](state&) -> void {};
inline constexpr auto c = [](state&) -> built { return built::ok; };

} // namespace

TEST_CASE("a cycle without a limit is found, and named by a node on it") {
    // The entry only leads to the cycle.
    constexpr auto r =
        lkt::report_of<state>(node<a>(to(b)),
                              node<b>(to(c)),
                              node<c>(on<built::ok>(stop<tuned>), on<built::rejected>(b)));
    CHECK(r.kind == lkt::defect::unbounded_loop);
    CHECK(r.node == 1);
}

TEST_CASE("a limit whose target leads back into its cycle bounds nothing") {
    constexpr auto r =
        lkt::report_of<state>(node<a>(limit<3>(b), to(c)),
                              node<b>(to(a)),
                              node<c>(on<built::ok>(stop<tuned>), on<built::rejected>(a)));
    CHECK(r.kind == lkt::defect::unbounded_loop);
}

TEST_CASE("a limit that leads to another limited node on the way out is enough") {
    constexpr auto r =
        lkt::report_of<state>(node<a>(limit<3>(b), to(c)),
                              node<b>(limit<3>(stop<gave_up>), to(a)),
                              node<c>(on<built::ok>(stop<tuned>), on<built::rejected>(a)));
    CHECK(r.kind == lkt::defect::none);
}

TEST_CASE("a self loop is a cycle") {
    constexpr auto r =
        lkt::report_of<state>(node<c>(on<built::ok>(stop<tuned>), on<built::rejected>(c)));
    CHECK(r.kind == lkt::defect::unbounded_loop);
    constexpr auto limited = lkt::report_of<state>(
        node<c>(limit<2>(stop<tuned>), on<built::ok>(stop<tuned>), on<built::rejected>(c)));
    CHECK(limited.kind == lkt::defect::none);
}

TEST_CASE("an error edge can close a cycle, and can be the only way to a node") {
    constexpr auto loop =
        lkt::report_of<state>(node<ask>(to(stop<tuned>), on_error<transient>(ask)));
    CHECK(loop.kind == lkt::defect::unbounded_loop);
    constexpr auto reached = lkt::report_of<state>(
        node<ask>(to(stop<tuned>), on_error<exhausted>(a)), node<a>(to(stop<gave_up>)));
    CHECK(reached.kind == lkt::defect::none);
}

TEST_CASE("a limit's edge can be the only way to a node") {
    constexpr auto r =
        lkt::report_of<state>(node<a>(limit<3>(b), to(c)),
                              node<b>(to(stop<gave_up>)),
                              node<c>(on<built::ok>(stop<tuned>), on<built::rejected>(a)));
    CHECK(r.kind == lkt::defect::none);
}
