// SPDX-License-Identifier: BSL-1.0
// A sweep whose configurations do everything that a kernel can do wrong. Each must get its own
// verdict, none may cost another its result, and the best of the sound ones must win.
#include "support_cuda.hpp"

#include <doctest/doctest.h>

#include <lkt/lkt.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr char const* text = R"(
#if MODE == 10
constexpr unsigned long long never(unsigned long long n) { return n < 2 ? n : never(n - 1) + never(n - 2); }
__device__ char bomb[never(60) % 2 + 1];
#endif
__global__ void twice(float const* x, float* y, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
#if MODE == 1
    undeclared = 1;
#elif MODE == 2
    if (i == 7) y[(long long)n << 40] = 1;
#elif MODE == 3
    if (i == 7 && n > 0) __trap();
#elif MODE == 4
    while (n > 0 && ((float volatile*)y)[0] != 12345.0f) {}
#elif MODE == 5
    if (i == 7) { y[i] = 3 * x[i]; return; }
#elif MODE == 6
    if (i < n) y[i] = 0.0f / (n - n) ;
    return;
#elif MODE == 7
    if (i == 7) { y[i] = (float)(clock64() % 1000); return; }
#elif MODE == 8
    __shared__ float too_much[100000];
    too_much[threadIdx.x] = x[0];
    __syncthreads();
    if (i < n) y[i] = too_much[(i * 7) % 1000];
#elif MODE == 9
    if (i == n - 1) y[n] = 1;
#elif MODE == 12
    if (i < n) for (int k = 0; k < 20000; ++k) y[i] = 2 * x[i] + (k == 19999 ? 0.0f : ((float volatile*)x)[i] * 0);
#endif
    if (i < n) y[i] = 2 * x[i];
}
)";

/// What each configuration must come to; `timed` for a sound one.
constexpr std::pair<int, std::string_view> expected[] = {{0, "timed"},
                                                         {1, "compile-error"},
                                                         {2, "crashed"},
                                                         {3, "crashed"},
                                                         {4, "timeout"},
                                                         {5, "wrong-output"},
                                                         {6, "wrong-output trivial-output"},
                                                         {7, "wrong-output"},
                                                         {8, "compile-error"},
                                                         {9, "oob-write oob-read"},
                                                         {10, "compile-error timeout"},
                                                         {11, "launch-error"},
                                                         {12, "timed"}};

} // namespace

TEST_CASE("device: a torture space is classified without a gap, and its best kernel is found") {
    lkt::kernel_options kernel;
    kernel.size = {{"N", 100'000}};
    kernel.arguments = {{"x", "N"}, {"y", "N:out"}, {"n", "N"}};
    lkt::tunable_parameter mode{"MODE", {}};
    // The slow sound one is the original, the failures lie between it and the fast one.
    for (int const m : {12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0})
        mode.values.emplace_back(std::int64_t{m});
    kernel.parameters = {mode};
    kernel.grid = {"ceil_div(N, 256)"};
    kernel.block = {"2048 if MODE == 11 else 256"};
    lkt::tune_options options;
    options.evaluation.launch_limit = lkt::seconds{0.5};
    options.evaluation.compile_limit = lkt::seconds{5};
    options.evaluation.hopeless_after = 100;
    auto const begin = std::chrono::steady_clock::now();
    auto const outcome = lkt::tuner{support::shared_cuda(), lkt::sweep<>{}}.tune(
        lkt::kernel_source{lkt::language::cuda, text, "torture"}, kernel, options);
    double const took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    REQUIRE_MESSAGE(outcome.has_value(), (outcome ? "" : to_string(outcome.error())));
    CHECK_FALSE(outcome->stopped_by.has_value());
    REQUIRE(outcome->history.size() == 1);
    auto const& tried = outcome->history[0].configurations;
    CHECK(tried.size() == std::size(expected));
    std::size_t right = 0;
    for (auto const& [m, verdict] : expected)
        for (auto const& t : tried) {
            auto const* const value = t.config.find("MODE");
            if (value == nullptr || !(*value == lkt::parameter_value(std::int64_t{m}))) continue;
            auto const* const why = std::get_if<lkt::failure>(&t.outcome);
            std::string_view const got = why ? lkt::name_of_failure(*why) : "timed";
            CHECK_MESSAGE(verdict.find(got) != verdict.npos,
                          m,
                          ": ",
                          got,
                          " ",
                          (why ? lkt::describe(*why) : ""));
            right += verdict.find(got) != verdict.npos ? 1 : 0;
        }
    CHECK(right == std::size(expected));
    auto const* const winner = outcome->best.config.find("MODE");
    REQUIRE(winner != nullptr);
    CHECK((*winner == lkt::parameter_value(std::int64_t{0})));
    std::printf("torture: %zu of %zu classified, %.1f s with a 0.5 s limit a launch\n",
                right,
                std::size(expected),
                took);
}
