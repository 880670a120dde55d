// expect: \[lkt\.graph\.wrong-state\] Node cannot be called
// offending: wrong_state<measure, tuning_state>
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

struct other_state {
    double best_ms = 0;
};
#ifdef LKT_FIXED
using measured_state = tuning_state;
#else
using measured_state = other_state;
#endif
inline constexpr auto measure = [](measured_state&) -> void {};

struct refine {
    static constexpr auto graph =
        lkt::graph<tuning_state>(node<propose>(limit<8>(stop<gave_up>), to(build)),
                                 node<build>(on<built::ok>(measure), on<built::rejected>(repair)),
                                 node<measure>(to(stop<tuned>)),
                                 node<repair>(limit<4>(stop<gave_up>), to(build)));
};

int main() {}
