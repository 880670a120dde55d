// SPDX-License-Identifier: BSL-1.0
// How far the CUDA back end's times can be trusted.
// 1. Agreement: each kernel of measure/kernels.hpp is measured by lkt, by the reference
//    (measure/reference.hpp, a process of its own), and by lkt again; the medians are compared, and
//    the time that it took. lkt measures in two ways each time: quickly, until the median is known
//    within 0.5 %, and settled, which takes 60 ms besides, since a device's clock wanders by 0.3 to
//    0.8 % within some 50 ms, and the samples of a few milliseconds know nothing of it. Last the
//    reference measures with the buffers elsewhere in memory: what it then differs by from itself,
//    no measurement in another process can be held to.
// 2. A/A: one kernel against itself, in short series that take turns, judged as the finals of a
//    tuning run are: after every round, until the intervals of the medians are apart.
// 3. The same for a kernel against one that does 1 % more work.
//
//   --trials N      of parts 2 and 3, each (1000)
//   --seconds S     no more trials of a part after that (40)
//   --limit S       of the reference for one kernel (15)
//   --no-agreement  parts 2 and 3 only
//   --dump FILE     every sample of every trial, in nanoseconds
#include "measure/agreement.hpp"
#include "measure/telling_apart.hpp"

#include <lkt/core/files.hpp>
#include <lkt/process/worker_main.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace {

struct settings {
    int trials = 1000;
    double seconds = 40, limit = 15;
    bool agreement = true;
    std::string dump;
};

settings settings_of(int argc, char** argv) {
    settings s;
    for (int k = 1; k < argc; ++k) {
        std::string const name = argv[k];
        char const* const value = k + 1 < argc ? argv[k + 1] : "";
        if (name == "--no-agreement") {
            s.agreement = false;
            continue;
        }
        ++k;
        if (name == "--trials")
            s.trials = std::max(1, std::atoi(value));
        else if (name == "--seconds")
            s.seconds = std::atof(value);
        else if (name == "--limit")
            s.limit = std::atof(value);
        else if (name == "--dump")
            s.dump = value;
        else
            throw std::runtime_error("unknown argument " + name);
    }
    return s;
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    try {
        auto const how = settings_of(argc, argv);
        auto const here = std::filesystem::path(__FILE__).parent_path();
        auto const text =
            measure::must(lkt::read_text_file((here / "measure" / "kernels.cuh").string()));
        lkt::cuda_options options;
        options.cache_limit = lkt::bytes{0};
        lkt::cuda gpu(options);
        if (auto const device = gpu.device(); !device) {
            std::printf("%s\n", to_string(device.error()).c_str());
            return device.error().kind == lkt::condition::unavailable ? 77 : 1;
        }
        for (auto const& k : measure::kernels())
            gpu.prefetch(measure::subject::request_of(text, k));
        if (how.agreement) measure::compare_medians(gpu, text, how.limit);
        measure::tell_apart(gpu, text, how.trials, how.seconds, how.dump);
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
