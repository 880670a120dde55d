// expect: \[lkt\.llm\.answer-note\] Struct has a note on Member, which its state_fields do not list
// offending: my_answer::reason
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/schema.hpp>

struct my_answer {
    bool valid;
    std::string reason;
#ifdef LKT_FIXED
    using state_fields = lkt::fields<&my_answer::valid, &my_answer::reason>;
#else
    using state_fields = lkt::fields<&my_answer::valid>;
#endif
    static constexpr auto notes = lkt::notes(lkt::note<&my_answer::reason>("one sentence"));
};

std::string schema() { return lkt::schema_of<my_answer>(); }
