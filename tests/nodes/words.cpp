// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/words.hpp>

#include <doctest/doctest.h>

TEST_CASE("Values, configurations, sizes and launches in words") {
    CHECK(lkt::value_words(std::int64_t{-4}) == "-4");
    CHECK(lkt::value_words(0.1) == "0.1");
    CHECK(lkt::value_words(true) == "True");
    CHECK(lkt::value_words(std::string("fast")) == "'fast'");
    CHECK(lkt::values_words({std::int64_t{1}, 2.5}) == "1, 2.5");
    CHECK(lkt::configuration_words({{{"TILE", std::int64_t{16}}, {"MODE", std::string("a")}}}) ==
          "TILE=16, MODE='a'");
    CHECK(lkt::configuration_words({}).empty());
    CHECK(lkt::size_words({{"N", 256}, {"K", 64}}) == "N=256, K=64");
    CHECK(lkt::size_words({}) == "(none)");
    lkt::launch_formula f;
    f.grid[0] = lkt::expression::parse("ceil_div(N, 32)").value();
    f.block[0] = 32;
    CHECK(lkt::launch_words(f) == "- grid: `ceil_div(N, 32)`, `1`, `1`\n- block: `32`, `1`, `1`\n");
    f.shared_bytes = 128;
    CHECK(lkt::launch_words(f).find("`128` bytes") != std::string::npos);
}

TEST_CASE("What bounds a launch is its busiest part, or what its warps wait for") {
    lkt::kernel_profile p;
    CHECK(lkt::bottleneck_words(p).empty());
    p.l2_percent = 12;
    CHECK(lkt::bottleneck_words(p) ==
          "latency; the busiest part of the device, the L2 cache, is at 12 % of its peak");
    p.stalls = {{"barrier", 40}};
    CHECK(lkt::bottleneck_words(p).ends_with(
        "and warps wait most at barriers for other warps (barrier)"));
    p.compute_percent = 60;
    CHECK(lkt::bottleneck_words(p) == "compute, at 60 % of the peak");
    CHECK(lkt::stall_words("sleeping") == "for sleeping");
}

TEST_CASE("How near a kernel comes to its roof") {
    lkt::roofline r;
    CHECK(lkt::share_words(r, lkt::seconds(1)).empty());
    r.bandwidth = 4e12;
    r.memory_time = lkt::seconds(0.5);
    CHECK(lkt::share_words(r, lkt::seconds(1)) == "50 % of what memory allows (4 TB/s on paper)");
    CHECK(lkt::share_words(r, lkt::seconds(0)).empty());
    r.type = lkt::arithmetic::float16;
    r.rate = 6e14;
    r.rate_measured = true;
    r.arithmetic_time = lkt::seconds(0.875);
    CHECK(lkt::share_words(r, lkt::seconds(1)) ==
          "87.5 % of what arithmetic allows (600 TFLOP/s in float16, measured)");
    // Only wgmma comes nearer there.
    lkt::device_description hopper;
    hopper.peaks.wgmma.tensor_fp16 = 8e14;
    hopper.ptx = "`mma.sync`";
    CHECK(lkt::missing_instructions(r, hopper, lkt::seconds(1))
              .starts_with("tensor cores of this device reach 800 TFLOP/s in float16 with wgmma, "
                           "and 600 TFLOP/s without; kernels may contain it with --ptx listed"));
    // At the roof of what it may contain, and still far from the other one.
    CHECK(!lkt::missing_instructions(r, hopper, r.arithmetic_time).empty());
    r.rate = 7.3e14;
    CHECK(lkt::missing_instructions(r, hopper, r.arithmetic_time).empty()); // near enough
    r.rate = 6e14;
    auto other = hopper;
    other.ptx += ", `wgmma.mma_async`";
    CHECK(lkt::missing_instructions(r, other, lkt::seconds(1)).empty());
    other = hopper;
    other.peaks.wgmma = {};
    CHECK(lkt::missing_instructions(r, other, lkt::seconds(1)).empty());
    r.type = lkt::arithmetic::float32;
    CHECK(lkt::missing_instructions(r, hopper, lkt::seconds(1)).empty());
}
