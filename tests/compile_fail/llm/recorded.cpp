// expect: \[lkt\.llm\.recorded\] recorded<M> needs a chat_model
// offending: my_model
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/recorded.hpp>

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

void record() {
    lkt::recorded model{my_model{}, "tape.jsonl"};
    (void)model;
}
