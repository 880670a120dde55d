// SPDX-License-Identifier: BSL-1.0
// Each strategy once with nothing faked but the model and the clock: kernels are compiled and run
// on the CPU.
#include <lkt/gpu/host.hpp>

#include <doctest/doctest.h>

#include "../support/timed_host.hpp"

#include <lkt/llm/scripted.hpp>
#include <lkt/strategies/beam.hpp>
#include <lkt/strategies/evolve.hpp>
#include <lkt/strategies/refine.hpp>
#include <lkt/strategies/sample_n.hpp>
#include <lkt/tuner/tuner.hpp>

#include <string>
#include <utility>
#include <vector>

namespace {

// Sums of 64 neighbours, summed anew for every element, each eight times.
std::string const slow = "__global__ void sums(float const* x, float* y, int n) {\n"
                         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "    if (i >= n) return;\n"
                         "    float sum = 0.0f;\n"
                         "    for (int pass = 0; pass < 8; ++pass)\n"
                         "        for (int k = 0; k < 64; ++k)\n"
                         "            sum += x[i / 64 * 64 + k] * (pass == 0 ? 1.0f : 1e-30f);\n"
                         "    y[i] = sum;\n"
                         "}\n";

std::string kernel_with(std::string const& body) {
    return "```cuda\n__global__ void sums(float const* x, float* y, int n) {\n" + body + "}\n```\n";
}

/// Two passes fewer, or all but one; then one sum for all who need it.
std::string const some_passes = kernel_with("    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                            "    if (i >= n) return;\n"
                                            "    float sum = 0.0f;\n"
                                            "    for (int k = 0; k < 64; ++k)\n"
                                            "        sum += x[i / 64 * 64 + k];\n"
                                            "    y[i] = sum;\n");
std::string const one_sum = kernel_with("    int i = blockIdx.x * 64 + threadIdx.x;\n"
                                        "    if (threadIdx.x != 0) return;\n"
                                        "    float sum = 0.0f;\n"
                                        "    for (int k = 0; k < 64; ++k) sum += x[i + k];\n"
                                        "    for (int k = 0; k < 64; ++k) y[i + k] = sum;\n");
std::string const wrong = kernel_with("    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                      "    if (i < n) y[i] = x[i];\n");
std::string const too_far = kernel_with("    int i = blockIdx.x * 64 + threadIdx.x;\n"
                                        "    float sum = 0.0f;\n"
                                        "    for (int k = 0; k < 64; ++k)\n"
                                        "        sum += x[i / 64 * 64 + k];\n"
                                        "    y[i + (i == n - 1 ? 1 : 0)] = sum;\n");

std::string advice(std::string const& fix) {
    return R"({"bottleneck": "instructions", "fix": ")" + fix + R"(", "why": "the loop"})";
}

lkt::seconds time_of(lkt::compile_request const& r) {
    auto const has = [&](char const* words) {
        return r.source.text.find(words) != std::string::npos;
    };
    return lkt::seconds(has("pass < 8") ? 8e-3 : has("threadIdx.x != 0") ? 1e-4 : 1e-3);
}

template <class Strategy>
auto tuned_with(Strategy const& strategy, std::vector<lkt::scripted_turn> turns) {
    test::timed_host gpu{time_of};
    lkt::scripted_model llm{std::move(turns)};
    lkt::kernel_options o;
    o.size = {{"n", 4096}};
    o.arguments = {{"x", "n"}, {"y", "n"}};
    o.grid = {"ceil_div(n, 64)"};
    o.block = {"64"};
    lkt::tune_options how;
    how.evaluation.checked_time = lkt::seconds(0.3);
    auto outcome = lkt::tuner{gpu, llm, strategy}.tune(
        lkt::kernel_source{lkt::language::cuda, slow, "sums.cu"}, o, how);
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    CHECK(llm.left() == 0);
    return std::move(*outcome);
}

template <class Outcome>
bool is(lkt::attempt_record const& a) {
    return std::holds_alternative<Outcome>(a.outcome);
}

} // namespace

TEST_CASE("sample_n on the CPU") {
    constexpr lkt::sample_n<> strategy{.limits = {.samples = 5}, .calls = {.in_flight = 1}};
    auto const outcome = tuned_with(strategy, {wrong, some_passes, too_far, one_sum, one_sum});
    CHECK(outcome.terminal == "tuned");
    CHECK(outcome.improved());
    REQUIRE(outcome.history.size() == 5);
    CHECK(is<lkt::failure>(outcome.history[0]));
    CHECK(is<lkt::no_improvement>(outcome.history[1]));
    CHECK(is<lkt::failure>(outcome.history[2]));
    CHECK(is<lkt::improvement>(outcome.history[3]));
    CHECK(is<lkt::no_improvement>(outcome.history[4])); // the same again
}

TEST_CASE("refine on the CPU") {
    constexpr lkt::refine<> strategy{.limits = {.rounds = 3, .patience = 2}};
    auto const outcome = tuned_with(strategy,
                                    {advice("Sum once."),
                                     wrong,
                                     some_passes,
                                     advice("Let one thread sum for its block."),
                                     one_sum,
                                     advice("Copy instead."),
                                     wrong,
                                     too_far});
    CHECK(outcome.terminal == "tuned");
    CHECK(outcome.improved());
    REQUIRE(outcome.history.size() == 5);
    CHECK(is<lkt::failure>(outcome.history[0]));
    CHECK(is<lkt::improvement>(outcome.history[1]));
    CHECK(is<lkt::improvement>(outcome.history[2]));
    CHECK(outcome.history[2].step.starts_with("Let one thread sum"));
}

TEST_CASE("beam on the CPU") {
    constexpr lkt::beam<> strategy{.limits = {.width = 2, .depth = 2, .branches = 1},
                                   .calls = {.in_flight = 1}};
    auto const outcome = tuned_with(strategy, {some_passes, wrong, too_far, one_sum});
    CHECK(outcome.terminal == "tuned");
    CHECK(outcome.improved());
    REQUIRE(outcome.history.size() == 4);
    CHECK(is<lkt::improvement>(outcome.history[0]));
    CHECK(is<lkt::failure>(outcome.history[1]));
    CHECK(is<lkt::failure>(outcome.history[2]));
    CHECK(is<lkt::improvement>(outcome.history[3]));
}

TEST_CASE("evolve on the CPU") {
    // A patch of the original, then one of what became of it.
    std::string const once = "<<<<<<< SEARCH\n    for (int pass = 0; pass < 8; ++pass)\n=======\n"
                             "    for (int pass = 0; pass < 1; ++pass)\n>>>>>>> REPLACE\n";
    std::string const nowhere = "<<<<<<< SEARCH\n    for (;;)\n=======\n>>>>>>> REPLACE\n";
    constexpr lkt::evolve<> strategy{
        .limits = {.generations = 2, .islands = 1, .children = 2, .patches = 100},
        .calls = {.in_flight = 1}};
    auto const outcome = tuned_with(strategy, {once, nowhere, one_sum, too_far});
    CHECK(outcome.terminal == "tuned");
    CHECK(outcome.improved());
    REQUIRE(outcome.history.size() == 4);
    CHECK(is<lkt::improvement>(outcome.history[0]));
    CHECK(is<lkt::failure>(outcome.history[1]));
    CHECK(is<lkt::improvement>(outcome.history[2]));
    CHECK(is<lkt::failure>(outcome.history[3]));
}
