// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/cuda/cuda_kernels.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

// tests/lang/find_kernel.cpp has what is read of a kernel.

TEST_CASE("cuda kernels: all of them, by name, and why there is none") {
    lkt::kernel_source const source{lkt::language::cuda,
                                    "__global__ void b(float* x) { x[0] = 1; }\n"
                                    "namespace ns { __global__ void a(real* y, int n) {} }\n",
                                    "two.cu"};
    CHECK(lkt::cuda_kernel_names(source).value() == std::vector<std::string>{"b", "ns::a"});
    std::vector<std::pair<std::string, std::string>> const types{{"real", "double"}};
    auto const all = lkt::find_cuda_kernels(source, types).value();
    REQUIRE(all.size() == 2);
    CHECK(all[1] == lkt::find_cuda_kernel(source, "a", types).value());
    CHECK(all[1].arguments[0].type.scalar == lkt::scalar_type::float64);
    CHECK(lkt::find_cuda_kernel(source, "", types).error().code == "lkt.kernel.several");
    CHECK(lkt::find_cuda_kernels(source, {}).error().code == "lkt.kernel.type");
    CHECK(lkt::find_cuda_kernels({}, {}).error().code == "lkt.kernel.none");
}
