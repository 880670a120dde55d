// expect: \[lkt\.nodes\.prompts\] Prompts lacks std::string operator\(\)\(Failure const&\) const
// offending: missing_prompt<curt, (lkt::)?race>
// SPDX-License-Identifier: BSL-1.0
// Prompts that have nothing to say about races.
#include <lkt/nodes/prompts.hpp>

#include <string>
#include <type_traits>

struct curt {
    std::string system(lkt::brief const&) const { return "Optimise."; }
    std::string task(lkt::brief const& b) const { return b.current.kernel.source.text; }
    template <class Failure>
#ifndef LKT_FIXED
        requires(!std::is_same_v<Failure, lkt::race>)
#endif
    std::string operator()(Failure const&) const {
        return "Again.";
    }
};

lkt::conversation talk(lkt::tuning_state const& s) {
    return lkt::conversation_of(lkt::brief_of(s), s.attempts, curt{});
}
