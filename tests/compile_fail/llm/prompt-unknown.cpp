// expect: refuse_prompt.*my_words|prompt<my_words>::prompt
// offending: \[lkt\.llm\.prompt\] A \$\{name\} does not name a member
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/prompt.hpp>

struct my_words {
    std::string kernel;
    using state_fields = lkt::fields<&my_words::kernel>;
};

std::string text() {
#ifdef LKT_FIXED
    lkt::prompt<my_words> const p = "Make ${kernel} faster.";
#else
    lkt::prompt<my_words> const p = "Make ${kernle} faster.";
#endif
    return p.render({"f"});
}
