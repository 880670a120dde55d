// expect: \[lkt\.graph\.duplicate-edge\] an earlier clause of Node
// offending: duplicate_edge<build, lkt::clauses::to<
// SPDX-License-Identifier: BSL-1.0
// Two targets for every outcome.
#include <lkt/graph/dsl.hpp>

using namespace lkt::dsl;

struct tuning_state {
    int rounds = 0;
};
enum class built { ok, rejected };
struct tuned {};
struct gave_up {};

inline constexpr auto build = [](tuning_state& s) -> built {
    return s.rounds > 3 ? built::ok : built::rejected;
};

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
#ifdef LKT_FIXED
        node<build>(to(stop<tuned>)));
#else
        node<build>(to(stop<tuned>), to(stop<gave_up>)));
#endif
};

int main() {}
