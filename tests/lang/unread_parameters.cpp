// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/unread_parameters.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

std::vector<std::string> unread(std::string text,
                                lkt::language language = lkt::language::cuda,
                                lkt::launch_formula const& launch = {}) {
    std::vector<lkt::tunable_parameter> const parameters{
        {"BLOCK", {std::int64_t{32}, std::int64_t{64}}}};
    return lkt::unread_parameters({language, std::move(text), {}}, "k", launch, parameters);
}
std::vector<std::string> const none, block{"BLOCK"};

} // namespace

TEST_CASE("A parameter is read by the text, by its macros and conditions, or by the launch") {
    CHECK(unread("__global__ void k(float* x) { x[0] = BLOCK; }") == none);
    CHECK(unread("#define W (BLOCK / 2)\n__global__ void k(float* x) { x[0] = W; }") == none);
    CHECK(unread("#if BLOCK > 32\n#endif\n__global__ void k(float* x) { x[0] = 1; }") == none);
    CHECK(unread("template <int BLOCK> __global__ void k(float* x) { x[0] = BLOCK; }") == none);
    lkt::launch_formula launch;
    launch.block[0] = lkt::expression::parse("BLOCK").value();
    CHECK(unread("__global__ void k(float* x) { x[0] = 1; }", lkt::language::cuda, launch) == none);
    CHECK(unread("@compute @workgroup_size(BLOCK) fn k() {} override BLOCK: u32 = 8;",
                 lkt::language::wgsl) == none);
}

TEST_CASE("A parameter is not read where its name means something else, or nothing") {
    CHECK(unread("// BLOCK\n__global__ void k(float* x) { x[0] = 1; }") == block);
    CHECK(unread("#define BLOCK 16\n__global__ void k(float* x) { x[0] = 1; }") == block);
    CHECK(unread("#if 0\nint BLOCK;\n#endif\n__global__ void k(float* x) { x[0] = 1; }") == block);
    CHECK(unread("template <int BLOCK> __device__ int f() { return BLOCK; }\n"
                 "__global__ void k(float* x) { x[0] = f<64>(); }") == block);
    CHECK(unread("override BLOCK: u32 = 8; @compute @workgroup_size(8) fn k() {}",
                 lkt::language::wgsl) == block);
}

TEST_CASE("Of a text that cannot be read, nothing is said") {
    CHECK(unread("__global__ void k(float* x) { /*") == none);
}
