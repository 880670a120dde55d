// expect: \[lkt\.tuner\.strategy\] tuner\{gpu, llm, strategy\}: strategy is not a strategy
// offending: wander
// SPDX-License-Identifier: BSL-1.0
// A graph over a state that lacks what the tuner puts there.
#include <lkt/graph/dsl.hpp>
#include <lkt/tuner/tuner.hpp>

struct some_gpu {
    lkt::result<lkt::device_description> device(lkt::call_context const&);
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const&,
                                              lkt::call_context const&);
    lkt::result<lkt::run_outcome>
    run(lkt::compiled_kernel const&, lkt::run_request const&, lkt::call_context const&);
};
#ifdef LKT_FIXED
using state = lkt::tuning_state;
#else
struct state {
    int steps = 0;
};
#endif
struct done {};
inline constexpr auto look = [](state&) -> void {};
struct wander {
    static constexpr auto graph =
        lkt::graph<state>(lkt::dsl::node<look>(lkt::dsl::to(lkt::dsl::stop<done>)));
};

bool tune(some_gpu& gpu, lkt::problem task) {
    return lkt::tuner{gpu, wander{}}.tune(std::move(task)).has_value();
}
