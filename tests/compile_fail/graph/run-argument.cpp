// expect: \[lkt\.graph\.run-argument\] after the tools
// offending: run_argument<.*other_tools
// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>

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

inline constexpr auto ask = [](tuning_state& s, auto& tools) -> lkt::result<void> {
    s.rounds = tools.rounds;
    return {};
};
struct my_tools {
    int rounds = 4;
};
struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
        node<ask>(to(build)),
        node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(repair)),
        node<repair>(limit<4>(stop<gave_up>), to(build)));
};

int main() {
    tuning_state state;
    my_tools tools;
#ifdef LKT_FIXED
    lkt::cursor<refine> at;
    auto const end = lkt::run<refine>(state, tools, at);
#else
    struct other_tools {
    } more;
    auto const end = lkt::run<refine>(state, tools, more);
#endif
    return end.has_value() ? 0 : 1;
}
