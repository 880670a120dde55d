// SPDX-License-Identifier: BSL-1.0
// A real model makes a kernel faster. LKT_MODEL says which:
//
//   LKT_MODEL=anthropic:claude-opus-4-5 ANTHROPIC_API_KEY=... 04_real_model
//   LKT_MODEL=ollama:qwen3:8b 04_real_model
//   LKT_MODEL=openai:tiny@http://127.0.0.1:8080/v1 LKT_API_KEY=... 04_real_model
//
// The kernel runs on the CPU, so no GPU is needed; `--backend cuda` takes one. At most 200,000
// tokens are spent, and what is said goes into conversation.jsonl, to be replayed or read.
#include <lkt/gpu/cuda.hpp>
#include <lkt/lkt.hpp>
#include <lkt/llm/budgeted.hpp>
#include <lkt/llm/http/make_chat_model.hpp>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

namespace {

constexpr lkt::repeated<lkt::one_prompt<>> strategy{.limits = {.rounds = 2}};

int fail(lkt::error const& e) {
    std::cerr << to_string(e) << "\n";
    return 1;
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    lkt::any_gpu_backend gpu = lkt::host{};
    if (argc == 3 && std::string_view(argv[1]) == "--backend" &&
        std::string_view(argv[2]) == "cuda") {
        gpu = lkt::cuda{};
    } else if (argc != 1) {
        std::cerr << "usage: LKT_MODEL=PROVIDER:MODEL[@URL] " << argv[0] << " [--backend cuda]\n"
                  << lkt::model_name_help() << "\n";
        return 2;
    }
    char const* const name = std::getenv("LKT_MODEL");
    if (name == nullptr) {
        std::cout << "skipped: LKT_MODEL names no model\n";
        return 77;
    }
    auto model = lkt::make_chat_model(name);
    if (!model) return fail(model.error());

    // Outermost the cassette, so that it holds each answer; the budget sees what really is asked.
    lkt::record_options how;
    how.match = lkt::replay_match::in_order; // prompts hold measured times
    how.existing = lkt::existing_cassette::replace;
    lkt::recorded asked{lkt::budgeted{*model, {.tokens = 200'000}}, "conversation.jsonl", how};

    auto const file = std::filesystem::path(__FILE__).parent_path() / "data" / "matmul.cu";
    auto const text = lkt::read_text_file(file.string());
    if (!text) return fail(text.error());
    lkt::kernel_options kernel;
    kernel.size = {{"N", 256}};
    kernel.further_sizes = {{{"N", 100}}};
    kernel.arguments = {{"A", "N * N"}, {"B", "N * N"}, {"C", "N * N"}};
    kernel.grid = {"ceil_div(N, 16)", "ceil_div(N, 16)"};
    kernel.block = {"16", "16"};

    lkt::progress_display progress;
    lkt::tune_options options;
    options.on_progress = std::ref(progress);
    auto const outcome = lkt::tuner{gpu, asked, strategy}.tune(
        lkt::kernel_source{lkt::language::cuda, *text, "matmul.cu"}, kernel, options, progress);
    progress.finish();
    if (!outcome) return fail(outcome.error());
    std::cout << lkt::text_report(*outcome) << "\n";
    return 0;
}
