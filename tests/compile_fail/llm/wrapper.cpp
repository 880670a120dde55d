// expect: \[lkt\.llm\.wrapper\] budgeted<M> needs a chat_model
// offending: my_model
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/budgeted.hpp>

struct my_model {
    lkt::result<lkt::chat_reply> complete(lkt::chat_request const&
#ifdef LKT_FIXED
                                          ,
                                          lkt::call_context const&
#endif
    ) {
        return lkt::chat_reply{};
    }
};

void spend() {
    lkt::budgeted model{my_model{}, {.calls = 1}};
    (void)model;
}
