// SPDX-License-Identifier: BSL-1.0
// What the WebGPU back end says where there is no library or no device; tests/gpu/webgpu needs
// them.
#include <lkt/gpu/webgpu.hpp>

#include <lkt/gpu/any_gpu_backend.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

TEST_CASE("webgpu: without a library every call says what is missing, and does not crash") {
    lkt::webgpu_options o;
    o.library = "/nowhere/libwgpu_native.so";
    lkt::webgpu gpu(std::move(o));
    CHECK(gpu.device().error().code == "lkt.webgpu.library");
    CHECK(gpu.device().error().kind == lkt::condition::unavailable);
    CHECK(gpu.compile({}).error().code == "lkt.webgpu.library");
    gpu.prefetch({});
    CHECK(gpu.counters().compiled == 0);
    gpu.release();
    lkt::any_gpu_backend any = std::move(gpu);
    CHECK(any.device({}).error().hint.find("LKT_WGPU") != std::string::npos);
}

TEST_CASE("webgpu: another library is refused before anything is asked of it") {
    lkt::webgpu_options o;
    o.library = "libm.so.6";
    CHECK(lkt::webgpu(std::move(o)).device().error().code == "lkt.webgpu.version");
}

TEST_CASE("webgpu: there is no checked mode") {
    lkt::webgpu gpu;
    lkt::compile_request request;
    request.checked = true;
    CHECK(gpu.compile(request).error().code == "lkt.webgpu.checked");
}
