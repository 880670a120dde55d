// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/dot.hpp>

#include <doctest/doctest.h>

#include "machines.hpp"

using namespace machines;

namespace {

struct titled_fn {
    static constexpr auto name = R"(ask "twice" \n)";
    lkt::result<void> operator()(state&) const { return {}; }
};
inline constexpr titled_fn titled{};
struct labelled {
    static constexpr auto graph = lkt::graph<state>(node<titled>(
        retrying<lkt::backoff{}>(), on_error<exhausted>(stop<gave_up>), to(stop<tuned>)));
};
struct guarded {
    static constexpr auto graph = lkt::graph<campaign_state>(node<campaign::tune>(
        limit<2>(stop<broke>), on<tuned>(campaign::tune), on<gave_up>(stop<gave_up>)));
};

} // namespace

TEST_CASE("the picture of a graph") {
    CHECK(lkt::to_dot<refine>() == R"~(digraph "refine" {
    compound=true;
    node [shape=box];
    start [shape=point];
    start -> n0;
    n0 [label="propose"];
    n1 [label="build"];
    n2 [label="repair"];
    n3 [label="verify"];
    t0 [shape=oval, label="gave_up"];
    t1 [shape=oval, label="tuned"];
    t2 [shape=oval, label="broke"];
    n0 -> n1;
    n0 -> t0 [label="after 8 visits", style=dashed];
    n1 -> n3 [label="ok"];
    n1 -> n2 [label="rejected"];
    n2 -> n1;
    n2 -> t0 [label="after max_fixes visits", style=dashed];
    n3 -> t1 [label="correct"];
    n3 -> n0 [label="wrong"];
    n3 -> t2 [label="crashed"];
}
)~");
}

TEST_CASE("a nested graph is a cluster; what concerns it as a whole starts at its border") {
    CHECK(lkt::to_dot<guarded>() == R"~(digraph "guarded" {
    compound=true;
    node [shape=box];
    start [shape=point];
    start -> n0_n0;
    subgraph cluster_n0 {
        label="tune";
        n0_n0 [label="ask"];
        n0_n1 [label="enough"];
        n0_t0 [shape=oval, label="gave_up"];
        n0_t1 [shape=oval, label="tuned"];
        n0_n0 -> n0_n1;
        n0_n0 -> n0_t0 [label="after 10 visits", style=dashed];
        n0_n1 -> n0_t1 [label="ok"];
        n0_n1 -> n0_n0 [label="rejected"];
    }
    t0 [shape=oval, label="broke"];
    t1 [shape=oval, label="gave_up"];
    n0_t0 -> t1;
    n0_t1 -> n0_n0;
    n0_n0 -> t0 [label="after 2 visits", style=dashed, ltail=cluster_n0];
}
)~");
}

TEST_CASE("labels are escaped") {
    CHECK(lkt::to_dot<labelled>() == R"~(digraph "labelled" {
    compound=true;
    node [shape=box];
    start [shape=point];
    start -> n0;
    n0 [label="ask \"twice\" \\n (retries)"];
    t0 [shape=oval, label="gave_up"];
    t1 [shape=oval, label="tuned"];
    n0 -> t1;
    n0 -> t0 [label="error: exhausted", style=dashed];
}
)~");
}
