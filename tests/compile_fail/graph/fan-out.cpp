// expect: \[lkt\.graph\.fan-out\] fan_out takes branches
// offending: fan_out_argument<.*lambda.*>
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
#ifdef LKT_FIXED
inline constexpr auto both =
    fan_out(focus<&tuning_state::left>(improve), focus<&tuning_state::right>(shorten));
#else
inline constexpr auto both = fan_out(focus<&tuning_state::left>(improve), shorten);
#endif

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(node<both>(to(stop<tuned>)));
};

int main() {}
