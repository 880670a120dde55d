// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/mermaid.hpp>

#include <doctest/doctest.h>

#include "machines.hpp"

using namespace machines;

namespace {

struct awkward {
    static constexpr auto name = "a \"b\" <c> #d & `e`";
};
struct titled_fn {
    static constexpr auto name = "ask \"twice\" & <think>";
    lkt::result<void> operator()(state&) const { return {}; }
};
inline constexpr titled_fn titled{};
struct labelled {
    static constexpr auto graph = lkt::graph<state>(node<titled>(retrying<lkt::backoff{}>(),
                                                                 limit<1>(stop<gave_up>),
                                                                 on_error<exhausted>(stop<gave_up>),
                                                                 to(stop<awkward>)));
};

} // namespace

TEST_CASE("the picture of a graph") {
    CHECK(lkt::to_mermaid<refine>() == R"~(flowchart TD
    start(( )) --> n0
    n0["propose"]
    n1["build"]
    n2["repair"]
    n3["verify"]
    t0(["gave_up"])
    t1(["tuned"])
    t2(["broke"])
    n0 --> n1
    n0 -.->|"after 8 visits"| t0
    n1 -->|"ok"| n3
    n1 -->|"rejected"| n2
    n2 --> n1
    n2 -.->|"after max_fixes visits"| t0
    n3 -->|"correct"| t1
    n3 -->|"wrong"| n0
    n3 -->|"crashed"| t2
)~");
}

TEST_CASE("a nested graph is a subgraph, left by its terminals") {
    CHECK(lkt::to_mermaid<campaign>() == R"~(flowchart TD
    start(( )) --> n0
    n0["next_kernel"]
    subgraph n1["tune"]
        n1_n0["ask"]
        n1_n1["enough"]
        n1_t0(["gave_up"])
        n1_t1(["tuned"])
        n1_n0 --> n1_n1
        n1_n0 -.->|"after 10 visits"| n1_t0
        n1_n1 -->|"ok"| n1_t1
        n1_n1 -->|"rejected"| n1_n0
    end
    t0(["finished"])
    t1(["gave_up"])
    n0 -->|"more"| n1_n0
    n0 -->|"empty"| t0
    n0 -.->|"after 64 visits"| t0
    n1_t0 --> t1
    n1_t1 --> n0
)~");
}

TEST_CASE("labels are escaped; retries, error edges and limits are shown") {
    CHECK(lkt::to_mermaid<labelled>() == R"~(flowchart TD
    start(( )) --> n0
    n0["ask #quot;twice#quot; #amp; #lt;think#gt; (retries)"]
    t0(["gave_up"])
    t1(["a #quot;b#quot; #lt;c#gt; #35;d #amp; #96;e#96;"])
    n0 --> t1
    n0 -.->|"error: exhausted"| t0
    n0 -.->|"after 1 visit"| t0
)~");
}
