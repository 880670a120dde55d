// expect: \[lkt\.graph\.timeout-source\] timeout_ms<N>
// offending: timeout<.*nullptr
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
inline constexpr auto both = [](tuning_state&) -> lkt::result<void> { return {}; };
#ifdef LKT_FIXED
constexpr auto ms = 500;
#else
constexpr auto ms = nullptr;
#endif

struct refine {
    static constexpr auto graph =
        lkt::graph<tuning_state>(node<both>(timeout_ms<ms>(), to(stop<tuned>)));
};

int main() {}
