// expect: \[lkt\.graph\.no-way-out\] no path leads from Node to a stop
// offending: no_way_out<repair>
// SPDX-License-Identifier: BSL-1.0
// A broken graph is used in every way there is, and still there is one error.
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/mermaid.hpp>
#include <lkt/graph/run.hpp>

using namespace lkt::dsl;

struct tuning_state {
    int rounds = 0;
};
struct tuned {};

inline constexpr auto repair = [](tuning_state& s) -> void { ++s.rounds; };
inline constexpr auto measure = [](tuning_state& s, auto& tools) -> lkt::result<void> {
    return tools.measure(s);
};

struct attempt {
    static constexpr auto graph = lkt::graph<tuning_state>(
#ifdef LKT_FIXED
        node<repair>(limit<4>(stop<tuned>), to(repair))
#else
        node<repair>(to(repair))
#endif
    );
};
struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
#ifdef LKT_FIXED
        node<sub<attempt>>(on<tuned>(measure)),
#else
        node<sub<attempt>>(),
#endif
        node<measure>(to(stop<tuned>)));
};
struct my_tools {
    lkt::result<void> measure(tuning_state&) { return {}; }
};

int main() {
    tuning_state state;
    my_tools tools;
    lkt::cursor<refine> at;
    auto const end = lkt::run<refine>(state, tools, at);
    return end.has_value() && !lkt::to_mermaid<refine>().empty();
}
