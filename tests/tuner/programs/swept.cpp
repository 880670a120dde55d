// SPDX-License-Identifier: BSL-1.0
// tuner_swept FOLDER: a sweep on the host back end of 12 configurations, of which 8 do not compile,
// with the compile cache in FOLDER. Says how often the compiler was called. No winner is checked:
// which one it is, and so what is compiled for that, is a matter of time.
#include <lkt/gpu/host.hpp>
#include <lkt/process/worker_main.hpp>
#include <lkt/strategies/sweep.hpp>
#include <lkt/tuner/tuner.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <variant>

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    if (argc != 2) return 2;
    lkt::kernel_source const source{lkt::language::cuda,
                                    "__global__ void add(float const* x, float* y, int n) {\n"
                                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "    static_assert(PART <= 4, \"too large\");\n"
                                    "    if (i < n) y[i] = x[i] + 1;\n"
                                    "}\n",
                                    "add.cu"};
    lkt::kernel_options kernel;
    kernel.size = {{"n", 1024}};
    kernel.arguments = {{"x", "n"}, {"y", "n"}};
    kernel.grid = {"ceil_div(n, 64)"};
    kernel.block = {"64"};
    kernel.parameters = {{"PART", {}}};
    for (std::int64_t v = 1; v <= 12; ++v) kernel.parameters[0].values.emplace_back(v);
    lkt::tune_options options;
    options.evaluation.checked = false;
    lkt::host_options here;
    here.cache_folder = argv[1];
    lkt::host gpu(here);
    auto const outcome = lkt::tuner{gpu, lkt::sweep<>{}}.tune(source, kernel, options);
    if (!outcome) {
        std::puts(lkt::to_string(outcome.error()).c_str());
        return 1;
    }
    auto const& tried = outcome->history.at(0).configurations;
    auto const failed = std::count_if(tried.begin(), tried.end(), [](auto const& t) {
        auto const* const why = std::get_if<lkt::failure>(&t.outcome);
        return why != nullptr && std::holds_alternative<lkt::compile_failed>(*why) &&
               std::get<lkt::compile_failed>(*why).where.line == 3;
    });
    std::printf("%d of %d do not compile; compiled %d, from the cache %d\n",
                static_cast<int>(failed),
                static_cast<int>(tried.size()),
                static_cast<int>(gpu.counters().compiled),
                static_cast<int>(gpu.counters().from_cache));
}
