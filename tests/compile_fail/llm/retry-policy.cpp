// expect: \[lkt\.llm\.retry\] with_retry<Policy> needs a retry_policy
// offending: my_policy
// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/scripted.hpp>
#include <lkt/llm/with_retry.hpp>

struct my_policy {
    int attempts = 3;
#ifdef LKT_FIXED
    lkt::retry_delay next(lkt::condition, int, lkt::retry_delay) const { return {}; }
#else
    bool next(int attempt) const { return attempt < attempts; }
#endif
};

bool ask() {
    auto model = lkt::with_retry<my_policy{}>(lkt::scripted_model{"a reply"});
    return model.complete({}, {}).has_value();
}
