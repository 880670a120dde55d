// SPDX-License-Identifier: BSL-1.0
// Where the time of a whole run on a GPU goes (measure/outside.hpp): one_prompt on each of the
// eight kernels of examples/kernels at its full size, with the recorded replies of
// examples/recorded. Each run opens the device anew, as a program of its own does. Names of kernels
// as arguments: only those.
#include <lkt/gpu/cuda.hpp>

#include "../measure/outside.hpp"

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

using namespace lkt_bench;

/// Of the device: several sets of arguments of up to 12 GB lie there.
constexpr std::uint64_t for_the_large = std::uint64_t{48} << 30;

/// An eighth of this machine's memory, as lkt-tune takes for the arguments of a test.
lkt::bytes for_a_test() {
    auto const pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    return {static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 8};
}

std::optional<whole_run> measure(std::string const& kernel) {
    lkt::problem_tests tests;
    tests.limit = for_a_test();
    return whole(kernel,
                 lkt::cuda(),
                 lkt::one_prompt<>{},
                 lkt::read_problem(examples + "/kernels/" + kernel + ".gpu.json"),
                 "recorded/" + kernel + ".one-prompt.jsonl",
                 {},
                 tests);
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    auto const device = lkt::cuda().device();
    if (!device) {
        std::fprintf(stderr, "%s\n", to_string(device.error()).c_str());
        return 1;
    }
    std::vector<std::string> kernels(argv + 1, argv + argc);
    if (kernels.empty()) {
        kernels = {"mandelbrot", "matrix_multiply"};
        if (device->memory.count >= for_the_large)
            kernels.insert(
                kernels.end(),
                {"game_of_life", "kmeans", "matrix_add", "sigmoid", "transpose", "verlet"});
        else
            std::printf("six of the eight are left out: they take a device with 48 GiB\n");
    }
    whole_run all;
    bool each = true;
    for (std::string const& kernel : kernels) {
        auto const run = measure(kernel);
        each = each && run;
        if (!run) continue;
        figures(kernel, *run, {10, 60});
        all += *run;
    }
    figures("all", all, {10, 60});
    return each ? 0 : 1;
}
