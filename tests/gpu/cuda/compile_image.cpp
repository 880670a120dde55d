// SPDX-License-Identifier: BSL-1.0
// What cubins tell of themselves.
#include <lkt/gpu/cuda/compile_job.hpp>

#include "support.hpp"

#include <lkt/gpu/detail/elf_sections.hpp>
#include <lkt/gpu/device/detail/module_tools.hpp>

using namespace lkt::cuda_detail;
using cuda_support::adder;
using cuda_support::cubin;
using cuda_support::job;
using cuda_support::plain_options;

TEST_CASE("Variables that outlive a launch are found in the cubin") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    auto const facts = [&](std::string const& text) {
        auto const found = facts_of(cubin(pool, job(text))->image);
        REQUIRE(found.writable_bytes.has_value());
        CHECK(found.digest != 0);
        return *found.writable_bytes;
    };
    CHECK(facts(adder) == 0);
    CHECK(facts("__device__ float kept[256];\n"
                "__global__ void k(float* p) { p[threadIdx.x] += kept[threadIdx.x]++; }") == 1024);
    CHECK(facts("__device__ int count = 7; __global__ void k(int* p) { *p = count++; }") == 4);
    CHECK(facts("__global__ void k(int* p) { static int n = 3; *p = n++; }") == 4);
    // Constants of headers are not the kernel's; its own variables beside them are.
    std::string const groups = "#include <cooperative_groups.h>\n";
    if (has_header(*lkt::cuda_detail::find_nvrtc(), "cooperative_groups.h")) {
        CHECK(facts(groups + adder) == 0);
        CHECK(facts(groups + "template <class T> __device__ T kept;\n"
                             "__global__ void k(int* p) { *p = kept<int>++; }") == 4);
    }
    CHECK(facts("namespace thrust { __device__ int n; }\n"
                "__global__ void k(int* p) { *p = thrust::n++; }") == 4);
    // What the compiler keeps of constants, it names.
    auto const zeros = facts_of(
        cubin(pool, job("constexpr int padding = 0; __global__ void k(int* p) { *p = padding; }"))
            ->image);
    CHECK(zeros.zeroed.size() == (*zeros.writable_bytes > 0));
    if (!zeros.zeroed.empty()) CHECK(zeros.zeroed[0] == lkt::kept_variable{"padding", 4});
    // Those cannot be written by a kernel, or do not outlive it.
    CHECK(facts("__constant__ float c[17]; __global__ void k(float* p) { *p = c[3]; }") == 0);
    CHECK(facts("__global__ void k(float* p) { __shared__ float s[64]; s[threadIdx.x] = *p;\n"
                "__syncthreads(); *p = s[63 - threadIdx.x]; }") == 0);
}

TEST_CASE("Cubins have equal digests where the code is the same") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    auto const digest = [&](compile_job const& j) {
        return facts_of(cubin(pool, j)->image).digest;
    };
    auto const plain = digest(job(adder));
    auto unused = job(adder);
    unused.definitions.values = {{"NOT_THERE", std::int64_t{3}}};
    CHECK(digest(unused) == plain);
    CHECK(digest(job("// a remark\n" + adder)) == plain);
    auto other = adder;
    other.replace(other.find("+="), 2, "-=");
    CHECK(digest(job(other)) != plain);
    auto const filter = [](char const* values) {
        return job(std::string("__constant__ float c[2] = {") + values +
                   "}; __global__ void k(float* p) { p[threadIdx.x] *= c[threadIdx.x & 1]; }");
    };
    CHECK(digest(filter("1, 2")) != digest(filter("1, 3")));
    CHECK(digest(filter("1, 2")) == digest(filter("1, 2.0f")));
}

TEST_CASE("A cubin that does not add up says nothing, wherever it is cut") {
    CHECK(!facts_of("").writable_bytes.has_value());
    CHECK(!facts_of("\177ELF\2\1").writable_bytes.has_value());
    CHECK(facts_of(std::string(4096, '\377')).digest == 0);
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    std::string const whole = cubin(pool, job(adder))->image;
    REQUIRE(lkt::gpu_detail::elf_sections(whole).has_value());
    for (std::size_t n = 0; n < whole.size(); n += 7) (void)facts_of(whole.substr(0, n));
    for (std::size_t at = 0; at < whole.size(); at += 3) { // each read is within its bounds
        auto broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ 0xff);
        (void)facts_of(broken);
    }
}

TEST_CASE("lkt's own kernels compile") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    for (char const* const name : {"lkt_hold",
                                   "lkt_scrub",
                                   "lkt_stream",
                                   "lkt_fill",
                                   "lkt_nearly",
                                   "lkt_disturbed",
                                   "lkt_read",
                                   "lkt_digest"}) {
        auto const tool = cubin(pool, job(tools_text(), name));
        CHECK(tool->entry == name);
        CHECK(facts_of(tool->image).writable_bytes == 0);
    }
}
