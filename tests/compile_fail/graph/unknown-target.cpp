// expect: \[lkt\.graph\.unknown-target\] Node has an edge to Target
// offending: unknown_target<build, (const )?verify_fn>
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

struct verify_fn {
    constexpr void operator()(tuning_state&) const {}
};
inline constexpr verify_fn verify{};

struct refine {
    static constexpr auto graph =
        lkt::graph<tuning_state>(node<propose>(limit<8>(stop<gave_up>), to(build)),
                                 node<build>(
#ifdef LKT_FIXED
                                     on<built::ok>(stop<tuned>),
#else
                                     on<built::ok>(verify),
#endif
                                     on<built::rejected>(repair)),
                                 node<repair>(limit<4>(stop<gave_up>), to(build)));
};

int main() {}
