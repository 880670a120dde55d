// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/ck_instance.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

std::string const wmma =
    "DeviceGemmWmma_CShuffle<256, 128, 128, 32, 8, 16, 16, 4, 2> AEnableLds: 1, "
    "BEnableLds: 1, NumPrefetch: 2, LoopScheduler: Default, PipelineVersion: v1";
std::string const universal =
    "DeviceGemmXdlUniversal<MNPadding, RCR> BlkSize: 256, BlkTile: 128x64x32, WaveTile: 32x16, "
    "WaveMap: 2x1, VmemReadVec: 8x4, BlkGemmPipelineScheduler: Intrawave, BlkGemmPipelineVersion: "
    "v3, BlkGemmPipelinePrefetchStages: 2, KPack: 8, Something: new";

std::string text(std::string_view name) {
    auto const one = lkt::parse_ck_instance(name);
    return one ? one->kind + ": " + to_string(one->parameters) : one.error().message;
}

} // namespace

TEST_CASE("ck_instance: one name for each parameter in all kinds") {
    CHECK(text(wmma) ==
          "DeviceGemmWmma_CShuffle: block_size=256, m_block=128, n_block=128, k_block=32, k1=8, "
          "m_wave=16, n_wave=16, m_repeat=4, n_repeat=2, a_lds=1, b_lds=1, prefetch=2, "
          "scheduler='Default', pipeline='v1'");
    CHECK(text(universal) ==
          "DeviceGemmXdlUniversal: padding='MNPadding', layouts='RCR', block_size=256, "
          "m_block=128, n_block=64, k_block=32, m_wave=32, n_wave=16, m_repeat=2, n_repeat=1, "
          "a_vector=8, b_vector=4, scheduler='Intrawave', pipeline='v3', prefetch=2, k_pack=8, "
          "Something='new'");
    CHECK(text("DeviceGemmDl<256, 128, 128, 16, 2, 4, 4, 1>").find("k_thread=1") !=
          std::string::npos);
    CHECK(text("DeviceGemm_Xdl_CShuffle<256, 128, 256, 32, 8, 8, 32, 32, 2, 4, 8, 8, 1, 1> "
               "LoopScheduler: Interwave, PipelineVersion: v1")
              .find("n_shuffle=1, scheduler='Interwave'") != std::string::npos);
    // As of Composable Kernel 1.1 (2024) and 1.2 (2026).
    CHECK(
        text("DeviceGemm_Xdl_CShuffle<MNKPadding, 256, 128, 256, 32, 8, 8, 32, 32, 2, 4, 8, 8, 1, "
             "1> LoopScheduler: Default, PipelineVersion: v2") ==
        "DeviceGemm_Xdl_CShuffle: padding='MNKPadding', block_size=256, m_block=128, "
        "n_block=256, k_block=32, a_k1=8, b_k1=8, m_wave=32, n_wave=32, m_repeat=2, n_repeat=4, "
        "a_vector=8, b_vector=8, m_shuffle=1, n_shuffle=1, scheduler='Default', pipeline='v2'");
    CHECK(text("DeviceGemmXdl<256, 128, 256, 4, 8, 32, 32, 2, 4, 8, 8, 2, 8> NumPrefetch: 1, "
               "LoopScheduler: Default, PipelineVersion: v1")
              .find("a_vector=8, a_store=8, b_vector=2, b_store=8, prefetch=1") !=
          std::string::npos);
    CHECK(text("DeviceGemm_Xdl_CShuffle_LdsDirectLoad<256, 128, 128, 32, 8, 8, 32, 32, 2, 2, 2, 2, "
               "1, 1, Default> LoopScheduler: Default, PipelineVersion: v4, Prefetch: 2")
              .find("padding='Default'") != std::string::npos);
    CHECK(text("DeviceGemm_Wmma_CShuffleV3<Default, RCR> BlkSize: 256, BlkTile: 128x64x32, "
               "WaveTile: 16x16, WaveMap: 2x1, VmemReadVec: 8x8, Kpack: 16")
              .find("b_vector=8, k_pack=16") != std::string::npos);
}

TEST_CASE("ck_instance: what is no instance is told why") {
    for (auto const& [name, why] :
         {std::pair<std::string, std::string>{"", "no parameters"},
          {"tile 256x256x64", "no parameters"},
          {"DeviceGemmDl<256, 128>", "has 8 parameters, and here are 2"},
          {"DeviceGemmDl<256, 128, x, 16, 2, 4, 4, 1>", "`x` is no number"},
          {"DeviceGemmXdl<256>", "has 9 or 13 parameters"},
          {"DeviceGemm_Xdl_CShuffle<1, 256, 128, 256, 32, 8, 8, 32, 32, 2, 4, 8, 8, 1, 1>",
           "`1` is no padding"},
          {"DeviceOther<1, 2>", "the kind `DeviceOther` is not known"},
          {">DeviceGemmDl<", "no parameters"},
          {"DeviceGemmDl<256, 128, 128, 16, 2, 4, 4, 1> Scheduler", "has no value"},
          {"DeviceGemmDl<256, 128, 128, 16, 2, 4, 4, 1> KPack: 1, KPack: 2", "twice"},
          {"DeviceX<A, RCR> BlkTile: 128x64", "another number of values"},
          {"DeviceX<A> BlkTile: 128x64x32", "its padding and layouts"},
          {"DeviceX<A, B> BlkTile: 128xax32", "`a` is no number"}}) {
        auto const one = lkt::parse_ck_instance(name);
        REQUIRE(one.has_error());
        CHECK(one.error().code == "lkt.scan.ck-instance");
        INFO(one.error().message);
        CHECK(one.error().message.find(why) != std::string::npos);
    }
}

TEST_CASE("ck_instance: a space of the values that occur, by the rules that all keep") {
    std::vector<std::string> names;
    for (auto const* const numbers : {"256, 128, 128, 32, 8, 16, 16, 4, 2",
                                      "128, 128, 64, 64, 8, 16, 16, 4, 2",
                                      "64, 64, 32, 32, 8, 16, 16, 4, 1",
                                      "32, 16, 16, 32, 8, 16, 16, 1, 1"})
        names.push_back("DeviceGemmWmma_CShuffle<" + std::string(numbers) + "> NumPrefetch: 1");
    names.push_back(names[0]);
    names.push_back(universal);
    names.emplace_back("tile 256x256x64");
    auto const found = lkt::ck_spaces_of(names);
    REQUIRE(found.has_value());
    REQUIRE(found->spaces.size() == 2);
    CHECK(found->unknown.size() == 1);
    auto const& s = found->spaces[0];
    CHECK(s.kind == "DeviceGemmWmma_CShuffle");
    CHECK(s.instances.size() == 4);
    CHECK(s.restrictions.size() == 3);
    CHECK(s.space.parameters()[1].values.size() == 3); // m_block: 16, 64, 128
    // Each instance is in the space, and so are others that could be built.
    std::size_t known = 0;
    auto walk = s.space.configurations();
    for (auto c = walk.next(); c; c = walk.next()) known += s.name_of(*c).has_value() ? 1 : 0;
    CHECK(known == 4);
    CHECK(s.space.count() > 4);
    CHECK(s.space.count() < *s.space.unrestricted_count());
    for (auto const& name : {names[0], names[3]}) {
        auto const one = lkt::parse_ck_instance(name);
        CHECK(s.space.contains(one->parameters));
        CHECK(s.name_of(one->parameters) == name);
    }
    // A rule that one of them breaks is none.
    names.push_back("DeviceGemmWmma_CShuffle<256, 16, 16, 32, 8, 16, 16, 1, 1> NumPrefetch: 1");
    CHECK(lkt::ck_spaces_of(names)->spaces[0].restrictions.size() == 2);
}
