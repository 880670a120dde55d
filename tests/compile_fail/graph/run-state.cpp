// expect: \[lkt\.graph\.run-state\] run<G>.state. needs
// offending: run_state<other_state, tuning_state>
// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>

using namespace lkt::dsl;

struct tuning_state {
    int rounds = 0;
};
enum class built { ok, rejected };
struct tuned {};
struct gave_up {};

inline constexpr auto propose = [](tuning_state& s) -> void { ++s.rounds; };
inline constexpr auto build = [](tuning_state& s) -> built {
    return s.rounds > 3 ? built::ok : built::rejected;
};
inline constexpr auto repair = [](tuning_state& s) -> void { ++s.rounds; };

inline constexpr auto ask = [](tuning_state& s, auto& tools) -> lkt::result<void> {
    s.rounds = tools.rounds;
    return {};
};
struct my_tools {
    int rounds = 4;
};
struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
        node<ask>(to(build)),
        node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(repair)),
        node<repair>(limit<4>(stop<gave_up>), to(build)));
};

struct other_state {
    int rounds = 0;
};

int main() {
#ifdef LKT_FIXED
    tuning_state state;
#else
    other_state state;
#endif
    my_tools tools;
    auto const end = lkt::run<refine>(state, tools);
    return end.has_value() ? 0 : 1;
}
