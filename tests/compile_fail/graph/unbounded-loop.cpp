// expect: \[lkt\.graph\.unbounded-loop\] Node can be visited forever
// offending: unbounded_loop<build>
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

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
        node<propose>(to(build)),
        node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(repair)),
#ifdef LKT_FIXED
        node<repair>(limit<4>(stop<gave_up>), to(build))
#else
        node<repair>(to(build))
#endif
    );
};

int main() {}
