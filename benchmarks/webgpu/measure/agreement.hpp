// SPDX-License-Identifier: BSL-1.0
// Part 1 of measure.cpp: times by the device's clock beside those by the processor's.
#pragma once

#include "reference.hpp"
#include "subject.hpp"

#include <lkt/process/worker.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
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
    constexpr int pairs = 3;
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
    a.besides = in.get<double>();
    a.once.resize(in.count(sizeof(double)));
    for (double& each : a.once) each = in.get<double>();
    if (!in.complete() || a.once.empty()) throw std::runtime_error("a malformed answer");
    return a;
}

/// In turns, since a device's clock wanders: lkt, the reference, lkt, ... The medians of all that
/// lkt and all that the reference measured are compared.
inline void compare_times(lkt::webgpu& gpu, std::string const& library, bool simulated) {
    constexpr int turns = 3;
    constexpr double aim = 0.016;
    auto const device = must(gpu.device());
    std::printf("%-8s %8s %12s %6s %9s %9s %12s %10s %10s %9s\n",
                "kernel",
                "rounds",
                "lkt ms",
                "n",
                "spread %",
                "mean ms",
                "reference ms",
                "spread %",
                "dispatches",
                "besides us");
    double worst = 0;
    for (bool const reads : {false, true}) {
        trial_kernel k;
        k.reads = reads;
        k.groups = 2048;
        k.read_bytes = !reads ? k.written_bytes() : std::uint64_t{simulated ? 64u : 512u} << 20;
        trial_arguments arguments(k);
        calibrate(gpu, k, arguments, aim);
        std::vector<double> own, other;
        reference_answer last;
        double mean = 0;
        for (int turn = 0; turn < turns; ++turn) {
            subject s(gpu, k, arguments);
            // As long as the reference's device has been busy when it begins to measure.
            auto const r = s.run(1000,
                                 20,
                                 {.least = 20,
                                  .precision = 0.002,
                                  .time = lkt::seconds{3},
                                  .cold = false,
                                  .least_time = lkt::seconds{1}});
            for (auto const each : r.samples) own.push_back(each.count());
            gpu.release();
            last = ask_reference(library, device.name, k);
            other.insert(other.end(), last.once.begin(), last.once.end());
        }
        for (double const each : own) mean += each / static_cast<double>(own.size());
        auto const spread = [](std::vector<double> v) { // between the quartiles
            std::sort(v.begin(), v.end());
            return per_cent(v[v.size() - 1 - v.size() / 4], v[v.size() / 4]);
        };
        double const mine = median_of(own), theirs = median_of(other);
        double const differs = per_cent(mine, theirs);
        worst = std::max(worst, std::abs(differs));
        std::printf("%-8s %8u %12.4f %6zu %9.2f %9.4f %12.4f %10.2f %10llu %9.1f\n",
                    k.name(),
                    k.rounds,
                    mine * 1e3,
                    own.size(),
                    spread(own),
                    mean * 1e3,
                    theirs * 1e3,
                    spread(other),
                    static_cast<unsigned long long>(last.dispatches),
                    last.besides * 1e6);
        std::printf("figure webgpu_timing_%s_ms %.4f ms\n", k.name(), mine * 1e3);
        std::printf("figure webgpu_timing_%s_differs %.3f %%\n", k.name(), differs);
        std::fflush(stdout);
    }
    std::printf("figure webgpu_timing_differs %.3f %%\n", worst);
}

} // namespace measure
