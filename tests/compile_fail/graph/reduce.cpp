// expect: \[lkt\.graph\.reduce\] reduce<&State::part>\(fn\) needs
// offending: reduction<.*&tuning_state::right
// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/dsl.hpp>

#include <vector>

using namespace lkt::dsl;

struct kernel {
    double ms = 0;
};
struct tuning_state {
    kernel left, right;
    std::vector<kernel> samples;
};
struct tuned {};

inline constexpr auto improve = [](kernel& k) -> void { k.ms /= 2; };
inline constexpr auto shorten = [](kernel& k) -> void { --k.ms; };
inline constexpr auto fastest = [](kernel& k, std::vector<kernel> const& ends) -> void {
    for (kernel const& end : ends)
        if (end.ms < k.ms) k = end;
};
#ifdef LKT_FIXED
inline constexpr auto both =
    fan_out(focus<&tuning_state::left>(improve), reduce<&tuning_state::left>(fastest));
#else
inline constexpr auto both =
    fan_out(focus<&tuning_state::left>(improve), reduce<&tuning_state::right>(fastest));
#endif

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(node<both>(to(stop<tuned>)));
};

int main() {}
