// expect: \[lkt\.graph\.foreign-outcome\] Node never returns
// offending: foreign_outcome<build, lkt::clauses::on_value<true,
// SPDX-License-Identifier: BSL-1.0
// A truth value beside outcomes that have names.
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
