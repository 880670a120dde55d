// expect: \[lkt\.llm\.answer-note\] Member has a bound that its type does not support
// offending: my_answer::factor
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/schema.hpp>

struct my_answer {
    int factor;
    using state_fields = lkt::fields<&my_answer::factor>;
#ifdef LKT_FIXED
    static constexpr auto notes = lkt::notes(lkt::note<&my_answer::factor>("", lkt::range{1, 8}));
#else
    static constexpr auto notes = lkt::notes(lkt::note<&my_answer::factor>("", lkt::items{1, 8}));
#endif
};

std::string schema() { return lkt::schema_of<my_answer>(); }
