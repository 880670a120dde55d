// expect: \[lkt\.graph\.return-type\]
// offending: propose =
// lines: 40
// SPDX-License-Identifier: BSL-1.0
// Nobody can say what a body returns before its tools are known.
#include <lkt/graph/dsl.hpp>

using namespace lkt::dsl;

struct tuning_state {
    int rounds = 0;
};
enum class built { ok, rejected };
struct tuned {};
struct gave_up {};

#ifdef LKT_FIXED
inline constexpr auto propose = [](tuning_state& s, auto& tools) -> void {
    s.rounds = tools.ask();
};
#else
inline constexpr auto propose = [](tuning_state& s, auto& tools) { s.rounds = tools.ask(); };
#endif
inline constexpr auto build = [](tuning_state& s) -> built {
    return s.rounds > 3 ? built::ok : built::rejected;
};

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
        node<propose>(limit<8>(stop<gave_up>), to(build)),
        node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(propose)));
};

int main() {}
