// SPDX-License-Identifier: BSL-1.0
// What the CUDA back end says where there is no device; tests/gpu/cuda/device needs one.
#include <lkt/gpu/cuda.hpp>

#include <doctest/doctest.h>

#include <lkt/gpu/any_gpu_backend.hpp>
#include <lkt/lang/find_kernel.hpp>

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace {

lkt::cuda with_driver(std::string const& library, std::string const& behaviour = {}) {
    lkt::cuda_options o;
    o.worker.environment = {"LKT_CUDA_DRIVER=" + library, "LKT_FAKE_DRIVER=" + behaviour};
    return lkt::cuda(std::move(o));
}

} // namespace

TEST_CASE("cuda: without a driver every call says what is missing, and does not crash") {
    auto gpu = with_driver("/nowhere/libcuda.so.1");
    CHECK(gpu.device().error().code == "lkt.cuda.driver");
    CHECK(gpu.device().error().kind == lkt::condition::unavailable);
    CHECK(gpu.compile({}).error().code == "lkt.cuda.driver");
    gpu.prefetch({});
    CHECK(gpu.counters().compiled == 0);
    gpu.release();
    lkt::any_gpu_backend any = std::move(gpu);
    CHECK(any.device({}).error().hint.find("nvidia-smi") != std::string::npos);
}

TEST_CASE("cuda: a device that is not there is answered with those that are") {
    for (char const* const which : {"7", "GPU-99999999", "GPU", "first", "-1"}) {
        lkt::cuda_options o;
        o.device = which;
        o.worker.environment = {std::string("LKT_CUDA_DRIVER=") + LKT_FAKE_DRIVER_LIBRARY,
                                "LKT_FAKE_DRIVER=devices=2"};
        auto const e = lkt::cuda(std::move(o)).device().error();
        CHECK(e.code == "lkt.cuda.device");
        CHECK(e.message.find("0: Fake GPU A (GPU-10101010-1010") != std::string::npos);
        CHECK(e.message.find("1: Fake GPU B (GPU-20202020-2020") != std::string::npos);
    }
}

namespace {

lkt::error of_instance(std::string const& which) {
    lkt::cuda_options o;
    o.device = which;
    o.worker.environment = {std::string("LKT_CUDA_DRIVER=") + LKT_FAKE_DRIVER_LIBRARY,
                            std::string("LKT_NVML=") + LKT_FAKE_DRIVER_LIBRARY,
                            "LKT_FAKE_DRIVER=mig=1"};
    return lkt::cuda(std::move(o)).device().error();
}

} // namespace

TEST_CASE("cuda: an instance of MIG is chosen before the driver starts") {
    // The fake's context fails: the instance was found.
    CHECK(of_instance("").code == "lkt.cuda.open");
    CHECK(of_instance("0").code == "lkt.cuda.open");
    CHECK(of_instance("MIG-30303030-3030-3030-3030-303030303030").code == "lkt.cuda.open");
    CHECK(of_instance("MIG-40404040-4040-4040-4040-404040404040").code == "lkt.cuda.open");
}

TEST_CASE("cuda: instances of MIG that no process sees are listed, too") {
    for (char const* const which : {"MIG-99999999", "1", "GPU-30303030"}) {
        CAPTURE(which);
        auto const e = of_instance(which);
        CHECK(e.code == "lkt.cuda.device");
        CHECK(e.message.find("Fake GPU MIG 1g.10gb (MIG-30303030-3030-") != std::string::npos);
        CHECK(e.message.find("Fake GPU MIG 1g.10gb (MIG-40404040-4040-") != std::string::npos);
    }
}

TEST_CASE("cuda: a device whose memory others fill says so") {
    auto gpu = with_driver(LKT_FAKE_DRIVER_LIBRARY, "context=2");
    auto const e = gpu.device().error();
    CHECK(e.code == "lkt.cuda.open");
    CHECK(e.kind == lkt::condition::exhausted);
}

TEST_CASE("cuda: what it does not do is refused before a device is asked") {
    auto gpu = with_driver("/nowhere/libcuda.so.1");
    lkt::compile_request request;
    request.source.language = lkt::language::wgsl;
    auto const outcome = gpu.compile(request).value();
    auto const& why = std::get<lkt::failure>(outcome);
    CHECK(std::get<lkt::refused>(why).what == "WGSL");
    CHECK(gpu.run({}, {}).error().code == "lkt.cuda.request");
}

namespace {

/// What the checked mode says of `body`, as far as the CPU can tell: there is no device.
lkt::result<lkt::run_outcome> run_on_cpu(std::string const& body) {
    lkt::cuda_options o;
    o.sanitizer = "/nowhere/compute-sanitizer";
    o.worker.environment = {"LKT_CUDA_DRIVER=/nowhere/libcuda.so.1"};
    lkt::cuda gpu(std::move(o));
    lkt::compile_request request;
    request.source = {lkt::language::cuda, "__global__ void k(int* x) {" + body + "}", "k.cu"};
    auto found = lkt::find_kernel(request.source);
    REQUIRE(found.has_value());
    request.signature = std::move(*found);
    request.checked = true;
    auto const compiled = gpu.compile(request);
    REQUIRE_MESSAGE(compiled.has_value(), lkt::to_string(compiled.error()));
    auto const& kernel = std::get<lkt::compiled_kernel>(*compiled);
    CHECK(kernel.checked);
    CHECK(kernel.stands_in);
    CHECK(kernel.unchecked.starts_with("checked on the CPU only: "));
    std::vector<int> const words(64, 1);
    std::vector<lkt::argument_data> const arguments{
        lkt::make_buffer({lkt::scalar_type::int32}, std::span{words})};
    std::vector<lkt::direction> const directions{lkt::direction::inout};
    lkt::run_request run;
    run.dimensions.block = {64};
    run.arguments = arguments;
    run.directions = directions;
    run.time_limit = lkt::seconds{2};
    return gpu.run(kernel, run);
}
lkt::run_outcome checked_on_cpu(std::string const& body) {
    auto ran = run_on_cpu(body);
    REQUIRE_MESSAGE(ran.has_value(), lkt::to_string(ran.error()));
    return std::move(*ran);
}

} // namespace

TEST_CASE("cuda: the checked mode looks for races on the CPU, too") {
    std::string const sum =
        "__shared__ volatile int part[64]; int t = threadIdx.x; part[t] = x[t]; "
        "__syncthreads(); if (t < 32) { part[t] += part[t + 32]; ";
    auto const held = checked_on_cpu(sum + "} __syncthreads(); x[t] = part[t % 32];");
    CHECK(std::holds_alternative<lkt::run_report>(held));
    // In one warp, which NVIDIA's racecheck does not look into.
    auto const lucky = checked_on_cpu(sum + "part[t] += part[t + 16]; part[t] += part[t + 8]; } "
                                            "__syncthreads(); x[t] = part[t % 8];");
    REQUIRE(std::holds_alternative<lkt::failure>(lucky));
    CHECK(std::holds_alternative<lkt::race>(std::get<lkt::failure>(lucky)));
    auto const behind = checked_on_cpu("x[threadIdx.x] = x[threadIdx.x + 1];");
    REQUIRE(std::holds_alternative<lkt::failure>(behind));
    CHECK(lkt::verdict_of(std::get<lkt::failure>(behind)) == lkt::verdict::oob_read);
}

TEST_CASE("cuda: what does not come to an end on the CPU may do so on a device") {
    // Blocks that wait for each other: here one after the other runs.
    auto const waits = run_on_cpu("while (atomicAdd(x, 0) < 100) ;");
    REQUIRE(waits.has_error());
    CHECK(waits.error().kind == lkt::condition::unavailable);
    CHECK(waits.error().code == "lkt.cuda.checked");
}

TEST_CASE("cuda: what does not compile for the CPU is not held against it") {
    lkt::cuda_options o;
    o.sanitizer = "/nowhere/compute-sanitizer";
    lkt::cuda gpu(std::move(o));
    lkt::compile_request request;
    request.source = {
        lkt::language::cuda, "__global__ void k(int* x) { x[0] = no_such(x); }", "k.cu"};
    auto found = lkt::find_kernel(request.source);
    REQUIRE(found.has_value());
    request.signature = std::move(*found);
    request.checked = true;
    auto const compiled = gpu.compile(request);
    REQUIRE_FALSE(compiled.has_value()); // neither of the two can look
    CHECK(compiled.error().kind == lkt::condition::unavailable);
    CHECK(compiled.error().code == "lkt.cuda.checked");
    CHECK(compiled.error().message.find("does not compile for the CPU") != std::string::npos);
    CHECK(compiled.error().message.find("/nowhere/compute-sanitizer") != std::string::npos);
}
