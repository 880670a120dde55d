// expect: \[lkt\.llm\.answer\] Answer is not a struct that lists its members
// offending: answer_is_no_object<
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/ask.hpp>
#include <lkt/llm/scripted.hpp>

struct my_names {
    std::vector<std::string> names;
    using state_fields = lkt::fields<&my_names::names>;
};

bool ask(lkt::scripted_model& model) {
#ifdef LKT_FIXED
    return lkt::ask<my_names>(model, lkt::chat_request{}).has_value();
#else
    return lkt::ask<std::vector<std::string>>(model, lkt::chat_request{}).has_value();
#endif
}
