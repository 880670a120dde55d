// expect: \[lkt\.graph\.focus\] focus<&State::member>
// offending: focus<int>
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

struct outer_state {
    tuning_state inner;
};
#ifdef LKT_FIXED
inline constexpr auto mend = focus<&outer_state::inner>(repair);
#else
inline constexpr auto mend = focus<3>(repair);
#endif

struct refine {
    static constexpr auto graph = lkt::graph<outer_state>(node<mend>(to(stop<tuned>)));
};

int main() {}
