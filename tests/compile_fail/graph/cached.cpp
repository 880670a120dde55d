// expect: \[lkt\.graph\.cached\] cached<&State::memory
// offending: cached<.*lambda.*>
// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/visit_cache.hpp>
using namespace lkt::dsl;

struct kernel {
    double ms = 0;
};
struct tuning_state {
    kernel left, right;
    lkt::visit_cache<double, kernel> seen;
};
struct tuned {};

inline constexpr auto improve = [](kernel& k) -> void { k.ms /= 2; };
inline constexpr auto shorten = [](kernel& k) -> void { --k.ms; };
inline constexpr auto both = focus<&tuning_state::left>(improve);

#ifdef LKT_FIXED
inline constexpr auto key = [](tuning_state const& s) { return s.left.ms; };
#else
inline constexpr auto key = [offset = 1](tuning_state const& s) { return s.left.ms + offset; };
#endif

struct refine {
    static constexpr auto graph = lkt::graph<tuning_state>(
        node<both>(cached<&tuning_state::seen, &tuning_state::left>(key), to(stop<tuned>)));
};

int main() {}
