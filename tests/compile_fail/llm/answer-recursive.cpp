// expect: \[lkt\.llm\.answer\] Struct contains itself
// offending: my_tree
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/from_json.hpp>

struct my_tree {
    std::string name;
#ifdef LKT_FIXED
    std::vector<std::string> children;
#else
    std::vector<my_tree> children;
#endif
    using state_fields = lkt::fields<&my_tree::name, &my_tree::children>;
};

bool read() { return lkt::read_answer<my_tree>("{}").has_value(); }
