// expect: \[lkt\.llm\.answer\] Variant has an alternative that is not a struct
// offending: variant<
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/schema.hpp>

struct my_number {
    double value;
    using state_fields = lkt::fields<&my_number::value>;
};
struct my_answer {
#ifdef LKT_FIXED
    std::variant<my_number> what;
#else
    std::variant<my_number, std::string> what;
#endif
    using state_fields = lkt::fields<&my_answer::what>;
};

std::string schema() { return lkt::schema_of<my_answer>(); }
