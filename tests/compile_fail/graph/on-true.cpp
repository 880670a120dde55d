// expect: \[lkt\.graph\.outcome-with-data\] Outcome only names an edge
// offending: outcome_with_data<build, bool
// SPDX-License-Identifier: BSL-1.0
// A truth value for an outcome.
#include <lkt/graph/dsl.hpp>

using namespace lkt::dsl;

struct tuning_state {
    int rounds = 0;
};
enum class built { ok, rejected };
struct tuned {};
struct gave_up {};

#ifdef LKT_FIXED
inline constexpr auto build = [](tuning_state& s) -> built {
    return s.rounds > 3 ? built::ok : built::rejected;
};
#else
inline constexpr auto build = [](tuning_state& s) -> bool { return s.rounds > 3; };
#endif
inline constexpr auto propose = [](tuning_state& s) -> void { ++s.rounds; };

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
        node<propose>(limit<8>(stop<gave_up>), to(build)),
#ifdef LKT_FIXED
        node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(propose)));
#else
        node<build>(on<true>(stop<tuned>), on<false>(propose)));
#endif
};

int main() {}
