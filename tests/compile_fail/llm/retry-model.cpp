// expect: \[lkt\.llm\.retry\] with_retry needs a chat_model
// offending: my_model
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/with_retry.hpp>

struct my_model {
#ifdef LKT_FIXED
    lkt::result<lkt::chat_reply>
#else
    lkt::chat_reply
#endif
    complete(lkt::chat_request const&, lkt::call_context const&) {
        return lkt::chat_reply{};
    }
};

bool ask() {
    auto model = lkt::with_retry<lkt::backoff{.attempts = 5}>(my_model{});
    return model.complete({}, {}).has_value();
}
