// expect: \[lkt\.llm\.answer\] Struct does not list its members
// offending: my_step
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/schema.hpp>

struct my_step {
    int factor;
#ifdef LKT_FIXED
    using state_fields = lkt::fields<&my_step::factor>;
#endif
};
struct my_plan {
    std::vector<my_step> steps;
    using state_fields = lkt::fields<&my_plan::steps>;
};

std::string schema() { return lkt::schema_of<my_plan>(); }
