// SPDX-License-Identifier: BSL-1.0
// The autonomous strategy with nothing faked but the model: its kernels are compiled and run on the
// CPU.
#include <lkt/gpu/host.hpp>

#include <doctest/doctest.h>

#include <lkt/llm/scripted.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/report/json.hpp>
#include <lkt/report/text.hpp>
#include <lkt/strategies/autonomous.hpp>
#include <lkt/tuner/tuner.hpp>

#include <boost/json/serialize.hpp>

#include <string>

namespace {

std::string kernel(std::string const& body, std::string const& json) {
    return "```cuda\n__global__ void matrix_multiply(float const* a, float const* b, float* c, "
           "int m, int k, int n) {\n" +
           body + "}\n```\n```json\n" + json + "\n```\n";
}

// Four sums a thread: each element of a is read once for them.
std::string const four_in_a_row =
    kernel("    int const column = 4 * (blockIdx.x * blockDim.x + threadIdx.x);\n"
           "    int const row = blockIdx.y * blockDim.y + threadIdx.y;\n"
           "    if (row >= m || column >= n) return;\n"
           "    int const c1 = min(column + 1, n - 1), c2 = min(column + 2, n - 1);\n"
           "    int const c3 = min(column + 3, n - 1);\n"
           "    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;\n"
           "    for (int i = 0; i < k; ++i) {\n"
           "        float const x = a[row * k + i];\n"
           "        s0 += x * b[i * n + column];\n"
           "        s1 += x * b[i * n + c1];\n"
           "        s2 += x * b[i * n + c2];\n"
           "        s3 += x * b[i * n + c3];\n"
           "    }\n"
           "    c[row * n + column] = s0;\n"
           "    if (column + 1 < n) c[row * n + column + 1] = s1;\n"
           "    if (column + 2 < n) c[row * n + column + 2] = s2;\n"
           "    if (column + 3 < n) c[row * n + column + 3] = s3;\n",
           R"j({"description": "four columns a thread", "parameters": {},
            "launch": {"grid": ["ceil_div(ProblemSize[2], 32)", "ceil_div(ProblemSize[0], 8)"],
                       "block": [8, 8]}})j");

// WIDTH sums a thread, in an inner loop that is vectorised.
std::string wide_rows(std::string const& more) {
    return kernel("    int const row = blockIdx.y * blockDim.y + threadIdx.y;\n"
                  "    int const column = WIDTH * (blockIdx.x * blockDim.x + threadIdx.x);\n"
                  "    if (row >= m || column >= n) return;\n"
                  "    if (column + WIDTH <= n) {\n"
                  "        float sum[WIDTH];\n"
                  "        for (int j = 0; j < WIDTH; ++j) sum[j] = 0.0f;\n"
                  "        for (int i = 0; i < k; ++i)\n"
                  "            for (int j = 0; j < WIDTH; ++j)\n"
                  "                sum[j] += a[row * k + i] * b[i * n + column + j];\n"
                  "        for (int j = 0; j < WIDTH; ++j) c[row * n + column + j] = sum[j]" +
                      more +
                      ";\n"
                      "        return;\n"
                      "    }\n"
                      "    for (int j = column; j < n; ++j) {\n"
                      "        float sum = 0.0f;\n"
                      "        for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + j];\n"
                      "        c[row * n + j] = sum;\n"
                      "    }\n",
                  R"j({"description": "wide rows", "parameters": {"WIDTH": [32, 16]},
            "launch": {"grid": ["ceil_div(ProblemSize[2], WIDTH)", "ceil_div(ProblemSize[0], 8)"],
                       "block": [1, 8]}})j");
}

} // namespace

TEST_CASE("A plan of two right steps, one that is wrong and one that is none, on the CPU") {
    auto const task = lkt::read_problem(std::string(LKT_TEST_SOURCE_DIR) +
                                        "/../examples/kernels/matrix_multiply.json");
    REQUIRE_MESSAGE(task.has_value(), to_string(task.error()));
    char const* valid = R"({"reason": "It fits.", "valid": true})";
    lkt::scripted_model llm{
        R"({"questions": [{"what": "compiler", "counters": [], "parameters": []},
                          {"what": "code", "counters": [], "line": 1, "parameters": []}]})",
        R"({"steps": ["Let each thread compute four neighbours of a row.",
                      "Link a tuned library.",
                      "Accumulate in wide rows, and add 1 at the end.",
                      "Accumulate in wide rows of registers, which vectorise."]})",
        valid,
        four_in_a_row,
        R"({"reason": "It needs host code.", "valid": false})",
        valid,
        wide_rows(" + 1.0f"),
        wide_rows(" + 2.0f"),
        valid,
        wide_rows(""),
        R"({"questions": []})",
        R"({"replan": false, "steps": []})"};
    lkt::host gpu;
    constexpr lkt::autonomous<> strategy{.per_step = {.attempts = 2}};
    lkt::tune_options options;
    options.evaluation.launch_limit = lkt::seconds(5);
    options.evaluation.checked_time = lkt::seconds(0.3);
    auto const outcome = lkt::tuner{gpu, llm, strategy}.tune(*task, options);
    REQUIRE_MESSAGE(outcome.has_value(), to_string(outcome.error()));
    INFO(lkt::text_report(*outcome));
    // Whether these two pay is for the machine to say, which may have other work to do.
    auto const judged = [](lkt::past_step const& p) {
        return p.end == lkt::step_end::applied || p.end == lkt::step_end::no_gain;
    };
    CHECK(outcome->strategy == "autonomous");
    CHECK(llm.left() == 0);
    REQUIRE(outcome->inquiries.size() == 2);
    for (auto const& a : outcome->inquiries[0].answers) CHECK_MESSAGE(a.answered, a.text);
    CHECK(outcome->inquiries[1].answers.empty());
    auto const& past = outcome->planning.past;
    REQUIRE(past.size() == 4);
    CHECK(judged(past[0]));
    CHECK(past[1].end == lkt::step_end::invalid);
    CHECK(past[2].end == lkt::step_end::failed);
    CHECK(judged(past[3]));
    CHECK(outcome->history.size() == 4);
    CHECK((outcome->terminal == "tuned" || outcome->terminal == "unchanged"));

    auto const report = lkt::text_report(*outcome);
    CHECK(report.find("Step 2: Link a tuned library.\n    invalid: It needs host code.") !=
          std::string::npos);
    CHECK(report.find("asked for: Step 3") != std::string::npos);
    auto const json = boost::json::serialize(lkt::json_report(*outcome));
    CHECK(json.find("\"end\":\"invalid\"") != std::string::npos);
    CHECK(json.find("\"question\":\"replan\"") != std::string::npos);
}
