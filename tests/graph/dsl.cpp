// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/dsl.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>

#include <type_traits>
#include <variant>

#include "machines.hpp"

using namespace machines;

namespace {

struct knobs {
    bool with_repair = true;
    bool with_limit = true;
    int most = 4;
};

template <knobs K = knobs{}>
struct shaped {
    static constexpr auto graph = lkt::graph<state>(
        node<propose>(limit<K.most>(stop<gave_up>), to(build)),
        node<build>(on<built::ok>(stop<tuned>),
                    on<built::rejected>(either<K.with_repair>(repair, propose))),
        when<K.with_repair>(node<repair>(
            when<K.with_limit>(limit<&state::max_fixes>(stop<gave_up>)), to(propose))));
};

template <class G>
inline constexpr int size_of = decltype(G::graph)::size;

} // namespace

TEST_CASE("knobs drop nodes, clauses and choose targets") {
    CHECK(size_of<shaped<>> == 3);
    CHECK(size_of<shaped<knobs{.with_repair = false}>> == 2);
    CHECK(decltype(shaped<>::graph)::map.rows[2].limit_clause == 0);
    CHECK(decltype(shaped<knobs{.with_limit = false}>::graph)::map.rows[2].limit_clause == -1);
    CHECK(decltype(shaped<knobs{.with_repair = false}>::graph)::map.edge(1, 1) == 0);
}

TEST_CASE("a node that is dropped but aimed at is an unknown target") {
    constexpr auto r =
        lkt::report_of<state>(node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(repair)),
                              when<false>(node<repair>(to(stop<tuned>))));
    CHECK(r.kind == lkt::defect::unknown_target);
}

TEST_CASE("a knob is a limit") {
    state s{.rounds = 1}; // even after propose, so build is ok at once
    CHECK(lkt::run<shaped<>>(s).index() == 1);
    state t;
    t.rounds = 0;
    CHECK(std::holds_alternative<gave_up>(lkt::run<shaped<knobs{.most = 0}>>(t)));
    CHECK(t.rounds == 0);
}

TEST_CASE("clauses come in any order") {
    constexpr auto r = lkt::report_of<state>(node<ask>(on_error<exhausted>(stop<gave_up>),
                                                       to(stop<tuned>),
                                                       retrying<lkt::fixed{.attempts = 2}>(),
                                                       limit<3>(stop<gave_up>)));
    CHECK(r.kind == lkt::defect::none);
}

TEST_CASE("retrying takes a policy as a value or as a type") {
    CHECK(std::is_same_v<decltype(retrying<lkt::never>()), decltype(retrying<lkt::never{}>())>);
}
