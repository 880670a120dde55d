// SPDX-License-Identifier: BSL-1.0
// From a naive kernel to a fast one, with no GPU, no network and no key: the host back end runs the
// CUDA text on the CPU, and the model's replies come from a cassette. With `--backend cuda` the
// same program runs on an NVIDIA GPU, and with `--backend hip` on an AMD GPU: the text is HIP, too.
//
// Record the conversation anew: LKT_DEMO_RECORD=FOLDER. Each run writes the next question into
// FOLDER, says where its reply belongs, and ends; when the strategy is through, FOLDER/matmul.jsonl
// is the cassette. LKT_DEMO_MODEL names the model.
#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/hip.hpp>
#include <lkt/lkt.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

namespace {

namespace fs = std::filesystem;

/// Asks for a faster kernel up to three times, with four attempts each; a kernel that is right but
/// no faster ends the run.
using one_prompt = lkt::one_prompt<lkt::one_prompt_knobs{.retry_slower = false}>;
constexpr lkt::repeated<one_prompt> strategy{.strategy = {.limits = {.attempts = 4}},
                                             .limits = {.rounds = 3}};

std::string const data = (fs::path(__FILE__).parent_path() / "data").string();

template <class Model>
int tune(lkt::any_gpu_backend gpu, lkt::language language, Model& model) {
    auto const text = lkt::read_text_file(data + "/matmul.cu");
    if (!text) {
        std::cerr << to_string(text.error()) << "\n";
        return 1;
    }
    lkt::kernel_options kernel;
    kernel.size = {{"N", 256}};
    kernel.further_sizes = {{{"N", 100}}}; // no multiple of any tile
    kernel.arguments = {{"A", "N * N"}, {"B", "N * N"}, {"C", "N * N"}};
    kernel.grid = {"ceil_div(N, 16)", "ceil_div(N, 16)"};
    kernel.block = {"16", "16"};

    lkt::progress_display progress;
    lkt::tune_options options;
    options.on_progress = std::ref(progress);
    auto const outcome = lkt::tuner{gpu, model, strategy}.tune(
        lkt::kernel_source{language, *text, "examples/data/matmul.cu"}, kernel, options, progress);
    progress.finish();
    if (!outcome) {
        std::cerr << to_string(outcome.error()) << "\n";
        return 1;
    }
    std::cout << lkt::text_report(*outcome) << "\n";
    if (outcome->stopped_by && outcome->stopped_by->kind == lkt::condition::suspended) return 3;
    std::printf("figure demo_speedup %.2f x\n", outcome->speedup());
    std::printf("figure demo_seconds %.1f s\n", outcome->wall_time.count());
    // The replies were written for the CPU: a GPU may find none of them faster.
    bool const on_cpu = outcome->device.simulated;
    return outcome->improved() || !on_cpu ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    lkt::any_gpu_backend gpu = lkt::host{};
    auto language = lkt::language::cuda;
    std::string_view const named =
        argc == 3 && std::string_view(argv[1]) == "--backend" ? argv[2] : "";
    if (named == "cuda") {
        gpu = lkt::cuda{};
    } else if (named == "hip") {
        gpu = lkt::hip{};
        language = lkt::language::hip;
    } else if (argc != 1) {
        std::cerr << "usage: " << argv[0] << " [--backend cuda|hip]\n";
        return 2;
    }
    if (char const* record = std::getenv("LKT_DEMO_RECORD")) {
        char const* name = std::getenv("LKT_DEMO_MODEL");
        lkt::mailbox_model asked(record, {.model = name ? name : "", .by_order = true});
        lkt::record_options how;
        how.model = name ? name : "";
        how.existing = lkt::existing_cassette::replace;
        how.match = lkt::replay_match::in_order;
        lkt::recorded recorder{asked, (fs::path(record) / "matmul.jsonl").string(), how};
        return tune(gpu, language, recorder);
    }
    lkt::replay_model replay(data + "/matmul.jsonl");
    if (auto const& defect = replay.defect()) {
        std::cerr << to_string(*defect) << "\n";
        return 1;
    }
    return tune(gpu, language, replay);
}
