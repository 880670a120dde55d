// expect: \[lkt\.graph\.state-by-value\] Node takes its State by value
// offending: state_by_value<propose, tuning_state
// SPDX-License-Identifier: BSL-1.0
// A plain function.
#include <lkt/graph/dsl.hpp>

using namespace lkt::dsl;

struct tuning_state {
    int rounds = 0;
};
enum class built { ok, rejected };
struct tuned {};
struct gave_up {};

#ifdef LKT_FIXED
inline void rewrite(tuning_state& s) { ++s.rounds; }
#else
inline void rewrite(tuning_state s) { ++s.rounds; }
#endif
inline constexpr auto propose = fn<&rewrite>;
inline constexpr auto build = [](tuning_state& s) -> built {
    return s.rounds > 3 ? built::ok : built::rejected;
};

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
        node<propose>(limit<8>(stop<gave_up>), to(build)),
        node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(propose)));
};

int main() {}
