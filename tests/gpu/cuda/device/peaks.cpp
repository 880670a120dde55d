// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include "support_cuda.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

TEST_CASE("device: its peaks are measured, plausible, and kept") {
    std::string folder = (std::filesystem::temp_directory_path() / "lkt-peaks-XXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    lkt::cuda_options options;
    options.cache_folder = folder;
    lkt::cuda gpu(options);
    auto const device = gpu.device();
    REQUIRE(device.has_value());

    auto const begin = std::chrono::steady_clock::now();
    auto const found = gpu.peaks();
    lkt::seconds const took = std::chrono::steady_clock::now() - begin;
    REQUIRE_MESSAGE(found.has_value(), lkt::to_string(found.error()));
    CHECK(!found->from_cache);
    std::printf("peaks of %s (driver %s), measured in %s:\n",
                device->name.c_str(),
                device->driver.c_str(),
                lkt::to_string(took).c_str());
    auto const print = [](char const* name, double measured, double paper, double unit) {
        std::printf("  %-12s %8.1f of %8.1f\n", name, measured / unit, paper / unit);
    };
    auto const &is = found->measured, &could = found->on_paper;
    print("GB/s", is.copy, could.copy, 1e9);
    print("fp32", is.fp32, could.fp32, 1e12);
    print("fp16", is.fp16, could.fp16, 1e12);
    print("fp64", is.fp64, could.fp64, 1e12);
    print("tensor tf32", is.tensor_tf32, could.tensor_tf32, 1e12);
    print("tensor fp16", is.tensor_fp16, could.tensor_fp16, 1e12);
    print("tensor bf16", is.tensor_bf16, could.tensor_bf16, 1e12);
    print("tensor fp8", is.tensor_fp8, could.tensor_fp8, 1e12);
    print("tensor int8", is.tensor_int8, could.tensor_int8, 1e12);
    auto const& wgmma = found->wgmma;
    print("wgmma tf32", wgmma.tensor_tf32, could.tensor_tf32, 1e12);
    print("wgmma fp16", wgmma.tensor_fp16, could.tensor_fp16, 1e12);
    print("wgmma bf16", wgmma.tensor_bf16, could.tensor_bf16, 1e12);
    print("wgmma fp8", wgmma.tensor_fp8, could.tensor_fp8, 1e12);
    print("wgmma int8", wgmma.tensor_int8, could.tensor_int8, 1e12);

    // Nothing exceeds what its clock allows; what falls far behind was measured wrongly.
    CHECK(is.copy > 0.75 * could.copy);
    CHECK(is.copy < could.copy);
    CHECK(is.fp32 > 0);
    if (could.fp32 > 0) {
        CHECK(is.fp32 > 0.9 * could.fp32);
        CHECK(is.fp32 < 1.01 * could.fp32);
    }
    if (could.fp16 > 0) {
        CHECK(is.fp16 > 0.85 * could.fp16);
        CHECK(is.fp16 < 1.01 * could.fp16);
    }
    if (could.fp64 > 0) {
        CHECK(is.fp64 > 0.85 * could.fp64);
        CHECK(is.fp64 < 1.01 * could.fp64);
    }
    // mma alone reaches no more on the newest devices, and Hopper has none of float8: there a
    // compiler multiplies halves, and only once where it can. Power limits wgmma.
    for (auto const rate : {&lkt::device_rates::tensor_tf32,
                            &lkt::device_rates::tensor_fp16,
                            &lkt::device_rates::tensor_bf16,
                            &lkt::device_rates::tensor_fp8,
                            &lkt::device_rates::tensor_int8})
        if (could.*rate > 0) {
            bool const hopper = device->architecture == "sm_90a";
            bool const there = !hopper || rate != &lkt::device_rates::tensor_fp8;
            CHECK((is.*rate > 0.25 * could.*rate) == there);
            CHECK(is.*rate < could.*rate);
            CHECK((wgmma.*rate > 0) == hopper);
            if (hopper) {
                CHECK(wgmma.*rate > 0.55 * could.*rate);
                CHECK(wgmma.*rate < could.*rate);
            }
        }

    // Of sums of float8 products Hopper keeps 14 bits by wgmma.
    std::printf("  bits of sums of float8: %d by mma, %d by wgmma\n",
                found->float8_sum_bits,
                found->wgmma_float8_sum_bits);
    CHECK((found->float8_sum_bits > 0) == (is.tensor_fp8 > 0));
    if (device->architecture == "sm_90a") CHECK(found->wgmma_float8_sum_bits == 14);

    lkt::cuda later(options);
    auto const kept = later.peaks();
    REQUIRE(kept.has_value());
    CHECK(kept->from_cache);
    CHECK(kept->measured == found->measured);
    CHECK(kept->wgmma == found->wgmma);
    CHECK(kept->float8_sum_bits == found->float8_sum_bits);
    CHECK(kept->wgmma_float8_sum_bits == found->wgmma_float8_sum_bits);
    CHECK(later.counters().compiled == 0); // the tools, too, come from the cache
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
}
