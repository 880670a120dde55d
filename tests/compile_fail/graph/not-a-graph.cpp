// expect: \[lkt\.graph\.not-a-graph\] G is not a strategy
// offending: not_a_graph<tuned>
// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/dsl.hpp>

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

struct attempt {
    static constexpr auto graph = lkt::graph<tuning_state>(node<repair>(to(stop<tuned>)));
};

#ifdef LKT_FIXED
using nested = attempt;
#else
using nested = tuned;
#endif

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
        node<propose>(limit<8>(stop<gave_up>), to(build)),
        node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(repair)),
        node<repair>(limit<4>(stop<gave_up>), to(sub<nested>)),
        node<sub<nested>>(on<tuned>(build)));
};

int main() {}
