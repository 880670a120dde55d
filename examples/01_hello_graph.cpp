// SPDX-License-Identifier: BSL-1.0
// A strategy graph on its own: no GPU, no model, no key. It sharpens a guess of a square root until
// it is close enough, and prints its picture, the way it took and where it ended.
#include <lkt/graph/dsl.hpp>
#include <lkt/graph/mermaid.hpp>
#include <lkt/graph/run.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <variant>

using namespace lkt::dsl;

// The state is a plain struct. It is all that nodes share.
struct root_state {
    double number = 2;
    double guess = 1;
};

// A node is a callable on the state; what it returns names the edge that is taken next.
enum class distance { close, far };

inline constexpr auto sharpen = [](root_state& s) -> void {
    s.guess = (s.guess + s.number / s.guess) / 2;
};
inline constexpr auto compare = [](root_state& s) -> distance {
    return std::abs(s.guess * s.guess - s.number) < 1e-9 ? distance::close : distance::far;
};

// Terminals are tags. A graph's outcome is the variant of its terminals.
struct found {};
struct gave_up {};

// The graph: a node for each state of the search, with an edge for each of its outcomes. Leave one
// out, or the limit of the loop, and this does not compile.
struct square_root {
    static constexpr auto graph = lkt::graph<root_state>( // the first node is the entry
        node<sharpen>(limit<20>(stop<gave_up>),           // the 21st visit goes there instead
                      to(compare)),
        node<compare>(on<distance::close>(stop<found>), on<distance::far>(sharpen)));
};

// An observer is told of every step; without one, the hooks cost nothing.
struct print_steps {
    void on_transition(lkt::node_event const& from, lkt::transition_event const& step) {
        auto const label = step.label.empty() ? "" : " (" + std::string(step.label) + ")";
        std::printf(
            "%s%s -> %s\n", path_of(from).c_str(), label.c_str(), std::string(step.target).c_str());
    }
};

int main() {
    std::printf("%s\n", lkt::to_mermaid<square_root>().c_str());

    root_state state;
    print_steps observer;
    auto const end = lkt::run<square_root>(state, observer);

    std::printf("\n%s: the root of %g is %.9f\n",
                std::string(lkt::outcome_name(end)).c_str(),
                state.number,
                state.guess);
    return std::holds_alternative<found>(end) ? 0 : 1;
}
