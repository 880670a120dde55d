// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/accelerators.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using lkt::gemm_type;

TEST_CASE("accelerators: every entry has its figures, in units that can be, and a source") {
    REQUIRE(lkt::known_accelerators().size() >= 15);
    for (lkt::accelerator const& a : lkt::known_accelerators()) {
        CAPTURE(a.name);
        CHECK(a.bandwidth.count() > 5e11); // MI300X once had 5.3 GB/s
        CHECK(a.bandwidth.count() < 1e13);
        CHECK(a.memory.count > 10'000'000'000);
        CHECK(a.rate(gemm_type::f16) == a.rate(gemm_type::bf16));
        CHECK(a.rate(gemm_type::f16) > a.rate(gemm_type::f64));
        CHECK(a.ridge(gemm_type::f16).count() > 50);
        CHECK(a.ridge(gemm_type::f16).count() < 500);
        CHECK_FALSE(a.source.empty());
        CHECK(lkt::accelerator_called(a.name)->name == a.name);
    }
    CHECK(lkt::accelerator_called("MI300X")->bandwidth.count() == 5.3e12);
}

TEST_CASE("accelerators: names as drivers and users say them") {
    auto const named = [](char const* name) {
        auto const found = lkt::accelerator_called(name);
        return found ? found->name : found.error().code;
    };
    CHECK(named("AMD Instinct MI300X OAM") == "MI300X");
    CHECK(named("AMD Instinct MI250X/MI250") == "MI250X");
    CHECK(named("NVIDIA H100 80GB HBM3") == "H100");
    CHECK(named("NVIDIA H100 PCIe") == "H100 PCIe");
    CHECK(named("NVIDIA A100-SXM4-40GB") == "A100 40GB");
    CHECK(named("nvidia geforce rtx 4090") == "RTX 4090");
    CHECK(named("AMD Radeon RX 7900 XTX") == "RX 7900 XTX");
    // Other models have other figures.
    for (char const* other :
         {"RTX 4090 D", "H200 NVL", "NVIDIA GeForce RTX 5090 Laptop GPU", "MI300", "", "H1000"})
        CHECK(named(other) == "lkt.scan.accelerator");
    CHECK(lkt::accelerator_called("MI300Y").error().message.find("did you mean MI300") !=
          std::string::npos);
}

TEST_CASE("accelerators: the roof is that of tuning") {
    auto const device = lkt::accelerator_called("H100").value();
    auto const large = lkt::gemm_spec::of<lkt::gemm_draft{
        .m = 8192, .n = 8192, .k = 8192, .type = gemm_type::f16}>();
    auto const roof = roofline_of(large, device);
    CHECK_FALSE(roof.memory_bound());
    CHECK(roof.least().count() ==
          doctest::Approx((large.operations() / (989.4 * lkt::teraflop_per_second)).count()));
    CHECK(roof.share(roof.least() * 2) == doctest::Approx(0.5));
    constexpr auto thin =
        lkt::gemm_spec::of<lkt::gemm_draft{.m = 1, .n = 8192, .k = 8192, .type = gemm_type::f16}>();
    CHECK(roofline_of(thin, device).memory_bound());
    // Bandwidth times intensity is a rate of operations, not of bytes.
    static_assert(std::is_same_v<decltype(device.bandwidth * thin.intensity()), lkt::flop_rate>);
    // What is unknown is no roof of 0.
    CHECK(roofline_of(large, lkt::accelerator{}).least().count() == 0);
}
