// SPDX-License-Identifier: BSL-1.0
// A strategy of one's own in forty lines: ask the model, test what it wrote, tell it what went
// wrong, ask again. The testing and the prompts are the library's; the asking is ours.
#include <lkt/lkt.hpp>

#include <iostream>

using namespace lkt::dsl;

enum class reply_holds { kernel, nothing };
struct faster_found {};
struct nothing_found {};

inline constexpr auto invoke_model = [](lkt::tuning_state& s,
                                        auto& tools) -> lkt::result<reply_holds> {
    lkt::chat_request request;
    request.messages = lkt::conversation_of(lkt::brief_of(s), s.attempts, lkt::default_prompts{});
    auto reply = tools.llm.complete(request, tools.context);
    if (!reply) return reply.error();
    lkt::count_usage(s.usage, *reply);
    auto read = lkt::read_reply(*reply, s.task, s.best.kernel);
    lkt::attempt_record record; // for the report, and for the next request
    record.model = reply->model;
    record.reply = reply->text;
    record.usage = reply->usage;
    if (auto* why = std::get_if<lkt::failure>(&read.what)) {
        s.attempts.push_back({reply->text, *why, {}}); // the next request tells the model
        record.outcome = std::move(*why);
        s.history.push_back(std::move(record));
        return reply_holds::nothing;
    }
    s.proposal = std::get<lkt::candidate>(std::move(read.what));
    record.proposal = s.proposal;
    s.history.push_back(std::move(record));
    return reply_holds::kernel;
};

struct custom {
    static constexpr auto graph = lkt::graph<lkt::tuning_state>(
        node<invoke_model>(retrying<lkt::backoff{.attempts = 3}>(), // failures that may pass
                           limit<4>(stop<nothing_found>),           // the fifth attempt is not made
                           on<reply_holds::kernel>(lkt::evaluate),
                           on<reply_holds::nothing>(invoke_model)),
        node<lkt::evaluate>(on<lkt::evaluated::faster>(stop<faster_found>),
                            on<lkt::evaluated::slower>(invoke_model),
                            on<lkt::evaluated::failed>(invoke_model)));
};

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    lkt::kernel_source const source{
        lkt::language::cuda,
        "__global__ void scale(float const* x, float* y, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) y[i] = 0.0f;\n"
        "    for (int pass = 0; pass < 64; ++pass)\n"
        "        if (i < n) y[i] += x[i] * (1.0f / 64.0f) * (pass < 32 ? 1.0f : 1.0f);\n"
        "}\n",
        "scale.cu"};
    lkt::kernel_options kernel;
    kernel.size = {{"n", 1 << 18}}; // long enough to be timed on many cores
    kernel.arguments = {{"x", "n"}, {"y", "n"}};
    kernel.grid = {"ceil_div(n, 64)"};
    kernel.block = {"64"};

    lkt::host gpu;
    lkt::scripted_model llm{"I would have to see the whole program.",
                            "```cuda\n"
                            "__global__ void scale(float const* x, float* y, int n) {\n"
                            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "    if (i < n) y[i] = x[i] + x[i];\n"
                            "}\n```\n",
                            "```cuda\n"
                            "__global__ void scale(float const* x, float* y, int n) {\n"
                            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "    if (i < n) y[i] = x[i];\n"
                            "}\n```\n"};
    std::cout << lkt::to_mermaid<custom>() << "\n";
    auto const outcome = lkt::tuner{gpu, llm, custom{}}.tune(source, kernel);
    if (!outcome) {
        std::cerr << to_string(outcome.error()) << "\n";
        return 1;
    }
    std::cout << lkt::text_report(*outcome);
    return outcome->terminal == "faster_found" ? 0 : 1;
}
