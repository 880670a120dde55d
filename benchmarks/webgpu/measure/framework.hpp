// SPDX-License-Identifier: BSL-1.0
// Part 3 of measure.cpp: what a sweep costs besides its back end.
#pragma once

#include "../../measure/common.hpp"

#include <lkt/gpu/webgpu.hpp>
#include <lkt/lkt.hpp>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace measure {

/// Of this process, without its workers.
inline double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Hands everything on, and adds up how long that takes.
class timed_backend {
    auto during(auto&& call) {
        auto const begin = clock_type::now();
        double const processor = processor_time();
        auto made = call();
        spent += since(begin);
        processor_spent += processor_time() - processor;
        return made;
    }

public:
    double spent = 0, processor_spent = 0;

    explicit timed_backend(lkt::webgpu& gpu) : gpu_(&gpu) {}

    lkt::result<lkt::device_description> device(lkt::call_context const& context) {
        return during([&] { return gpu_->device(context); });
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& request,
                                              lkt::call_context const& context) {
        return during([&] { return gpu_->compile(request, context); });
    }
    void prefetch(lkt::compile_request const& request) {
        during([&] { return gpu_->prefetch(request), true; });
    }
    lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const& kernel,
                                      lkt::run_request const& request,
                                      lkt::call_context const& context) {
        return during([&] { return gpu_->run(kernel, request, context); });
    }

private:
    lkt::webgpu* gpu_;
};
static_assert(lkt::prefetching_backend<timed_backend>);

/// A matrix multiplication of n x n floats with all its tiles.
inline lkt::kernel_options tiles(std::int64_t n) {
    lkt::kernel_options k;
    k.size = {{"n", n}};
    k.arguments = {{"A", "n * n"}, {"B", "n * n"}, {"C", "n * n"}};
    auto const values = [](std::vector<std::int64_t> const& of) {
        return std::vector<lkt::parameter_value>(of.begin(), of.end());
    };
    k.parameters = {{"WX", values({16, 8, 32})},
                    {"WY", values({16, 8, 4, 32})},
                    {"BK", values({16, 4, 8, 32})},
                    {"R", values({4, 8})},
                    {"C4", values({1, 2})}};
    k.restrictions = {"WX * WY <= 256", "16 * (WY * R * BK // 4 + BK * WX * C4) <= 16384"};
    k.grid = {"n // (WX * C4 * 4)", "n // (WY * R)"};
    return k;
}

/// With nothing compiled, as a user's first sweep.
inline void time_framework(lkt::webgpu& gpu, std::string const& text, std::int64_t n) {
    timed_backend timed(gpu);
    lkt::tune_options how;
    how.on_progress = [](lkt::progress_event const&) {};
    (void)must(timed.device({}));
    timed.spent = timed.processor_spent = 0;
    double const processor = processor_time();
    auto const begin = clock_type::now();
    auto const outcome = must(lkt::tuner{timed, lkt::sweep<>{}}.tune(
        lkt::kernel_source{lkt::language::wgsl, text, "matmul_tiled.wgsl"}, tiles(n), how));
    double const wall = since(begin), own = wall - timed.spent;
    // Where the machine has other work, less than `own`.
    double const own_processor = processor_time() - processor - timed.processor_spent;
    if (outcome.history.empty()) throw std::runtime_error("there was no sweep");
    auto const& tried = outcome.history.front().configurations;
    std::size_t right = 0;
    for (auto const& each : tried) right += std::holds_alternative<lkt::measurement>(each.outcome);
    std::printf(
        "sweep of %zu configurations, %zu right, n = %lld: %.3f s, %.3f s in the back end\n",
        tried.size(),
        right,
        static_cast<long long>(n),
        wall,
        timed.spent);
    std::printf("figure webgpu_framework_configurations %zu configurations\n", tried.size());
    std::printf("figure webgpu_framework_share %.3f %%\n", 100 * own / wall);
    std::printf("figure webgpu_framework_us_a_configuration %.1f us\n",
                own / static_cast<double>(tried.size()) * 1e6);
    std::printf("figure webgpu_framework_processor_us_a_configuration %.1f us\n",
                own_processor / static_cast<double>(tried.size()) * 1e6);
}

} // namespace measure
