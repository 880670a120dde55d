// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/hip/hiprtc.hpp>

#include "support.hpp"

#include <lkt/gpu/code_object.hpp>
#include <lkt/gpu/device/detail/module_tools.hpp>
#include <lkt/lang/find_kernel.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace hip_support;
using namespace lkt::hip_detail;

namespace {

lkt::refused refusal_of(compile_job const& j) {
    auto const made = prepare(j, {}, {}, "c++20");
    auto const* const f = std::get_if<lkt::failure>(&made);
    if (f == nullptr) return {"it was prepared", {}, {}};
    return std::get<lkt::refused>(*f);
}
prepared_job prepared(compile_job const& j) {
    auto made = prepare(j, {}, {}, "c++20");
    if (auto const* const f = std::get_if<lkt::failure>(&made))
        throw std::runtime_error(lkt::describe(*f));
    return std::get<prepared_job>(std::move(made));
}
std::string const adder = "#include <hip/hip_runtime.h>\n"
                          "__global__ void k(float* a, float const* b, int n) {\n"
                          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i < n) a[i] += b[i];\n"
                          "}\n";
bool has(std::vector<std::string> const& all, std::string const& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

} // namespace

TEST_CASE("A HIP job becomes a text with options, and no other files") {
    auto const p = prepared(job(adder, "k", "gfx90a:sramecc+:xnack-"));
    CHECK(has(p.program.options, "--offload-arch=gfx90a:sramecc+:xnack-"));
    CHECK(has(p.program.options, "-std=c++20"));
    CHECK(has(p.program.headers, "hip/hip_runtime.h"));
    CHECK(has(prepared(job(adder, "k", "sm_90")).program.options, "--gpu-architecture=sm_90"));
    CHECK(prepared(job("__global__ void k() {}")).program.headers.empty());

    for (auto const* const arch : {"", "gfx", "gfx90a;rm", "gfx90a:", "gfx90a:xnack", "sm_90 -x"})
        CHECK_MESSAGE(refusal_of(job(adder, "k", arch)).what == arch, arch);
    CHECK(refusal_of(job("#include \"/etc/passwd\"\n")).what.find("passwd") != std::string::npos);
    CHECK(refusal_of(job(adder, "k(); system")).why == "it is not a kernel's name");
    auto cuda = job(adder);
    cuda.source.language = lkt::language::cuda;
    CHECK(refusal_of(cuda).what == "CUDA");

    auto j = job(adder);
    for (auto const* const bad : {"-fplugin=x.so", "-save-temps", "-o", "-Xclang", "-include=x"}) {
        j.options = {bad};
        CHECK_MESSAGE(refusal_of(j).what == bad, bad);
    }
    j.options = {"-use_fast_math", "-ffp-contract=off", "-DN=3", "-maxrregcount=32"};
    auto const with = prepared(j);
    CHECK(has(with.program.options, "-ffast-math"));
    CHECK(has(with.program.options, "-ffp-contract=off"));
    CHECK(has(with.program.options, "-DN=3"));
    CHECK(with.notes == std::vector<std::string>{"ignored option: -maxrregcount=32"});
    j.arch = "sm_90";
    CHECK(has(prepared(j).program.options, "--use_fast_math"));
}

TEST_CASE("HIPRTC compiles, and what it says is about the user's lines") {
    if (!have_hiprtc()) return;
    compile_pool pool{plain_options()};
    auto const made = code(pool,
                           job("template <class T, int N> __global__ void k(T* a) {\n"
                               "    __shared__ T s[N];\n"
                               "    s[threadIdx.x % N] = a[threadIdx.x];\n"
                               "    __syncthreads();\n"
                               "    a[threadIdx.x] = s[N - 1 - threadIdx.x % N];\n}\n",
                               "k<float, 64>"));
    CHECK(made->resources.static_shared_bytes == 256);
    CHECK(made->resources.registers > 0);
    auto const kernels = lkt::kernels_in_code_object(made->image);
    REQUIRE(kernels.has_value());
    REQUIRE(kernels->size() == 1);
    CHECK(kernels->front().name == made->entry);
    CHECK(kernels->front().wave_lanes == 64);
    CHECK(kernels->front().parameters == std::vector<std::uint64_t>{8});
    // A configuration's values, and headers of HIP's that HIPRTC has built in.
    auto defined = job("#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n"
                       "__global__ void k(__half* a) { a[N] = __float2half(1.0f); }\n");
    defined.definitions.values = {{"N", std::int64_t{7}}};
    CHECK(code(pool, defined)->resources.static_shared_bytes == 0);

    // What hipcc knows from the host's headers.
    CHECK_NOTHROW(
        (void)code(pool,
                   job("#include <hip/hip_runtime.h>\n#include <cfloat>\n#include <cmath>\n"
                       "#include <cstdint>\n#include <climits>\n"
                       "__global__ void k(float* a, uint32_t n) {\n"
                       "    a[0] = INFINITY + FLT_MAX + INT_MAX + std::sqrt(a[1]) + n;\n}\n")));
    CHECK_NOTHROW((void)code(
        pool, job("__global__ void k(float* a) { a[0] = std::max(a[0], INFINITY); }\n")));

    auto const wrong = pool.get(job("__global__ void k(int* a) {\n    a[0] = nothing;\n}\n"));
    REQUIRE(wrong.has_value());
    auto const& why = std::get<lkt::compile_failed>(std::get<lkt::failure>(*wrong));
    CHECK_MESSAGE(why.log.find("kernel:2:12") != std::string::npos, why.log);
    CHECK_MESSAGE(why.log.find("nothing") != std::string::npos, why.log);

    // Older ones end the process when they are asked for a device that they do not know.
    auto const unknown = pool.get(job(adder, "k", "gfx9999"));
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().code == "lkt.hip.arch");
}

TEST_CASE("HIPRTC compiles lkt's own kernels and all examples") {
    if (!have_hiprtc()) return;
    compile_pool pool{plain_options()};
    for (auto const* const arch : {"gfx90a", "gfx1030"}) {
        auto const tools = code(pool, job(lkt::device_detail::tools_text(), "lkt_hold", arch));
        auto const kernels = lkt::kernels_in_code_object(tools->image);
        REQUIRE(kernels.has_value());
        CHECK(kernels->size() == 14);
        for (auto const& k : *kernels) CHECK_MESSAGE(k.spilt_vgprs == 0, k.name);
    }
    int compiled = 0;
    namespace fs = std::filesystem;
    for (auto const& file :
         fs::directory_iterator{fs::path{LKT_TEST_SOURCE_DIR}.parent_path() / "examples/kernels"}) {
        if (file.path().extension() != ".cu") continue;
        std::ifstream in{file.path()};
        std::string const text{std::istreambuf_iterator<char>{in}, {}};
        auto const kernels = lkt::kernel_names({lkt::language::hip, text, {}});
        REQUIRE(kernels.has_value());
        for (auto const& k : *kernels) CHECK_NOTHROW((void)code(pool, job(text, k)));
        ++compiled;
    }
    CHECK(compiled == 8);
}
