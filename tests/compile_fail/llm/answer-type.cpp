// expect: \[lkt\.llm\.answer\] Type cannot be read from an answer
// offending: set<
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/from_json.hpp>

#include <set>

struct my_answer {
#ifdef LKT_FIXED
    std::vector<int> values;
#else
    std::set<int> values;
#endif
    using state_fields = lkt::fields<&my_answer::values>;
};

bool read() { return lkt::read_answer<my_answer>("{}").has_value(); }
