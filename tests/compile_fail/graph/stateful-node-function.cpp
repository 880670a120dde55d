// expect: \[lkt\.graph\.stateful-node\] Node holds data
// offending: stateful_node<(\(?&?\(?)?mend
// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/dsl.hpp>

using namespace lkt::dsl;

struct tuning_state {
    int rounds = 0;
};
struct tuned {};

inline void mend(tuning_state& s) { ++s.rounds; }

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
#ifdef LKT_FIXED
        node<fn<&mend>>(to(stop<tuned>))
#else
        node<mend>(to(stop<tuned>))
#endif
    );
};

int main() {}
