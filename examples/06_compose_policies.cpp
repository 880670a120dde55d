// SPDX-License-Identifier: BSL-1.0
// Every policy of a run is a type of one's own: chat model, retries, prompts, tests, search and GPU
// backend. Each satisfies a concept, and the tuner joins them at compile time.
#include <lkt/lkt.hpp>

#include <chrono>
#include <cmath>
#include <cstring>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// lkt::chat_model: anything with `complete`. This one answers from memory, and is busy at first.
struct colleague {
    int asked = 0;

    lkt::result<lkt::chat_reply> complete(lkt::chat_request const&, lkt::call_context const&) {
        if (++asked == 1)
            return lkt::error{lkt::condition::transient, "office.busy", "ask again", {}};
        lkt::chat_reply reply;
        reply.model = "the colleague next door";
        reply.text = "Sum in registers, and let each thread take RUN rows.\n"
                     "```cuda\n"
                     "__global__ void row_sums(float const* x, float* y, int n, int m) {\n"
                     "    int first = (blockIdx.x * blockDim.x + threadIdx.x) * RUN;\n"
                     "    for (int row = first; row < first + RUN && row < n; ++row) {\n"
                     "        float sum = 0;\n"
                     "        for (int k = 0; k < m; ++k) sum += x[row * m + k];\n"
                     "        y[row] = sum;\n"
                     "    }\n"
                     "}\n```\n"
                     "```json\n"
                     R"j({"parameters": {"RUN": [1, 2, 4]},
                          "launch": {"grid": ["ceil_div(n, 64 * RUN)"], "block": ["64"]}})j"
                     "\n```\n";
        return reply;
    }
};

/// lkt::retry_policy: five times at once, then nobody is there.
struct insist {
    constexpr lkt::retry_delay next(lkt::condition c, int attempt, lkt::retry_delay) const {
        if (c != lkt::condition::transient || attempt >= 5) return {};
        return std::chrono::milliseconds{1};
    }
};

/// lkt::test_generator: the library's tests, and one that its author knows to be hard.
struct tests_with_ramp {
    lkt::problem_tests usual{};

    lkt::result<std::vector<lkt::test_case>> generate(lkt::problem const& task,
                                                      lkt::call_context const& context) {
        auto tests = usual.generate(task, context);
        if (!tests) return tests.error();
        lkt::test_case ramp = tests->front(); // the first one is timed
        ramp.name = "ramp";
        std::vector<float> values(ramp.arguments[0].bytes.size() / sizeof(float));
        std::iota(values.begin(), values.end(), -100.0F);
        for (float& v : values) v = std::fmod(v, 1024.0F);
        std::memcpy(ramp.arguments[0].bytes.data(), values.data(), ramp.arguments[0].bytes.size());
        tests->push_back(std::move(ramp));
        return tests;
    }
};

/// lkt::search_policy: from the last configuration to the first, and no further than the third.
struct backwards {
    void start(lkt::search_space const& space) {
        all_.clear();
        lkt::exhaustive each;
        each.start(space);
        while (auto c = each.ask()) all_.push_back(std::move(*c));
        left_ = 3;
    }
    std::optional<lkt::configuration> ask() {
        if (all_.empty() || left_-- == 0) return std::nullopt;
        auto next = std::move(all_.back());
        all_.pop_back();
        return next;
    }
    void tell(lkt::configuration const&, std::optional<lkt::seconds>) {}

private:
    std::vector<lkt::configuration> all_;
    int left_ = 0;
};

/// lkt::gpu_backend: the CPU, with a count of what was asked of it.
struct counted_host {
    lkt::host inner{};
    int compiled = 0, launched = 0;

    lkt::result<lkt::device_description> device(lkt::call_context const& context) {
        return inner.device(context);
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& request,
                                              lkt::call_context const& context) {
        ++compiled;
        return inner.compile(request, context);
    }
    lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const& kernel,
                                      lkt::run_request const& request,
                                      lkt::call_context const& context) {
        ++launched;
        return inner.run(kernel, request, context);
    }
};

static_assert(lkt::chat_model<colleague> && lkt::retry_policy<insist>);
static_assert(lkt::test_generator<tests_with_ramp> && lkt::search_policy<backwards>);
static_assert(lkt::gpu_backend<counted_host>);

/// Prompts of one's own: what is not said here is the library's.
struct short_prompts : lkt::default_prompts {
    using lkt::default_prompts::operator();
    std::string operator()(lkt::compile_failed const& f) const {
        return "It does not compile:\n" + f.log + "\nWrite the whole kernel again.";
    }
};

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    lkt::kernel_source const source{
        lkt::language::cuda,
        "__global__ void row_sums(float const* x, float* y, int n, int m) {\n"
        "    int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (row >= n) return;\n"
        "    y[row] = 0;\n"
        "    for (int k = 0; k < m; ++k) {\n"
        "        __threadfence();\n" // what the rewrite takes out
        "        y[row] += x[row * m + k];\n"
        "    }\n"
        "}\n",
        "row_sums.cu"};
    lkt::kernel_options kernel;
    kernel.size = {{"n", 1 << 14}, {"m", 128}};
    kernel.arguments = {{"x", "n * m"}, {"y", "n"}};
    kernel.grid = {"ceil_div(n, 64)"};
    kernel.block = {"64"};

    counted_host gpu;
    colleague llm;
    lkt::one_prompt<lkt::one_prompt_knobs{}, short_prompts, insist{}> strategy;
    strategy.limits.attempts = 2;
    lkt::tuner tuner{gpu, llm, strategy, tests_with_ramp{}, backwards{}};
    auto const outcome = tuner.tune(source, kernel);
    if (!outcome) {
        std::cerr << to_string(outcome.error()) << "\n";
        return 1;
    }
    std::cout << lkt::text_report(*outcome) << "\n"
              << llm.asked << " questions, " << gpu.compiled << " compilations, " << gpu.launched
              << " runs\n";
    return outcome->terminal == "tuned" && llm.asked == 2 ? 0 : 1;
}
