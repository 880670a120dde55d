// SPDX-License-Identifier: BSL-1.0
// The text that a CUDA kernel is compiled behind: mbarriers by functions.
#pragma once

#include <string_view>

namespace lkt::host_detail {

/// `cuda_awbarrier_primitives.h`, on the mbarriers of `shim_mbarriers`, with what these watch. A
/// token has the phase in which a thread arrives, and above it how many were still to come.
inline constexpr std::string_view shim_awbarrier = R"lkt(
#define LKT_BAR __attribute__((always_inline)) inline
#define LKT_HERE int line = __builtin_LINE()
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;
inline unsigned __mbarrier_maximum_count() { return (1u << 20) - 1; }
LKT_BAR void __mbarrier_init(__mbarrier_t* b, unsigned expected, LKT_HERE) { lkt_mbarrier_init((char*)b, expected, line); }
LKT_BAR void __mbarrier_inval(__mbarrier_t* b, LKT_HERE) { lkt_mbarrier_inval((char*)b, line); }
LKT_BAR __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* b, LKT_HERE) {
    __mbarrier_token_t const pending = lkt_bar_slot((char*)b, line).pending;
    return pending << 32 | lkt_mbarrier_arrive((char*)b, 1, 0, line);
}
LKT_BAR __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* b, LKT_HERE) {
    __mbarrier_token_t const pending = lkt_bar_slot((char*)b, line).pending;
    return pending << 32 | lkt_mbarrier_drop((char*)b, 1, line);
}
inline unsigned __mbarrier_token_pending_count(__mbarrier_token_t token) { return (unsigned)(token >> 32); }
LKT_BAR bool __mbarrier_test_wait(__mbarrier_t* b, __mbarrier_token_t token, LKT_HERE) {
    if (lkt_bar_slot((char*)b, line).phase - (unsigned)token > 1)
        lkt_fail("the token of a wait at an mbarrier is neither of its phase nor of the one before", line);
    return lkt_mbarrier_wait((char*)b, (unsigned)token & 1, line);
}
LKT_BAR bool __mbarrier_test_wait_parity(__mbarrier_t* b, bool parity, LKT_HERE) { return lkt_mbarrier_wait((char*)b, parity, line); }
LKT_BAR bool __mbarrier_try_wait(__mbarrier_t* b, __mbarrier_token_t token, unsigned, LKT_HERE) { return __mbarrier_test_wait(b, token, line); }
LKT_BAR bool __mbarrier_try_wait_parity(__mbarrier_t* b, bool parity, unsigned, LKT_HERE) { return lkt_mbarrier_wait((char*)b, parity, line); }
#undef LKT_BAR
#undef LKT_HERE
)lkt";

} // namespace lkt::host_detail
