// expect: \[lkt\.scan\.conv-window\]
// offending: convolution_draft
// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/convolution_spec.hpp>

#ifdef LKT_FIXED
constexpr std::int64_t padding = 1;
#else
constexpr std::int64_t padding = 0;
#endif

constexpr auto spec = lkt::convolution_spec::of<lkt::convolution_draft{
    .n = 1, .c = 3, .h = 2, .w = 2, .k = 8, .r = 3, .s = 3, .padding = padding}>();

int main() { return spec.p() == 2 ? 0 : 1; }
