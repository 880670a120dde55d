// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/dsl.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/checkpointer.hpp>
#include <lkt/graph/mermaid.hpp>
#include <lkt/graph/run.hpp>

#include <string>
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

struct scale {
    struct settings {
        int most = 8;
    };
    settings limits{};
    int weighed = 0;
};
enum class weight { light, heavy };
inline constexpr auto weigh = [](scale& s) -> weight {
    return ++s.weighed % 2 == 0 ? weight::light : weight::heavy;
};
struct one_edge {
    static constexpr auto graph = lkt::graph<scale>(node<weigh>(to(stop<tuned>)));
};
struct two_edges {
    static constexpr auto graph = lkt::graph<scale>(
        node<weigh>(on<weight::light>(stop<tuned>), on<weight::heavy>(stop<tuned>)));
};
struct climb {
    static constexpr auto graph = lkt::graph<scale>(
        node<weigh>(limit<&scale::limits, &scale::settings::most>(stop<gave_up>), to(weigh)));
};

inline constexpr auto plain_copy = [](scale) -> void {};
inline constexpr auto generic_copy = [](auto s) -> void { (void)s; };
inline constexpr auto copy_with_tools = [](scale, auto& tools) -> void { tools.look(); };
inline constexpr auto only_reads = [](scale const&) -> void {};
inline void copying(scale) {}

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

TEST_CASE("to() is the edge for every outcome, and the same graph as one on() for each") {
    CHECK(lkt::topology_digest<one_edge>() == lkt::topology_digest<two_edges>());
    scale s;
    CHECK(std::holds_alternative<tuned>(lkt::run<one_edge>(s)));
    lkt::report const second{lkt::defect::duplicate_edge, 0, 1};
    constexpr auto light = on<weight::light>(stop<gave_up>);
    CHECK(lkt::report_of<scale>(node<weigh>(to(stop<tuned>), to(stop<gave_up>))) == second);
    CHECK(lkt::report_of<scale>(node<weigh>(to(stop<tuned>), light)) == second);
    CHECK(lkt::report_of<scale>(node<weigh>(light, to(stop<tuned>))) == second);
}

TEST_CASE("a limit may be a member of a member of the state") {
    scale s;
    s.limits.most = 3;
    CHECK(std::holds_alternative<gave_up>(lkt::run<climb>(s)));
    CHECK(s.weighed == 3);
    CHECK(lkt::to_mermaid<climb>().find("after most visits") != std::string::npos);
}

TEST_CASE("a node that takes a copy of its state is a defect, whatever it is") {
    constexpr auto copied = lkt::defect::state_by_value;
    CHECK(lkt::report_of<scale>(node<plain_copy>(to(stop<tuned>))).kind == copied);
    CHECK(lkt::report_of<scale>(node<generic_copy>(to(stop<tuned>))).kind == copied);
    CHECK(lkt::report_of<scale>(node<copy_with_tools>(to(stop<tuned>))).kind == copied);
    CHECK(lkt::report_of<scale>(node<fn<&copying>>(to(stop<tuned>))).kind == copied);
    CHECK(lkt::report_of<scale>(node<only_reads>(to(stop<tuned>))).kind == lkt::defect::none);
}

TEST_CASE("retrying takes a policy as a value or as a type") {
    CHECK(std::is_same_v<decltype(retrying<lkt::never>()), decltype(retrying<lkt::never{}>())>);
}
