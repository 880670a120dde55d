// SPDX-License-Identifier: BSL-1.0
// The whole path with nothing faked but the model: kernels are compiled and run on the CPU.
#include <lkt/gpu/host.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>
#include <lkt/process/child.hpp>
#include <lkt/strategies/explicit_steps.hpp>
#include <lkt/strategies/one_prompt.hpp>
#include <lkt/strategies/sweep.hpp>
#include <lkt/tuner/tuner.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

// Sums of 64 neighbours, each summed anew for every element.
std::string const slow = "__global__ void sums(float const* x, float* y, int n) {\n"
                         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "    if (i >= n) return;\n"
                         "    float sum = 0.0f;\n"
                         "    for (int pass = 0; pass < 8; ++pass)\n"
                         "        for (int k = 0; k < 64; ++k) sum += x[i / 64 * 64 + k] * (pass "
                         "== 0 ? 1.0f : 1e-30f);\n"
                         "    y[i] = sum;\n"
                         "}\n";

std::string kernel_with(std::string const& body) {
    return "```cuda\n__global__ void sums(float const* x, float* y, int n) {\n" + body + "}\n```\n";
}

lkt::kernel_options options() {
    lkt::kernel_options o;
    o.size = {{"n", 16384}};
    o.arguments = {{"x", "n"}, {"y", "n"}};
    o.grid = {"ceil_div(n, 64)"};
    o.block = {"64"};
    return o;
}

lkt::tune_options quick() {
    lkt::tune_options o;
    o.evaluation.launch_limit = lkt::seconds(2);
    o.evaluation.checked_time = lkt::seconds(0.3);
    return o;
}

template <class Failure>
bool failed_as(lkt::attempt_record const& a) {
    auto const* why = std::get_if<lkt::failure>(&a.outcome);
    return why != nullptr && std::holds_alternative<Failure>(*why);
}

} // namespace

TEST_CASE("Kernels that hang, race and reach too far are told apart from the one that wins") {
    lkt::host gpu;
    lkt::scripted_model llm{
        kernel_with("    while (n > 0) y[0] = x[0];\n"),
        // One thread sums, the others read its sum without waiting for it.
        kernel_with("    __shared__ float sum;\n"
                    "    int i = blockIdx.x * 64 + threadIdx.x;\n"
                    "    if (threadIdx.x == 63) {\n"
                    "        sum = 0.0f;\n"
                    "        for (int k = 0; k < 64; ++k) sum += x[blockIdx.x * 64 + k];\n"
                    "    }\n"
                    "    __syncwarp();\n"
                    "    if (i < n) y[i] = sum;\n"),
        kernel_with("    int i = blockIdx.x * 64 + threadIdx.x;\n"
                    "    float sum = 0.0f;\n"
                    "    for (int k = 0; k < 64; ++k) sum += x[i / 64 * 64 + k];\n"
                    "    y[i + (i == n - 1 ? 1 : 0)] = sum;\n"),
        kernel_with("    int i = blockIdx.x * 64 + threadIdx.x;\n"
                    "    if (threadIdx.x != 0) return;\n"
                    "    float sum = 0.0f;\n"
                    "    for (int k = 0; k < 64; ++k) sum += x[i + k];\n"
                    "    for (int k = 0; k < 64; ++k) y[i + k] = sum;\n")};
    constexpr lkt::one_prompt<> strategy{.limits = {.attempts = 4}};
    auto const outcome = lkt::tuner{gpu, llm, strategy}.tune(
        lkt::kernel_source{lkt::language::cuda, slow, "sums.cu"}, options(), quick());
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    REQUIRE(outcome->history.size() == 4);
    CHECK(failed_as<lkt::timed_out>(outcome->history[0]));
    CHECK((failed_as<lkt::race>(outcome->history[1]) ||
           failed_as<lkt::wrong_output>(outcome->history[1])));
    CHECK((failed_as<lkt::crashed>(outcome->history[2]) ||
           failed_as<lkt::out_of_bounds>(outcome->history[2])));
    CHECK(outcome->terminal == "tuned");
    CHECK(outcome->improved());
    CHECK(outcome->speedup() > 1);
    CHECK(outcome->device.simulated);
}

TEST_CASE("A sweep on the CPU skips the configurations that do not compile") {
    lkt::host gpu;
    auto kernel = options();
    kernel.parameters = {{"PASSES", {std::int64_t{16}, std::int64_t{1}, std::int64_t{0}}}};
    std::string text = slow;
    text.replace(text.find("pass < 8"), 8, "pass < PASSES");
    text.insert(text.find("    float sum"), "    static_assert(PASSES > 0, \"a pass\");\n");
    auto const outcome = lkt::tuner{gpu, lkt::sweep<>{}}.tune(
        lkt::kernel_source{lkt::language::cuda, text, "sums.cu"}, kernel, quick());
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    CHECK(outcome->terminal == "tuned");
    REQUIRE(outcome->history.size() == 1);
    REQUIRE(outcome->history[0].configurations.size() == 3);
    auto const& last = outcome->history[0].configurations[2].outcome;
    REQUIRE(std::holds_alternative<lkt::failure>(last));
    CHECK(std::holds_alternative<lkt::compile_failed>(std::get<lkt::failure>(last)));
    CHECK(outcome->best.config.values[0].second == lkt::parameter_value(std::int64_t{1}));
}

TEST_CASE("A second process compiles nothing, what does not compile included") {
    char name[] = "/tmp/lkt-swept-XXXXXX";
    std::string const folder = ::mkdtemp(name);
    auto const sweep = [&] {
        lkt::child_options o;
        auto const here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
        o.arguments = {(here / "tuner_swept").string(), folder};
        o.keep = {"PATH", "LKT_CXX", "ASAN_OPTIONS", "TSAN_OPTIONS"};
        auto const r = lkt::run_child(o);
        return r ? r->out : to_string(r.error());
    };
    auto const begins = [](std::string const& text, std::string const& with) {
        CHECK_MESSAGE(text.starts_with(with), text);
    };
    auto const first = sweep();
    begins(first, "8 of 12 do not compile; compiled ");
    CHECK(first.find("compiled 0,") == std::string::npos);
    begins(sweep(), "8 of 12 do not compile; compiled 0, from the cache ");
    // Damaged files are misses, and written anew.
    for (auto const& f : std::filesystem::recursive_directory_iterator(folder)) {
        if (!f.is_regular_file()) continue;
        std::fstream file(f.path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(f.file_size() / 2));
        file.put('\x5a').put('\x5a');
    }
    auto const damaged = sweep();
    begins(damaged, "8 of 12 do not compile; compiled ");
    CHECK(damaged.find("compiled 0,") == std::string::npos);
    begins(sweep(), "8 of 12 do not compile; compiled 0, from the cache ");
    std::filesystem::remove_all(folder);
}

TEST_CASE("Steps are worked off on the CPU, and what they bring in is tuned") {
    lkt::host gpu;
    lkt::optimization_step factor;
    factor.id = "passes";
    factor.prompt = "Make the number of passes a parameter.";
    factor.tune_params = {{"PASSES", {std::int64_t{8}, std::int64_t{1}}, std::int64_t{8}}};
    lkt::optimization_step guess{"guess", "Guess the sums.", {}, {"passes"}, false, {}};
    lkt::optimization_step no_use{"no_use", "Do nothing of use.", {}, {}, false, {}};
    std::string tunable = slow;
    tunable.replace(tunable.find("pass < 8"), 8, "pass < PASSES");
    std::string const yes = R"({"should_run": true, "why": "it may help"})";
    lkt::scripted_model llm{yes,
                            "```cuda\n" + tunable + "```\n", // lists no parameter: the step does
                            yes,
                            kernel_with("    y[blockIdx.x * 64 + threadIdx.x] = 32.0f;\n"),
                            kernel_with("    y[blockIdx.x * 64 + threadIdx.x] = x[0] * 64.0f;\n"),
                            kernel_with("    no C at all\n"),
                            R"({"should_run": false, "why": "of no use"})"};
    lkt::explicit_steps<> const strategy{{{factor, guess, no_use}}};
    auto const outcome = lkt::tuner{gpu, llm, strategy}.tune(
        lkt::kernel_source{lkt::language::cuda, slow, "sums.cu"}, options(), quick());
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    CHECK_MESSAGE(outcome->terminal == "tuned",
                  (outcome->stopped_by ? to_string(*outcome->stopped_by) : ""));
    CHECK(llm.left() == 0);
    CHECK(outcome->best.config.values[0].second == lkt::parameter_value(std::int64_t{1}));
    CHECK(outcome->speedup() > 1.5);
    REQUIRE(outcome->history.size() == 4);
    CHECK(outcome->history[0].configurations.size() == 2);
    CHECK(failed_as<lkt::wrong_output>(outcome->history[1]));
    CHECK(failed_as<lkt::compile_failed>(outcome->history[3]));
}
