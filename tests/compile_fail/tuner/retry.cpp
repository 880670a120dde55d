// expect: \[lkt\.graph\.retry-policy\] retrying<Policy>\(\) takes a retry policy
// offending: twice
// SPDX-License-Identifier: BSL-1.0
// A retry policy that forgets how long the server asked to wait.
#include <lkt/strategies/one_prompt.hpp>

struct twice {
    constexpr lkt::retry_delay next(lkt::condition c,
                                    int attempt
#ifdef LKT_FIXED
                                    ,
                                    lkt::retry_delay
#endif
    ) const {
        if (c != lkt::condition::transient || attempt > 1) return {};
        return std::chrono::milliseconds{100};
    }
};

using patient = lkt::one_prompt<lkt::one_prompt_knobs{}, lkt::default_prompts, twice{}>;
static_assert(sizeof(patient) > 0);
