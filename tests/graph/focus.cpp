// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/focus.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>

#include "machines.hpp"

using namespace machines;

namespace {

struct middle {
    state inner;
};
struct outer {
    middle part;
    int calls = 0;
};

void raise(outer& o) { ++o.calls; }
lkt::result<built> with_tools(outer& o, script& tools) {
    if (auto r = tools.next(); !r) return r.error();
    return o.calls > 2 ? built::ok : built::rejected;
}

struct two_levels {
    // A node on a part of a part, and a graph on one.
    static constexpr auto bump = focus<&outer::part>(focus<&middle::inner>(propose));
    static constexpr auto tune = focus<&outer::part>(focus<&middle::inner>(refine{}));
    static constexpr auto graph = lkt::graph<outer>(
        node<bump>(to(tune)),
        node<tune>(on<tuned>(fn<&raise>), on<gave_up>(stop<gave_up>), on<broke>(stop<broke>)),
        node<fn<&raise>>(to(stop<tuned>)));
};

struct functions {
    static constexpr auto graph = lkt::graph<outer>(
        node<fn<&raise>>(limit<5>(stop<gave_up>), to(fn<&with_tools>)),
        node<fn<&with_tools>>(on<built::ok>(stop<tuned>), on<built::rejected>(fn<&raise>)));
};

struct same_state {
    static constexpr auto graph = lkt::graph<state>(node<propose>(to(sub<refine>)),
                                                    node<sub<refine>>(on<tuned>(stop<tuned>),
                                                                      on<gave_up>(stop<gave_up>),
                                                                      on<broke>(stop<broke>)));
};

struct asking_part {
    static constexpr auto asks = focus<&campaign_state::tile>(ask);
    static constexpr auto graph = lkt::graph<campaign_state>(node<asks>(to(stop<tuned>)));
};

} // namespace

TEST_CASE("a node and a graph work on a part of a part of the state") {
    outer o;
    CHECK(std::holds_alternative<tuned>(lkt::run<two_levels>(o)));
    CHECK(o.part.inner.rounds > 1);
    CHECK(o.calls == 1);
    CHECK(decltype(two_levels::graph)::names[0] == "bump");
    CHECK(decltype(two_levels::graph)::names[1] == "tune");
}

TEST_CASE("plain functions are nodes of their own, and named after themselves") {
    outer o;
    script tools;
    auto const end = lkt::run<functions>(o, tools);
    REQUIRE(end.has_value());
    CHECK(std::holds_alternative<tuned>(*end));
    CHECK(o.calls == 3);
    CHECK(decltype(functions::graph)::names[0] == "raise");
    CHECK(decltype(functions::graph)::names[1] == "with_tools");
}

TEST_CASE("sub runs a graph on the same state, and is named after it") {
    state s;
    CHECK(std::holds_alternative<tuned>(lkt::run<same_state>(s)));
    CHECK(decltype(same_state::graph)::names[1] == "refine");
}

TEST_CASE("a focused node gets the tools") {
    campaign_state c;
    script tools;
    CHECK(lkt::run<asking_part>(c, tools).has_value());
    CHECK(tools.calls == 1);
    CHECK(c.tile.rounds == 1);
}
