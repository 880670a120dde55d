// SPDX-License-Identifier: BSL-1.0
// A matrix multiplication of 1024 x 1024 floats in WGSL: naive (examples/data/matmul.wgsl) against
// matmul_tiled.wgsl over its whole space, by the tuner, with every configuration verified; and
// beside the best that the CUDA back end finds for benchmarks/cuda/matmul.cuh, where there is one.
//   --adapter WHICH  as lkt-tune's --device (the first GPU)
//   --size N         (1024)
#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/webgpu.hpp>
#include <lkt/lkt.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string text_of(fs::path const& path) {
    auto text = lkt::read_text_file(path.string());
    if (text) return *text;
    std::fprintf(stderr, "%s\n", to_string(text.error()).c_str());
    std::exit(1);
}

lkt::kernel_options square(std::string const& n, std::int64_t size) {
    lkt::kernel_options k;
    k.size = {{n, size}};
    std::string const elements = n + " * " + n;
    k.arguments = {{"A", elements}, {"B", elements}, {"C", elements}};
    return k;
}

std::vector<lkt::parameter_value> values(std::vector<std::int64_t> const& of) {
    return {of.begin(), of.end()};
}

/// What a model would say that knew matmul_tiled.wgsl.
std::string reply_with(std::string const& text) {
    return "```wgsl\n" + text + R"json(```

```json
{"description": "tiles in workgroup memory, several rows and columns an invocation",
 "parameters": {"WX": [16, 8, 32], "WY": [16, 8, 4, 32], "BK": [16, 8, 32], "R": [4, 8], "C4": [1, 2]},
 "restrictions": ["WX * WY >= 32", "WX * WY <= 256", "n % (WX * C4 * 4) == 0", "n % (WY * R) == 0",
                  "16 * (WY * R * BK // 4 + BK * WX * C4) <= 16384"],
 "launch": {"grid": ["n // (WX * C4 * 4)", "n // (WY * R)", 1]}}
```
)json";
}

/// Seconds of the best kernel that CUDA finds; 0 where there is no device.
double best_of_cuda(std::int64_t size, fs::path const& text) {
    lkt::cuda gpu;
    if (!gpu.device()) return 0;
    lkt::kernel_options k;
    k.size = {{"N", size}};
    k.kernel = "matmul";
    k.arguments = {{"C", "N * N:constant(0):out"}, {"A", "N * N"}, {"B", "N * N"}};
    k.grid = {"N // (block_size_x * tile_size_x)", "N // (block_size_y * tile_size_y)"};
    k.block = {"block_size_x", "block_size_y"};
    k.parameters = {{"block_size_x", values({16, 32, 64})},
                    {"block_size_y", values({16, 1, 2, 4, 8, 32})},
                    {"tile_size_x", values({1, 2, 4, 8})},
                    {"tile_size_y", values({1, 2, 4, 8})}};
    k.restrictions = {"block_size_x == block_size_y * tile_size_y"};
    std::string source = text_of(text);
    auto const width = source.find("#define WIDTH 4096");
    source.replace(width, 18, "#define WIDTH " + std::to_string(size));
    auto const outcome = lkt::tuner{gpu, lkt::sweep<>{}}.tune(
        lkt::kernel_source{lkt::language::cuda, source, "matmul.cuh"}, k);
    return outcome ? outcome->best.time.median().count() : 0;
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    lkt::webgpu_options options;
    std::int64_t size = 1024;
    for (int k = 1; k + 1 < argc; k += 2) {
        std::string_view const name = argv[k];
        if (name == "--adapter") options.adapter = argv[k + 1];
        if (name == "--size") size = std::atoll(argv[k + 1]);
    }
    auto const here = fs::path(__FILE__).parent_path();
    lkt::webgpu gpu(options);
    auto const device = gpu.device();
    if (!device) {
        std::printf("%s\n", to_string(device.error()).c_str());
        return device.error().kind == lkt::condition::unavailable ? 77 : 1;
    }
    lkt::kernel_options naive = square("n", size);
    naive.grid = {"ceil_div(n, 16)", "ceil_div(n, 16)"};
    lkt::scripted_model model({reply_with(text_of(here / "matmul_tiled.wgsl"))});
    auto const outcome = lkt::tuner{gpu, model, lkt::one_prompt<>{}}.tune(
        lkt::kernel_source{
            lkt::language::wgsl, text_of(here / "../../examples/data/matmul.wgsl"), "matmul.wgsl"},
        naive);
    if (!outcome) {
        std::fprintf(stderr, "%s\n", to_string(outcome.error()).c_str());
        return 1;
    }
    std::printf("%s\n", lkt::text_report(*outcome).c_str());
    double const best = outcome->best.time.median().count();
    double const flops = 2.0 * static_cast<double>(size * size * size);
    std::printf("figure webgpu_matmul_naive_ms %.4f ms\n",
                outcome->baseline.time.median().count() * 1e3);
    std::printf("figure webgpu_matmul_best_ms %.4f ms\n", best * 1e3);
    std::printf("figure webgpu_matmul_speedup %.2f x\n", outcome->speedup());
    std::printf("figure webgpu_matmul_tflops %.2f TFLOP/s\n", flops / best * 1e-12);
    std::printf("figure webgpu_matmul_sweep_s %.2f s\n", outcome->wall_time.count());
    if (device->simulated) return 0; // beside a GPU, a processor says nothing
    if (double const cuda = best_of_cuda(size, here / "../cuda/matmul.cuh"); cuda > 0) {
        std::printf("figure cuda_matmul_best_ms %.4f ms\n", cuda * 1e3);
        std::printf("figure webgpu_matmul_of_cuda %.2f x\n", cuda / best);
    }
    return 0;
}
