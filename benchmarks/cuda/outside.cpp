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

/// An eighth of the memory, as lkt-tune takes for the arguments of a test.
lkt::bytes for_a_test() {
    auto const pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    return {static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 8};
}

std::optional<whole_run> measure(std::string const& kernel) {
    lkt::problem_tests tests;
    tests.limit = for_a_test();
    using one_prompt = lkt::one_prompt<lkt::one_prompt_knobs{.attempts = 3}>;
    return whole(kernel,
                 lkt::cuda(),
                 one_prompt{},
                 lkt::read_problem(examples + "/kernels/" + kernel + ".gpu.json"),
                 "recorded/" + kernel + ".one-prompt.jsonl",
                 {},
                 tests);
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    std::vector<std::string> kernels(argv + 1, argv + argc);
    if (kernels.empty())
        kernels = {"game_of_life",
                   "kmeans",
                   "mandelbrot",
                   "matrix_add",
                   "matrix_multiply",
                   "sigmoid",
                   "transpose",
                   "verlet"};
    if (auto const there = lkt::cuda().device(); !there) {
        std::fprintf(stderr, "%s\n", to_string(there.error()).c_str());
        return 1;
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
