// expect: \[lkt\.graph\.duplicate-node\] Node has the same type as the node Earlier
// offending: duplicate_node<repair, mend>
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

struct mend_fn : decltype(repair) {};
#ifdef LKT_FIXED
inline constexpr mend_fn mend{};
#else
inline constexpr auto mend = repair;
#endif

struct refine {
    static constexpr auto graph =
        lkt::graph<tuning_state>(node<propose>(limit<8>(stop<gave_up>), to(build)),
                                 node<build>(on<built::ok>(mend), on<built::rejected>(repair)),
                                 node<mend>(to(stop<tuned>)),
                                 node<repair>(limit<4>(stop<gave_up>), to(build)));
};

int main() {}
