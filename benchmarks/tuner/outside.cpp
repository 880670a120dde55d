// SPDX-License-Identifier: BSL-1.0
// Where the time of a whole run goes: in the model, in compilers, on the device, and the rest,
// which is lkt's own, node by node. Two runs on the CPU, saved in a journal: one_prompt with
// replies written by hand, autonomous with recorded ones. Nothing is faked but that replies come at
// once, so that the share of the rest is the largest that such a run can have.
#include <lkt/lkt.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using clock_type = std::chrono::steady_clock;

/// Who has had the time so far. Calls do not overlap in these runs.
struct account {
    lkt::seconds model{}, compilers{}, device{};
    int calls = 0;
    [[nodiscard]] lkt::seconds others() const { return model + compilers + device; }
};

class stopwatch {
public:
    explicit stopwatch(lkt::seconds& to) : to_(to) {}
    stopwatch(stopwatch const&) = delete;
    stopwatch& operator=(stopwatch const&) = delete;
    ~stopwatch() { to_ += clock_type::now() - begin_; }

private:
    lkt::seconds& to_;
    clock_type::time_point begin_ = clock_type::now();
};

struct timed_host {
    lkt::host gpu;
    account& to;

    lkt::result<lkt::device_description> device(lkt::call_context const& context) {
        stopwatch const watch(to.device);
        return gpu.device(context);
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& request,
                                              lkt::call_context const& context) {
        stopwatch const watch(to.compilers);
        return gpu.compile(request, context);
    }
    lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const& kernel,
                                      lkt::run_request const& request,
                                      lkt::call_context const& context) {
        stopwatch const watch(to.device);
        return gpu.run(kernel, request, context);
    }
};
static_assert(lkt::gpu_backend<timed_host>);

struct timed_model {
    lkt::replay_model replies;
    account& to;

    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& request,
                                          lkt::call_context const& context) {
        stopwatch const watch(to.model);
        ++to.calls;
        return replies.complete(request, context);
    }
};
static_assert(lkt::chat_model<timed_model>);

/// What each node takes besides; what lies between two nodes is saving and stepping on.
class by_node {
public:
    explicit by_node(account const& others) : others_(others) {}

    void on_enter(lkt::node_event const& e) {
        charge();
        open_.push_back(lkt::path_of(e));
    }
    void on_exit(lkt::node_event const&, lkt::node_exit const&) {
        charge();
        open_.pop_back();
    }
    void charge() {
        auto const now = clock_type::now();
        lkt::seconds const theirs = others_.others();
        std::string const& who = open_.empty() ? between_ : open_.back();
        nodes_[who] += lkt::seconds(now - last_) - (theirs - before_);
        last_ = now;
        before_ = theirs;
    }
    [[nodiscard]] std::vector<std::pair<std::string, lkt::seconds>> most() const {
        std::vector<std::pair<std::string, lkt::seconds>> all(nodes_.begin(), nodes_.end());
        std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) {
            return a.second > b.second;
        });
        return all;
    }

private:
    account const& others_;
    std::string const between_ = "between the nodes (saving)";
    std::vector<std::string> open_;
    std::map<std::string, lkt::seconds> nodes_;
    clock_type::time_point last_ = clock_type::now();
    lkt::seconds before_{};
};

std::string const examples =
    (fs::path(__FILE__).parent_path() / "../../examples").lexically_normal().string();

template <class Strategy>
int measure(char const* name, lkt::result<lkt::problem> task, std::string const& cassette) {
    auto const complain = [&](lkt::error const& e) {
        std::fprintf(stderr, "%s: %s\n", name, to_string(e).c_str());
        return 1;
    };
    if (!task) return complain(task.error());
    account to;
    timed_host gpu{lkt::host(), to};
    timed_model llm{lkt::replay_model(examples + "/data/" + cassette), to};
    if (auto const& defect = llm.replies.defect()) return complain(*defect);

    auto const path = fs::temp_directory_path() / ("lkt-outside-" + std::to_string(::getpid()));
    auto file = lkt::journal_file::open(path.string());
    if (!file) return complain(file.error());
    auto journal = lkt::journal::over(*file);
    if (!journal) return complain(journal.error());
    fs::remove(path); // it stays as long as it is open
    lkt::tune_options options;
    options.journal = &*journal;
    options.planning = {.plan_length = 3, .max_replans = 1};

    by_node nodes(to);
    auto const begin = clock_type::now();
    auto const outcome = lkt::tuner{gpu, llm, Strategy{}}.tune(std::move(*task), options, nodes);
    lkt::seconds const wall = clock_type::now() - begin;
    nodes.charge();
    if (!outcome) return complain(outcome.error());
    if (outcome->stopped_by) return complain(*outcome->stopped_by);

    lkt::seconds const rest = wall - to.others();
    std::size_t configurations = 0;
    for (auto const& a : outcome->history) configurations += a.configurations.size();
    std::printf("%s: %d calls, %zu configurations, %.1f x; outside model, compilers and device:\n",
                name,
                to.calls,
                configurations,
                outcome->speedup());
    for (auto const& [node, time] : nodes.most())
        if (time > lkt::seconds(1e-4))
            std::printf("  %9.2f ms  %s\n", time.count() * 1e3, node.c_str());
    auto const figure = [&](char const* what, double value, char const* unit) {
        std::printf("figure outside_%s_%s %.3g %s\n", name, what, value, unit);
    };
    figure("wall", wall.count(), "s");
    figure("model", to.model.count() * 1e3, "ms");
    figure("compilers", to.compilers.count(), "s");
    figure("device", to.device.count(), "s");
    figure("rest", rest.count() * 1e3, "ms");
    figure("rest_share", rest / wall * 100, "%");
    // As if each reply had taken ten seconds.
    figure("rest_share_at_10_s", rest / (wall + to.calls * lkt::seconds(10)) * 100, "%");
    std::fflush(stdout);
    return 0;
}

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

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    using one_prompt = lkt::one_prompt<lkt::one_prompt_knobs{.attempts = 4}>;
    using autonomous = lkt::autonomous<lkt::autonomous_knobs{.max_replans = lkt::from_state,
                                                             .plan_length = lkt::from_state}>;
    int const first = measure<one_prompt>("one_prompt", matmul(), "matmul.jsonl");
    int const second =
        measure<autonomous>("autonomous",
                            lkt::read_problem(examples + "/kernels/matrix_multiply.json"),
                            "matrix_multiply.autonomous.jsonl");
    return first + second;
}
