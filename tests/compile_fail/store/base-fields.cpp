// expect: \[lkt\.journal\.base-fields\]
// offending: journalled_state<.*work
// SPDX-License-Identifier: BSL-1.0
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/run.hpp>
#include <lkt/store/checkpoint.hpp>
#include <lkt/store/journal_memory.hpp>

struct base {
    int rounds = 0;
    using state_fields = lkt::fields<&base::rounds>;
    using base_fields = state_fields;
};
struct work : base {
    double best = 0;
#ifdef LKT_FIXED
    using state_fields = lkt::fields_of<base, &work::best>;
#else
    using state_fields = lkt::fields<&work::best>;
#endif
};

using namespace lkt::dsl;

struct done {};
inline constexpr auto step = [](work&) -> void {};
struct strategy {
    static constexpr auto graph = lkt::graph<work>(node<step>(to(stop<done>)));
};

int main() {
    lkt::journal_memory sink;
    auto journal = lkt::journal::over(sink);
    lkt::checkpoint checkpoint(*journal);
    work w;
    return lkt::run<strategy>(w, checkpoint).has_value() ? 0 : 1;
}
