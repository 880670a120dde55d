// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/hip.hpp>

#include "support.hpp"

#include <lkt/lang/find_kernel.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace {

/// A GPU of AMD's whose waves have so many lanes: its runtime is a stand-in, which launches
/// nothing; HIPRTC is the real one.
lkt::hip gpu_of(int lanes, lkt::hip_detail::compiler_place const& hiprtc) {
    lkt::hip_options o;
    o.hiprtc = hiprtc.library;
    o.worker.environment = {"LKT_HIP=" LKT_HIP_ON_CUDA,
                            "LKT_CUDA_DRIVER=" LKT_FAKE_DRIVER_LIBRARY,
                            "LKT_FAKE_GCN=gfx90a",
                            "LKT_FAKE_DRIVER=works=1,warp=" + std::to_string(lanes)};
    return lkt::hip(std::move(o));
}

lkt::compile_request checked(std::string const& statements) {
    lkt::compile_request r;
    r.source = {lkt::language::hip,
                "__global__ void k(int* a) {\n    int v = a[threadIdx.x];\n    " + statements +
                    "\n    a[threadIdx.x] = v;\n}\n",
                {}};
    r.signature = lkt::find_kernel(r.source).value();
    r.checked = true;
    return r;
}

/// What the CPU makes of it, with a block of 128 threads.
lkt::run_outcome on_cpu(lkt::hip& gpu, std::string const& statements) {
    auto const made = gpu.compile(checked(statements));
    REQUIRE_MESSAGE(made.has_value(), lkt::to_string(made.error()));
    REQUIRE(std::holds_alternative<lkt::compiled_kernel>(*made));
    auto const& kernel = std::get<lkt::compiled_kernel>(*made);
    CHECK(kernel.checked);
    CHECK(kernel.stands_in);
    std::vector<std::int32_t> const numbers(128, 1);
    std::vector<lkt::argument_data> const arguments{
        lkt::make_buffer({lkt::scalar_type::int32, 1}, std::span<std::int32_t const>{numbers})};
    std::vector<lkt::direction> const directions{lkt::direction::inout};
    lkt::run_request request;
    request.dimensions = {{1}, {128}, 0};
    request.arguments = arguments;
    request.directions = directions;
    auto ran = gpu.run(kernel, request);
    REQUIRE_MESSAGE(ran.has_value(), lkt::to_string(ran.error()));
    return std::move(*ran);
}

} // namespace

TEST_CASE("The CPU checks a text that uses lanes with the device's waves, of 32 or of 64") {
    if (!hip_support::have_hiprtc()) return;
    auto const hiprtc = lkt::hip_detail::find_hiprtc().value();
    // A place for each wave of 64 lanes: two of 128 threads, and four of 32 lanes do not fit.
    std::string const sums = "__shared__ int part[2];\n"
                             "for (int d = warpSize / 2; d; d /= 2) v += __shfl_xor(v, d);\n"
                             "if (__lane_id() == 0) part[threadIdx.x / warpSize] = v;\n";
    auto wide = gpu_of(64, hiprtc);
    auto const device = wide.device();
    REQUIRE_MESSAGE(device.has_value(), lkt::to_string(device.error()));
    CHECK(device->warp_size == 64);
    CHECK(device->architecture == "gfx90a");
    CHECK(std::holds_alternative<lkt::run_report>(
        on_cpu(wide, sums + "__syncthreads(); v = part[0] + part[1];")));
    auto const race = on_cpu(wide, sums + "v = part[0] + part[1];");
    REQUIRE(std::holds_alternative<lkt::failure>(race));
    CHECK(std::holds_alternative<lkt::race>(std::get<lkt::failure>(race)));
    auto narrow = gpu_of(32, hiprtc);
    auto const outside = on_cpu(narrow, sums + "__syncthreads(); v = part[0] + part[1];");
    REQUIRE(std::holds_alternative<lkt::failure>(outside));
    CHECK(std::holds_alternative<lkt::out_of_bounds>(std::get<lkt::failure>(outside)));
}

TEST_CASE("What the CPU cannot know of a wave is not judged, and the error says why") {
    if (!hip_support::have_hiprtc()) return;
    auto const hiprtc = lkt::hip_detail::find_hiprtc().value();
    auto const says = [](lkt::error const& e, std::string_view why) {
        CHECK(e.kind == lkt::condition::unavailable);
        CHECK(e.code == "lkt.hip.checked");
        INFO(e.message);
        CHECK(e.message.find(why) != std::string::npos);
    };
    auto gpu = gpu_of(64, hiprtc);
    auto const groups =
        gpu.compile(checked("v += cooperative_groups::this_thread_block().size();"));
    REQUIRE(groups.has_error());
    says(groups.error(), "it uses cooperative_groups, and a wave of Fake GPU A has 64 lanes");
    auto const builtin = gpu.compile(checked("v = __builtin_amdgcn_readfirstlane(v);"));
    REQUIRE(builtin.has_error());
    says(builtin.error(), "`__builtin_amdgcn_readfirstlane` at line 3, column 9 was refused");
    auto odd = gpu_of(16, hiprtc);
    auto const none = odd.compile(checked("v += 1;"));
    REQUIRE(none.has_error());
    says(none.error(), "has 16 lanes, one of the CPU 32 or 64");
}
