// SPDX-License-Identifier: BSL-1.0
// How far the WebGPU back end's times can be trusted, and what a run costs besides the back end.
// 1. Agreement: a kernel that computes and one that reads, of some 16 ms, measured by lkt (by the
//    device's timestamps, caches as they are) and by the reference (measure/reference.hpp, a
//    process of its own: by the processor's clock, many dispatches in one submission), in turns.
// 2. A/A: one kernel against itself, compiled twice, in short series that take turns, judged as the
//    finals of a tuning run are: after every round on a GPU, at the end on a software adapter,
//    where caches are not emptied either, since that takes it longer than the kernel.
// 3. A sweep over matmul_tiled.wgsl: the time that is not spent in calls of the back end.
// What launches leave behind is a test's matter (tests/gpu/webgpu/runs.cpp).
//
//   --adapter WHICH  as lkt-tune's --device (the first GPU)
//   --trials N       of part 2 (500)
//   --seconds S      no more trials after that (110)
//   --size N         of part 3's matrices (1024; 256 on a software adapter)
//   --part K         that one only
//   --dump FILE      every sample of every trial, in nanoseconds
#include "../measure/telling_apart.hpp"
#include "measure/agreement.hpp"
#include "measure/framework.hpp"

#include <lkt/core/files.hpp>
#include <lkt/process/worker_main.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct settings {
    std::string adapter, dump;
    int trials = 500, part = 0;
    double seconds = 110;
    std::int64_t size = 0;
};

settings settings_of(int argc, char** argv) {
    settings s;
    for (int k = 1; k < argc; k += 2) {
        std::string const name = argv[k];
        char const* const value = k + 1 < argc ? argv[k + 1] : "";
        if (name == "--adapter")
            s.adapter = value;
        else if (name == "--trials")
            s.trials = std::max(1, std::atoi(value));
        else if (name == "--seconds")
            s.seconds = std::atof(value);
        else if (name == "--size")
            s.size = std::atoll(value);
        else if (name == "--part")
            s.part = std::atoi(value);
        else if (name == "--dump")
            s.dump = value;
        else
            throw std::runtime_error("unknown argument " + name);
    }
    return s;
}

void one_against_itself(lkt::webgpu& gpu, bool simulated, settings const& how) {
    using namespace measure;
    // As the finals: `evaluation_setup::drops_slow_ones`.
    criterion const& judged = criteria[simulated ? 1 : 0];
    std::vector<trial> same;
    for (bool const reads : {false, true}) {
        trial_kernel k;
        k.reads = reads;
        k.groups = simulated ? 64 : 2048;
        k.read_bytes = !reads ? k.written_bytes() : std::uint64_t{simulated ? 4u : 128u} << 20;
        trial_arguments arguments(k);
        double const once = calibrate(gpu, k, arguments, simulated ? 300e-6 : 200e-6);
        subject one(gpu, k, arguments);
        ++k.form;
        subject other(gpu, k, arguments);
        std::vector<trial> own;
        auto const begin = clock_type::now();
        while (own.size() < static_cast<std::size_t>(how.trials + 1) / 2 &&
               since(begin) < how.seconds / 2)
            own.push_back(take_turns(one, other, {.cold = !simulated}));
        std::printf("A/A %-8s %7.1f us, %4zu trials in %.1f s, called different:",
                    k.name(),
                    once * 1e6,
                    own.size(),
                    since(begin));
        for (criterion const& c : criteria) std::printf(" %.2f %%", share(own, c, false));
        std::printf("\n");
        std::fflush(stdout);
        dump(how.dump, k.name(), own);
        same.insert(same.end(), own.begin(), own.end());
    }
    std::printf("figure webgpu_aa_trials %zu trials\n", same.size());
    std::printf("figure webgpu_aa_different %.2f %%\n", share(same, judged, false));
    std::printf("figure webgpu_aa_different_after_each_round %.2f %%\n",
                share(same, criteria[0], false));
    std::printf("figure webgpu_aa_different_at_the_end %.2f %%\n", share(same, criteria[1], false));
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    try {
        auto const how = settings_of(argc, argv);
        auto const here = std::filesystem::path(__FILE__).parent_path();
        auto const text = measure::must(lkt::read_text_file((here / "matmul_tiled.wgsl").string()));
        lkt::webgpu_options options;
        options.adapter = how.adapter;
        lkt::webgpu gpu(options);
        auto const device = gpu.device();
        if (!device) {
            std::printf("%s\n", to_string(device.error()).c_str());
            return device.error().kind == lkt::condition::unavailable ? 77 : 1;
        }
        std::printf("%s, %s\n", device->name.c_str(), device->driver.c_str());
        bool const simulated = device->simulated;
        auto const wanted = [&](int part) { return how.part == 0 || how.part == part; };
        if (wanted(1)) measure::compare_times(gpu, options.library, simulated);
        if (wanted(2)) one_against_itself(gpu, simulated, how);
        if (wanted(3))
            measure::time_framework(
                gpu, text, how.size > 0 ? how.size : std::int64_t{simulated ? 256 : 1024});
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
