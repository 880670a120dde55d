// SPDX-License-Identifier: BSL-1.0
// The same as 02_tune_on_cpu for WGSL: on whatever GPU Vulkan, Metal or Direct3D offers, and where
// there is none, in software. The replies come from a cassette.
//
//   05_tune_wgsl [ADAPTER]   an index, a part of its name, discrete, integrated or software
//
// Record the conversation anew: LKT_DEMO_RECORD=FOLDER, as for 02_tune_on_cpu.
#include <lkt/gpu/webgpu.hpp>
#include <lkt/lkt.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>

namespace {

namespace fs = std::filesystem;

/// Asks for a faster kernel twice, with up to four attempts each.
using one_prompt = lkt::one_prompt<lkt::one_prompt_knobs{.retry_slower = false}>;
constexpr lkt::repeated<one_prompt> strategy{.strategy = {.limits = {.attempts = 4}},
                                             .limits = {.rounds = 2}};

std::string const data = (fs::path(__FILE__).parent_path() / "data").string();

template <class Model>
int tune(lkt::webgpu& gpu, Model& model) {
    auto const text = lkt::read_text_file(data + "/matmul.wgsl");
    if (!text) {
        std::cerr << to_string(text.error()) << "\n";
        return 1;
    }
    // Buffers are those of the bindings; the block is the text's @workgroup_size.
    lkt::kernel_options kernel;
    kernel.size = {{"n", 256}};
    kernel.further_sizes = {{{"n", 100}}}; // no multiple of any tile
    kernel.arguments = {{"A", "n * n"}, {"B", "n * n"}, {"C", "n * n"}};
    kernel.grid = {"ceil_div(n, 16)", "ceil_div(n, 16)"};

    lkt::progress_display progress;
    lkt::tune_options options;
    options.on_progress = std::ref(progress);
    auto const outcome = lkt::tuner{gpu, model, strategy}.tune(
        lkt::kernel_source{lkt::language::wgsl, *text, "examples/data/matmul.wgsl"},
        kernel,
        options,
        progress);
    progress.finish();
    if (!outcome) {
        std::cerr << to_string(outcome.error()) << "\n";
        return 1;
    }
    std::cout << lkt::text_report(*outcome) << "\n";
    if (outcome->stopped_by && outcome->stopped_by->kind == lkt::condition::suspended) return 3;
    std::printf("figure wgsl_speedup %.2f x\n", outcome->speedup());
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    lkt::webgpu_options options;
    if (argc > 1) options.adapter = argv[1];
    lkt::webgpu gpu(options);
    if (auto const device = gpu.device(); !device) {
        std::cerr << to_string(device.error()) << "\n";
        return device.error().kind == lkt::condition::unavailable ? 77 : 1;
    }
    if (char const* record = std::getenv("LKT_DEMO_RECORD")) {
        char const* name = std::getenv("LKT_DEMO_MODEL");
        lkt::mailbox_model asked(record, {.model = name ? name : "", .by_order = true});
        lkt::record_options how;
        how.model = name ? name : "";
        how.existing = lkt::existing_cassette::replace;
        how.match = lkt::replay_match::in_order;
        lkt::recorded recorder{asked, (fs::path(record) / "matmul_wgsl.jsonl").string(), how};
        return tune(gpu, recorder);
    }
    lkt::replay_model replay(data + "/matmul_wgsl.jsonl");
    if (auto const& defect = replay.defect()) {
        std::cerr << to_string(*defect) << "\n";
        return 1;
    }
    return tune(gpu, replay);
}
