// SPDX-License-Identifier: BSL-1.0
// What an NVIDIA GPU says of failures beyond what every back end has to (conformance/), each
// followed by a kernel that must run as if nothing had been.
#include "../../support.hpp"
#include "support_cuda.hpp"

#include <chrono>
#include <cstdio>

using namespace support;

namespace {

using clock_type = std::chrono::steady_clock;

trial doubling(std::vector<float> const& x) {
    return {"__global__ void twice(float const* x, float* y, int n) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n) y[i] = 2 * x[i];\n}",
            {static_cast<unsigned>(x.size() / 256 + 1)},
            {256},
            {in(x), out<float>(x.size()), value(static_cast<int>(x.size()))}};
}

/// The device still computes; prints how long it took to get there.
void check_that_the_device_is_well(char const* after) {
    auto const x = random_floats(1000, 1);
    auto const begin = clock_type::now();
    auto const y = numbers<float>(outputs(shared_cuda(), doubling(x)).at(0));
    double const took = std::chrono::duration<double>(clock_type::now() - begin).count();
    std::printf("recovery after %-22s %6.0f ms\n", after, took * 1e3);
    bool right = y.size() == x.size();
    for (std::size_t i = 0; right && i < x.size(); ++i) right = y[i] == 2 * x[i];
    CHECK(right);
}

trial bad(std::string const& body) {
    return {"__global__ void bad(int* p, int n) {\n" + body + "\n}",
            {2},
            {64},
            {inout(std::vector<int>(128)), value(128)}};
}

} // namespace

TEST_CASE("device: an illegal address") {
    auto const f = failure_of<lkt::crashed>(shared_cuda(),
                                            bad("p[(long long)n << 40] = 1; if (n < 0) p[0] = 2;"));
    CHECK(f.what.find("illegal address") != std::string::npos);
    check_that_the_device_is_well("an illegal address");
    auto const null =
        failure_of<lkt::crashed>(shared_cuda(), bad("*(int*)(long long)(n - 128) = 1;"));
    CHECK(!null.what.empty());
    check_that_the_device_is_well("a null write");
}

TEST_CASE("device: a misaligned address, a trap, an assertion, an endless recursion") {
    auto const misaligned =
        failure_of<lkt::crashed>(shared_cuda(), bad("*(int*)((char*)p + 1) = n;"));
    CHECK(misaligned.what.find("misaligned") != std::string::npos);
    check_that_the_device_is_well("a misaligned address");
    auto const trap = failure_of<lkt::crashed>(shared_cuda(), bad("if (n > 3) __trap();"));
    CHECK(!trap.what.empty());
    check_that_the_device_is_well("a trap");
    auto const assertion =
        failure_of<lkt::crashed>(shared_cuda(), bad("if (n > 3) { assert(n < 3); }"));
    CHECK(assertion.what.find("assert") != std::string::npos);
    check_that_the_device_is_well("an assertion");
}

TEST_CASE("device: a write just before a buffer is found, though it crashes nothing") {
    auto const before = failure_of<lkt::out_of_bounds>(shared_cuda(), bad("p[-1] = 7;"));
    CHECK(before.what.find("beside") != std::string::npos);
    check_that_the_device_is_well("an overrun");
}

TEST_CASE("device: more registers than a block may have") {
    // Too many registers for the block: compiled for small blocks, launched with a large one.
    trial greedy =
        bad("float a[64];\n#pragma unroll\nfor (int i = 0; i < 64; ++i) a[i] = p[(i * n) & 127];\n"
            "#pragma unroll\nfor (int k = 0; k < 64; ++k) for (int i = 0; i < 64; ++i) a[i] = a[i] "
            "* a[(i + k) & 63] + k;\n"
            "float s = 0;\n#pragma unroll\nfor (int i = 0; i < 64; ++i) s += a[i]; p[0] = s;");
    greedy.text.replace(0, 15, "__global__ void __launch_bounds__(64)");
    greedy.block = {1024};
    greedy.name = "bad";
    CHECK(failure_of<lkt::launch_failed>(shared_cuda(), greedy).why.find("threads") !=
          std::string::npos);
    check_that_the_device_is_well("a refused launch");
}
