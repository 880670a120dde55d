// SPDX-License-Identifier: BSL-1.0
// Where the time of a whole run goes (measure/outside.hpp). Two runs on the CPU: one_prompt with
// replies written by hand, autonomous with recorded ones. benchmarks/cuda/outside.cpp has a GPU's.
#include "../measure/outside.hpp"

#include <string>
#include <utility>

namespace {

using namespace lkt_bench;

lkt::result<lkt::problem> matmul() {
    auto text = lkt::read_text_file(examples + "/data/matmul.cu");
    if (!text) return text.error();
    lkt::kernel_options kernel;
    kernel.size = {{"N", 256}};
    kernel.further_sizes = {{{"N", 100}}};
    kernel.arguments = {{"A", "N * N"}, {"B", "N * N"}, {"C", "N * N"}};
    kernel.grid = {"ceil_div(N, 16)", "ceil_div(N, 16)"};
    kernel.block = {"16", "16"};
    return lkt::problem_from({lkt::language::cuda, std::move(*text), "matmul.cu"}, kernel);
}

template <class Strategy>
bool measure(char const* name,
             Strategy strategy,
             lkt::result<lkt::problem> task,
             std::string const& cassette) {
    auto const run = whole(name, lkt::host(), strategy, std::move(task), cassette);
    if (run) figures(name, *run, {10});
    return run.has_value();
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    constexpr lkt::one_prompt<> one_prompt{.limits = {.attempts = 4}};
    constexpr lkt::autonomous<> autonomous{.limits = {.plan_length = 3, .max_replans = 1}};
    bool const first = measure("one_prompt", one_prompt, matmul(), "data/matmul.jsonl");
    bool const second = measure("autonomous",
                                autonomous,
                                lkt::read_problem(examples + "/kernels/matrix_multiply.json"),
                                "data/matrix_multiply.autonomous.jsonl");
    return first && second ? 0 : 1;
}
