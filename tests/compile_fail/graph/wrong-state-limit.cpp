// expect: \[lkt\.graph\.wrong-state\] Node reads its limit
// offending: wrong_state_for_limit<propose
// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/dsl.hpp>

using namespace lkt::dsl;

struct tuning_state {
    int rounds = 0;
#ifdef LKT_FIXED
    int most = 8;
#else
    double most = 8;
#endif
};
struct tuned {};
struct gave_up {};

inline constexpr auto propose = [](tuning_state& s) -> void { ++s.rounds; };
inline constexpr auto measure = [](tuning_state&) -> void {};

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
        node<propose>(limit<&tuning_state::most>(stop<gave_up>), to(measure)),
        node<measure>(to(stop<tuned>)));
};

int main() {}
