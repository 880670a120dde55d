// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/ck_source.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

lkt::result<std::string> source(std::string const& name, lkt::ck_source_options const& o = {}) {
    return lkt::ck_source(lkt::parse_ck_instance(name).value(), o);
}
bool has(lkt::result<std::string> const& text, std::string_view part) {
    INFO((text ? *text : text.error().message));
    bool const found = text && text->find(part) != std::string::npos;
    CHECK(found);
    return found;
}

std::string const universal =
    "DeviceGemmXdlUniversal<MNPadding, RRR> BlkSize: 256, BlkTile: 256x256x32, WaveTile: 32x32, "
    "WaveMap: 4x4, VmemReadVec: 8x8, BlkGemmPipelineScheduler: Interwave, BlkGemmPipelineVersion: "
    "v3, BlkGemmPipelinePrefetchStages: 2";

} // namespace

TEST_CASE("ck_source: the arguments that Composable Kernel's own instance of this name has") {
    // device_gemm_xdl_universal_f16_f16_f16_mk_kn_mn.hpp of Composable Kernel 1.1, its first line.
    auto const text = source(universal);
    has(text, "impl/device_gemm_xdl_cshuffle_v3.hpp>");
    has(text,
        "DeviceGemm_Xdl_CShuffleV3<\n    row, row, row, ck::half_t, ck::half_t, ck::half_t, float, "
        "ck::half_t, pass, pass, pass,\n    device::GemmSpecialization::MNPadding, 256, 256, 256, "
        "32, 8, 4, 32, 32, 4, 4, \n    s<4, 64, 1>, s<1, 0, 2>, s<1, 0, 2>, 2, 8, 8, false,\n    "
        "s<8, 32, 1>, s<0, 2, 1>, s<0, 2, 1>, 1, 8, 4, false,\n    1, 1, s<1, 32, 1, 8>, 8,\n    "
        "ck::BlockGemmPipelineScheduler::Interwave, ck::BlockGemmPipelineVersion::v3, ck::half_t, "
        "ck::half_t>;");
    has(text, "std::unique_ptr<device::BaseOperator> lkt_ck_instance()");
    // device_gemm_wmma_f16_f16_f16_mk_nk_mn_instance.cpp, for bfloat16.
    has(source("DeviceGemmWmma_CShuffle<128, 64, 80, 64, 8, 16, 16, 1, 5> AEnableLds: 0, "
               "BEnableLds: 1, NumPrefetch: 1, LoopScheduler: Default, PipelineVersion: v1",
               {.type = lkt::gemm_type::bf16,
                .output = lkt::gemm_type::bf16,
                .b = lkt::matrix_layout::column}),
        "row, column, row, ck::bhalf_t, ck::bhalf_t, ck::bhalf_t, float, ck::bhalf_t, pass, pass, "
        "pass,\n    device::GemmSpecialization::MNKPadding, 1, 128, 64, 80, 64, 8, 16, 16, 1, 5, "
        "\n "
        "   s<8, 16, 1>, s<1, 0, 2>, s<1, 0, 2>, 2, 8, 8, true,\n    s<8, 16, 1>, s<1, 0, 2>, s<1, "
        "0, 2>, 2, 8, 8, true,\n    1, 1, s<1, 64, 1, 2>, 8,\n");
    // device_gemm_xdl_c_shuffle_f16_f16_f16_km_kn_mn_instance.cpp, its second line.
    has(source(
            "DeviceGemm_Xdl_CShuffle<Default, 256, 256, 128, 32, 8, 8, 32, 32, 4, 2, 4, 2, 1, 1> "
            "LoopScheduler: Default, PipelineVersion: v1",
            {.a = lkt::matrix_layout::column}),
        "GemmSpecialization::Default, 1, 256, 256, 128, 32, 8, 8, 32, 32, 4, 2, \n    s<4, 64, 1>, "
        "s<0, 2, 1>, s<0, 2, 1>, 1, 4, 8, true,\n    s<4, 64, 1>, s<0, 2, 1>, s<0, 2, 1>, 1, 2, 8, "
        "true,\n    1, 1, s<1, 32, 1, 8>, 8,\n    ck::LoopScheduler::Default, "
        "ck::PipelineVersion::v1, ck::half_t, ck::half_t>");
    has(source("DeviceGemmXdl<256, 128, 256, 4, 8, 32, 32, 2, 4> NumPrefetch: 1, LoopScheduler: "
               "Default, PipelineVersion: v1",
               {.type = lkt::gemm_type::int8, .output = lkt::gemm_type::int8}),
        "DeviceGemmXdl<\n    std::int8_t, std::int8_t, std::int8_t, std::int32_t, row, row, row, ");
}

TEST_CASE("ck_source: what no instance can have is told, and nothing of it gets into the text") {
    auto const says = [](lkt::result<std::string> const& text, std::string_view why) {
        REQUIRE(text.has_error());
        CHECK(text.error().code == "lkt.scan.ck-source");
        INFO(text.error().message);
        CHECK(text.error().message.find(why) != std::string::npos);
    };
    auto const changed = [&](std::string_view from, std::string_view to) {
        auto name = universal;
        return source(name.replace(name.find(from), from.size(), to));
    };
    says(source("DeviceGemmDl<256, 128, 128, 16, 2, 4, 4, 1>"), "the kinds are DeviceGemmXdl");
    says(changed("MNPadding", "Evil"), "its padding must be one of Default, ");
    says(changed("RRR", "RXR"), "its layouts must be three letters");
    says(changed("RRR", "RRC"), "C must be row-major");
    says(changed("Interwave", "Someday"), "its scheduler must be one of Intrawave, Interwave");
    says(changed("v3", "v9"), "its pipeline must be one of v1, ");
    says(changed("256x256x32", "256x256x0"), "its k_block must be a number");
    says(changed("256x256x32", "256x192x32"), "do not divide the tile of a block");
    says(changed("8x8", "7x8"), "no threads can share the loads of a: 256 x 32 elements");
    says(changed("WaveMap: 4x4", "WaveMap: 9999x4"), "its m_repeat must be a number");
    says(source(universal, {.type = lkt::gemm_type::f64}), "gemm has no f64");
    says(source(universal, {.output = lkt::gemm_type::int4}), "gemm has no int4");
    // Words from elsewhere than a name.
    lkt::ck_instance made{"DeviceGemmXdlUniversal", {{{"block_size", std::string("256>; int x")}}}};
    says(lkt::ck_source(made), "its block_size must be a number");
}
