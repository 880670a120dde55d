// expect: \[lkt\.llm\.answer\] Struct needs a default constructor
// offending: my_answer
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/from_json.hpp>

struct my_answer {
    int value;
#ifdef LKT_FIXED
    my_answer() = default;
#endif
    explicit my_answer(int v) : value(v) {}
    using state_fields = lkt::fields<&my_answer::value>;
};

bool read() { return lkt::read_answer<my_answer>("{}").has_value(); }
