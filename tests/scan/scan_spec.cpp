// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/scan_spec.hpp>

#include <doctest/doctest.h>

namespace {

using lkt::scan_spec;

static_assert(lkt::operation_spec<lkt::gemm_spec> && lkt::operation_spec<lkt::convolution_spec>);
static_assert(!lkt::operation_spec<scan_spec> && !lkt::operation_spec<lkt::gemm_shape>);

} // namespace

TEST_CASE("scan_spec: any operation, with its own numbers and extents") {
    scan_spec const gemm = scan_spec::make(lkt::gemm_draft{.m = 2, .n = 3, .k = 4}).value();
    scan_spec const conv =
        scan_spec::make(
            lkt::convolution_draft{.n = 1, .c = 2, .h = 3, .w = 4, .k = 5, .r = 3, .s = 3})
            .value();
    scan_spec const sum = scan_spec::make(lkt::elementwise_draft{.elements = 6}).value();
    CHECK(gemm.gemm()->k() == 4);
    CHECK(gemm.convolution() == nullptr);
    CHECK(conv.operation() == lkt::scan_operation::convolution);
    CHECK(conv.operations() == conv.convolution()->operations());
    CHECK(sum.bytes() == sum.elementwise()->bytes());
    CHECK(sum.sizes() == lkt::problem_size{{"elements", 6}, {"inputs", 2}, {"flops", 1}});
    CHECK(conv.sizes().size() == 11);
    CHECK(gemm == scan_spec(*gemm.gemm()));
    CHECK(gemm != conv);
    CHECK(to_string(gemm) == "2x3x4 f32 rrr");
    CHECK(scan_spec::make(lkt::elementwise_draft{}).error().code == "lkt.scan.elementwise-size");
    for (auto const& spec : {gemm, conv, sum})
        CHECK(lkt::scan_operation_called(to_string(spec.operation())).value() == spec.operation());
    CHECK(lkt::scan_operation_called("cnv").error().message.find("conv") != std::string::npos);
}
