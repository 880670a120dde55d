// expect: \[lkt\.graph\.retry-policy\] retrying<Policy>
// offending: retry_policy<not_a_policy>
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

struct not_a_policy {
    int attempts = 3;
};
inline constexpr auto ask = [](tuning_state& s) -> lkt::result<void> {
    ++s.rounds;
    return {};
};

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
        node<ask>(
#ifdef LKT_FIXED
            retrying<lkt::backoff{.attempts = 5}>(),
#else
            retrying<not_a_policy{.attempts = 5}>(),
#endif
            to(build)),
        node<build>(on<built::ok>(stop<tuned>), on<built::rejected>(repair)),
        node<repair>(limit<4>(stop<gave_up>), to(build)));
};

int main() {}
