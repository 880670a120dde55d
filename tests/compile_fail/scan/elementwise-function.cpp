// expect: \[lkt\.scan\.elementwise-function\]
// offending: elementwise_draft
// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/elementwise_spec.hpp>

#ifdef LKT_FIXED
constexpr auto function = lkt::elementwise_function::relu;
#else
constexpr auto function = lkt::elementwise_function::gelu;
#endif

constexpr auto spec = lkt::elementwise_spec::of<lkt::elementwise_draft{
    .elements = 64, .function = function, .type = lkt::gemm_type::int8}>();

int main() { return spec.inputs() == 1 ? 0 : 1; }
