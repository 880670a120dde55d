// expect: \[lkt\.llm\.prompt\] Words has a member that a prompt cannot show
// offending: my_words
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/prompt.hpp>

struct my_words {
#ifdef LKT_FIXED
    std::vector<std::string> tried;
#else
    std::vector<std::vector<int>> tried;
#endif
    using state_fields = lkt::fields<&my_words::tried>;
};

std::size_t size() { return sizeof(lkt::prompt<my_words>); }
