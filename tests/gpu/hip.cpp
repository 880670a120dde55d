// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/hip.hpp>

#include <doctest/doctest.h>

#include <utility>

static_assert(lkt::gpu_backend<lkt::hip>);

TEST_CASE("Without a device the HIP back end says what is missing") {
    lkt::hip_options options;
    options.worker.environment.push_back("LKT_HIP=/nowhere/libamdhip64.so");
    lkt::hip gpu{std::move(options)};
    auto const device = gpu.device();
    REQUIRE_FALSE(device.has_value());
    CHECK(device.error().kind == lkt::condition::unavailable);
    CHECK(device.error().code == "lkt.hip.driver");
    CHECK(gpu.counters().launches == 0);
}
