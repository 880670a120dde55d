// SPDX-License-Identifier: BSL-1.0
// A whole sweep of matrix multiplication (matmul.cuh, 44 configurations of Kernel Tuner's example):
// cold, with nothing compiled, and warm, in the same process. Every configuration's output is
// verified; sweeps without any verification in between say what it costs. Afterwards each
// configuration is measured in full, to see how far the winner is from the true best.
// peers/kernel_tuner_sweep.py runs Kernel Tuner on the same text.
#include <lkt/gpu/cuda.hpp>
#include <lkt/lkt.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;
double since(clock_type::time_point t) {
    return std::chrono::duration<double>(clock_type::now() - t).count();
}

lkt::kernel_options task() {
    lkt::kernel_options k;
    k.kernel = "matmul";
    k.size = {{"N", 4096}};
    k.arguments = {
        {"C", "N * N:constant(0):out"}, {"A", "N * N:uniform(0,1)"}, {"B", "N * N:uniform(0,1)"}};
    k.grid = {"N // (block_size_x * tile_size_x)", "N // (block_size_y * tile_size_y)"};
    k.block = {"block_size_x", "block_size_y"};
    auto const powers = [](std::vector<std::int64_t> values) {
        std::vector<lkt::parameter_value> v;
        for (auto const each : values) v.emplace_back(each);
        return v;
    };
    k.parameters = {{"block_size_x", powers({16, 32, 64})},
                    {"block_size_y", powers({16, 1, 2, 4, 8, 32})},
                    {"tile_size_x", powers({1, 2, 4, 8})},
                    {"tile_size_y", powers({1, 2, 4, 8})}};
    k.restrictions = {"block_size_x == block_size_y * tile_size_y"};
    return k;
}

/// The same launches that a full measurement of every configuration would take.
struct full_measurement {
    double best = 1e9, of_winner = 0, device_seconds = 0;
    std::size_t failed = 0, measured = 0;
};

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    auto const here = std::filesystem::path(__FILE__).parent_path();
    auto const text = lkt::read_text_file((here / "matmul.cuh").string());
    if (!text) {
        std::fprintf(stderr, "%s\n", to_string(text.error()).c_str());
        return 1;
    }
    auto const cache = std::filesystem::temp_directory_path() / "lkt-bench-sweep";
    std::filesystem::remove_all(cache);
    lkt::cuda_options options;
    options.cache_folder = cache.string();
    auto const begin = clock_type::now();
    lkt::cuda gpu(options);
    if (auto const device = gpu.device(); !device) {
        std::printf("%s\n", to_string(device.error()).c_str());
        return device.error().kind == lkt::condition::unavailable ? 77 : 1;
    }
    double const start_up = since(begin);

    lkt::tune_options how;
    // Where the time goes: seconds in each activity of the last run.
    std::map<std::string, double> spent;
    auto last = clock_type::now();
    std::string activity = "start";
    auto const enter = [&](std::string next) {
        spent[activity] += since(last);
        last = clock_type::now();
        activity = std::move(next);
    };
    how.on_progress = [&](lkt::progress_event const& e) { enter(std::string(to_string(e.what))); };
    lkt::tuner tuner{gpu, lkt::sweep<>{}};
    auto const sweep = [&] {
        spent.clear();
        last = clock_type::now();
        activity = "start";
        auto done =
            tuner.tune(lkt::kernel_source{lkt::language::cuda, *text, "matmul.cuh"}, task(), how);
        enter("end");
        return done;
    };
    double cold = 0, warm = 1e9, unverified = 1e9, device_seconds = 0;
    std::uint64_t compiled = 0, launches = 0;
    decltype(sweep()) outcome = lkt::error{};
    for (int round = 0; round < 4; ++round) {
        if (round > 0) {
            how.evaluation.verify = false;
            auto const made = gpu.counters().launches;
            auto const start = clock_type::now();
            if (auto const without = sweep(); !without) return 1;
            std::printf("not verified: %.3f s, %llu launches\n",
                        since(start),
                        static_cast<unsigned long long>(gpu.counters().launches - made));
            for (auto const& [what, seconds] : spent)
                std::printf("    %-24s %.3f s\n", what.c_str(), seconds);
            unverified = std::min(unverified, since(start));
            how.evaluation.verify = true;
        }
        auto const before = gpu.counters();
        auto const start = clock_type::now();
        outcome = sweep();
        double const took = since(start);
        if (!outcome) {
            std::fprintf(stderr, "%s\n", to_string(outcome.error()).c_str());
            return 1;
        }
        auto const after = gpu.counters();
        if (round == 0)
            cold = took;
        else
            warm = std::min(warm, took);
        device_seconds = (after.device_time - before.device_time).count();
        launches = after.launches - before.launches;
        compiled = after.compiled - before.compiled;
        std::printf(
            "round %d: %.3f s, %llu compiled, %llu launches, %.3f s in kernels, best %s (%s)\n",
            round,
            took,
            static_cast<unsigned long long>(compiled),
            static_cast<unsigned long long>(launches),
            device_seconds,
            lkt::to_string(outcome->best.time.median()).c_str(),
            to_string(outcome->best.config).c_str());
        for (auto const& [what, seconds] : spent)
            std::printf("    %-24s %.3f s\n", what.c_str(), seconds);
    }
    std::printf("%s\n", lkt::text_report(*outcome).c_str());

    // Every configuration in full, 32 launches each, on a back end of its own.
    full_measurement full;
    auto const winner = outcome->best;
    auto problem =
        lkt::problem_from(lkt::kernel_source{lkt::language::cuda, *text, "matmul.cuh"}, task());
    if (!problem) return 1;
    auto const space = lkt::search_space::make(
        problem->parameters, problem->restrictions, problem->size, {.configurations = 1000});
    lkt::problem_tests tests;
    auto const made = tests.generate(*problem, {});
    if (!space || !made) return 1;
    auto const contents = lkt::fresh_contents();
    std::vector<lkt::direction> const directions{
        lkt::direction::out, lkt::direction::in, lkt::direction::in};
    for (auto cursor = space->configurations(); auto config = cursor.next();) {
        lkt::compile_request request;
        request.source = problem->reference;
        request.signature = problem->signature;
        request.definitions = *config;
        auto kernel = gpu.compile(request);
        auto const dimensions = problem->launch.evaluate(lkt::scope_of(problem->size, *config));
        if (!kernel || !std::holds_alternative<lkt::compiled_kernel>(*kernel) || !dimensions) {
            ++full.failed;
            continue;
        }
        lkt::run_request run;
        run.dimensions = *dimensions;
        run.arguments = made->front().arguments;
        run.directions = directions;
        run.launches = 32;
        run.keep = {};
        run.contents = contents;
        auto const ran = gpu.run(std::get<lkt::compiled_kernel>(*kernel), run);
        if (!ran || !std::holds_alternative<lkt::run_report>(*ran)) {
            ++full.failed;
            continue;
        }
        lkt::measurement const m{std::get<lkt::run_report>(*ran).samples};
        for (auto const s : m.samples) full.device_seconds += s.count();
        ++full.measured;
        full.best = std::min(full.best, m.median().count());
        if (*config == winner.config) full.of_winner = m.median().count();
    }
    double const regret = (full.of_winner / full.best - 1) * 100;
    std::printf("%zu configurations measured in full, %zu cannot be launched\n",
                full.measured,
                full.failed);
    std::printf("figure cuda_start_s %.3f s\n", start_up);
    std::printf("figure cuda_sweep_cold_s %.3f s\n", cold);
    std::printf("figure cuda_sweep_warm_s %.3f s\n", warm);
    std::printf("figure cuda_sweep_unverified_s %.3f s\n", unverified);
    std::printf("figure cuda_sweep_verification %.1f %%\n", (warm / unverified - 1) * 100);
    std::printf("figure cuda_sweep_compiled_again %llu kernels\n",
                static_cast<unsigned long long>(compiled));
    std::printf("figure cuda_sweep_kernel_time_ratio %.3f x\n",
                device_seconds / full.device_seconds);
    std::printf("figure cuda_sweep_regret %.3f %%\n", regret);
    std::printf("figure cuda_sweep_best_ms %.4f ms\n", full.of_winner * 1e3);
    return 0;
}
