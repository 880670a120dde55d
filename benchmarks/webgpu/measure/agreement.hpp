// SPDX-License-Identifier: BSL-1.0
// Part 1 of measure.cpp: times by the device's clock beside those by the processor's.
#pragma once

#include "reference.hpp"
#include "subject.hpp"

#include <lkt/process/worker.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace measure {

inline double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    std::size_t const n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// The reference in a process that ends with its answer, so that nobody else has the device.
inline reference_answer
ask_reference(std::string const& library, std::string const& adapter, trial_kernel const& k) {
    constexpr int pairs = 2;
    constexpr double total = 1; // seconds of the shorter submission
    lkt::worker_options options;
    for (char const* const name : {"LKT_WGPU",
                                   "VK_DRIVER_FILES",
                                   "VK_ICD_FILENAMES",
                                   "XDG_RUNTIME_DIR",
                                   "CUDA_VISIBLE_DEVICES",
                                   "LP_NUM_THREADS",
                                   "HOME"})
        options.keep.push_back(name);
    lkt::worker worker(options);
    lkt::packer ask;
    ask.put(library).put(adapter);
    ask.put(k.reads).put(k.groups).put(k.read_bytes).put(k.rounds).put(pairs).put(total);
    auto reply = must(worker.call({reference_key, ask.bytes()}, std::chrono::minutes{5}));
    if (auto const* const lost = std::get_if<lkt::worker_failure>(&reply))
        throw std::runtime_error(to_string(lkt::to_error(*lost)));
    auto const& bytes = std::get<lkt::worker_message>(reply).bytes;
    lkt::unpacker in(bytes);
    reference_answer a;
    a.dispatches = in.get<std::uint64_t>();
    a.fastest = in.get<double>();
    a.once.resize(in.count(sizeof(double)));
    for (double& each : a.once) each = in.get<double>();
    if (!in.complete() || a.once.empty()) throw std::runtime_error("a malformed answer");
    return a;
}

/// Between the quartiles, per cent.
inline double spread_of(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return per_cent(v[v.size() - 1 - v.size() / 4], v[v.size() / 4]);
}

/// In turns, since a device's clock wanders: lkt, the reference, lkt, ... The median of lkt's
/// samples is compared with that of the reference of the same turn; how far they lie apart is the
/// median over the turns. Where a processor is the device and has other work, that compares loads:
/// the fastest launches of both sides, one dispatch each, are less disturbed.
inline void compare_times(lkt::webgpu& gpu, std::string const& library, bool simulated) {
    constexpr int turns = 3;
    constexpr double aim = 0.016;
    auto const device = must(gpu.device());
    std::printf("%-8s %8s %9s %6s %9s %9s %13s %9s %11s %10s %19s\n",
                "kernel",
                "rounds",
                "lkt ms",
                "n",
                "spread %",
                "mean ms",
                "reference ms",
                "spread %",
                "dispatches",
                "differs %",
                "fastest ms, theirs");
    double worst = 0, worst_fastest = 0;
    for (bool const reads : {false, true}) {
        trial_kernel k;
        k.reads = reads;
        k.groups = simulated ? 128 : 2048;
        k.read_bytes = !reads ? k.written_bytes() : std::uint64_t{simulated ? 64u : 512u} << 20;
        trial_arguments arguments(k);
        calibrate(gpu, k, arguments, aim);
        std::vector<double> all, differences;
        double fastest = 1e9, their_fastest = 1e9;
        for (int turn = 0; turn < turns; ++turn) {
            subject s(gpu, k, arguments);
            lkt::sampling how;
            how.min_launches = 20;
            how.precision = 0.002;
            how.min_time = lkt::seconds{1};
            how.time = lkt::seconds{3};
            how.cold = false;
            std::vector<double> own;
            for (auto const each : s.run(1000, 20, how).samples) own.push_back(each.count());
            gpu.release();
            auto const other = ask_reference(library, device.name, k);
            double const mean =
                std::accumulate(own.begin(), own.end(), 0.0) / static_cast<double>(own.size());
            double const mine = median_of(own), theirs = median_of(other.once);
            differences.push_back(per_cent(mine, theirs));
            all.push_back(mine);
            fastest = std::min(fastest, *std::min_element(own.begin(), own.end()));
            their_fastest = std::min(their_fastest, other.fastest);
            std::printf("%-8s %8u %9.4f %6zu %9.2f %9.4f %13.4f %9.2f %11llu %10.3f %9.4f %9.4f\n",
                        k.name(),
                        k.rounds,
                        mine * 1e3,
                        own.size(),
                        spread_of(own),
                        mean * 1e3,
                        theirs * 1e3,
                        spread_of(other.once),
                        static_cast<unsigned long long>(other.dispatches),
                        differences.back(),
                        fastest * 1e3,
                        their_fastest * 1e3);
            std::fflush(stdout);
        }
        double const differs = median_of(differences);
        worst = std::max(worst, std::abs(differs));
        worst_fastest = std::max(worst_fastest, std::abs(per_cent(fastest, their_fastest)));
        std::printf("figure webgpu_timing_%s_ms %.4f ms\n", k.name(), median_of(all) * 1e3);
        std::printf("figure webgpu_timing_%s_differs %.3f %%\n", k.name(), differs);
    }
    std::printf("figure webgpu_timing_differs %.3f %%\n", worst);
    std::printf("figure webgpu_timing_fastest_differs %.3f %%\n", worst_fastest);
}

} // namespace measure
