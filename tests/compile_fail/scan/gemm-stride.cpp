// expect: \[lkt\.scan\.gemm-stride\]
// offending: gemm_draft
// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/gemm_spec.hpp>

#ifdef LKT_FIXED
constexpr std::int64_t stride = 8;
#else
constexpr std::int64_t stride = 7;
#endif

constexpr auto spec =
    lkt::gemm_spec::of<lkt::gemm_draft{.m = 16, .n = 4, .k = 8, .stride_a = stride}>();

int main() { return spec.m() == 16 ? 0 : 1; }
