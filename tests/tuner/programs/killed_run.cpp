// SPDX-License-Identifier: BSL-1.0
// One session of a journalled tuning run on the host back end, which kills itself at a random
// point: between any two things that it does to the world, in the middle of a write to its journal,
// or when a timer fires, while compilers and workers are at work. The model's replies and the times
// of kernels are functions of what is asked, so whatever differs in the end was lost or done twice.
// tests/tuner/killed.cpp starts it until it comes to its end.
//
//     tuner_killed_run FOLDER SEED     SEED 0: not killed
//
// In FOLDER: `run.journal`; `calls`, a line a model call, written before the reply is given;
// `scratch`, for temporary files; `final`, the State in the end without wall-clock times.
#include "../../support/timed_host.hpp"

#include <lkt/core/files.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/store/checkpoint.hpp>
#include <lkt/store/journal_file.hpp>
#include <lkt/strategies/autonomous.hpp>
#include <lkt/tuner/problem_from.hpp>
#include <lkt/tuner/tuner.hpp>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

using namespace lkt::dsl;

// ------------------------------------------------------------------------------- the strategy

/// A node of several calls, each of which follows from the one before.
inline constexpr auto deliberate = [](lkt::planning_state& s, auto& tools) -> lkt::result<void> {
    std::string thought = "What slows this kernel down?";
    auto usage = s.usage;
    for (int i = 0; i < 3; ++i) {
        lkt::chat_request request;
        request.messages = {{lkt::role::user, thought}};
        auto const reply = tools.llm.complete(request, tools.context);
        if (!reply) return reply.error();
        lkt::count_usage(usage, *reply);
        thought = reply->text.substr(0, 200);
    }
    s.usage = std::move(usage);
    s.notes.push_back(thought);
    return {};
};
struct strategy {
    using tuning = lkt::autonomous<lkt::autonomous_knobs{.breakdown = true}>;
    tuning inner{.limits = {.max_steps = 3, .max_replans = 1}, .per_step = {.attempts = 2}};
    using number_fields = lkt::fields<&strategy::inner>;
    void adjust(lkt::planning_state& s) const { inner.adjust(s); }
    static constexpr auto graph =
        lkt::graph<lkt::planning_state>(node<deliberate>(to(sub<tuning>)),
                                        node<sub<tuning>>(on<lkt::tuned>(stop<lkt::tuned>),
                                                          on<lkt::unchanged>(stop<lkt::unchanged>),
                                                          on<lkt::gave_up>(stop<lkt::gave_up>)));
};

// ------------------------------------------------------------------------------- the reaper

[[noreturn]] void die() {
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();
}

/// Decides from a seed where this process ends.
class reaper {
public:
    explicit reaper(unsigned seed) : random_(seed) {
        if (seed == 0) return;
        if (random_() % 2 == 0) { // anywhere
            auto const after = std::chrono::microseconds(random_() % 4'000'000);
            std::thread([after] {
                std::this_thread::sleep_for(after);
                die();
            }).detach();
        } else {
            left_ = 1 + static_cast<int>(random_() % 250);
        }
    }
    /// The next thing is done to the world.
    void point() {
        if (due()) die();
    }
    [[nodiscard]] bool due() { return left_ > 0 && --left_ == 0; }
    [[nodiscard]] std::size_t below(std::size_t size) { return random_() % (size + 1); }

private:
    std::mt19937 random_;
    int left_ = 0;
};

/// A file of which the last write may be cut short.
struct torn_file {
    lkt::journal_file file;
    reaper& death;

    [[nodiscard]] auto read() { return file.read(); }
    [[nodiscard]] lkt::result<void> append(std::string_view bytes) {
        if (death.due()) {
            (void)file.append(bytes.substr(0, death.below(bytes.size())));
            die();
        }
        return file.append(bytes);
    }
    [[nodiscard]] auto cut(std::uint64_t size) { return file.cut(size); }
    [[nodiscard]] auto sync() { return file.sync(); }
    [[nodiscard]] std::string name() const { return file.name(); }
};
static_assert(lkt::journal_sink<torn_file>);

// ------------------------------------------------------------------------------- the world

std::string kernel(std::string const& body) {
    return "__global__ void twice(float const* x, float* y, int n) {\n"
           "    int const i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
           body + "}\n";
}

lkt::problem twice() {
    lkt::kernel_options o;
    o.size = {{"N", 250}}; // a write behind the end meets bytes, not a page at some address
    o.arguments = {{"x", "N"}, {"y", "N"}, {"n", "N"}};
    o.grid = {"ceil_div(N, BLOCK)"};
    o.block = {"BLOCK"};
    o.parameters = {{"BLOCK", {std::int64_t{32}, std::int64_t{64}}}};
    auto const text = kernel("    if (i < n) y[i] = 2 * x[i];\n");
    return lkt::problem_from({lkt::language::cuda, text, "twice.cu"}, o).value();
}

/// Right ones with a loop over the threads and with fibres, and those that fail in each stage.
std::string candidate(std::size_t key) {
    // Makes each another program.
    auto const mark = "    if (n < -" + std::to_string(key % 100'000) + ") return;\n";
    switch (key % 8) {
    case 0:
        return kernel(mark + "    if (i < n) y[i] = 2 * x[i]\n"); // does not compile
    case 1:
        return kernel(mark + "    if (i < n) y[i] = 2 * x[i] + 1;\n");
    case 2:
        return kernel(mark + "    if (i < n) y[i + 1] = 2 * x[i];\n");
    case 3:
        return kernel(mark + "    __shared__ float last;\n    if (i < n) last = x[i];\n"
                             "    if (i < n) y[i] = x[i] + last;\n");
    case 4:
        return kernel(mark + "    __shared__ float t[64];\n"
                             "    t[threadIdx.x] = i < n ? x[i] : 0;\n    __syncthreads();\n"
                             "    if (i < n) y[i] = 2 * t[threadIdx.x];\n");
    default:
        return kernel(mark + "    if (i < n) y[i] = x[i] + x[i];\n");
    }
}

/// Times follow from text, configuration and the number of the launch.
class host_by_simulated_clock {
public:
    explicit host_by_simulated_clock(reaper& r) : death_(r) {}

    auto device(lkt::call_context const& x) { return host_.device(x); }
    auto compile(lkt::compile_request const& r, lkt::call_context const& x) {
        death_.point();
        return host_.compile(r, x);
    }
    auto run(lkt::compiled_kernel const& k, lkt::run_request const& r, lkt::call_context const& x) {
        death_.point();
        return host_.run(k, r, x);
    }

private:
    static lkt::seconds time_of(lkt::compile_request const& r) {
        auto const luck = std::hash<std::string>{}(r.source.text + to_string(r.definitions)) % 40;
        return lkt::seconds(1e-3 * std::pow(0.95, static_cast<double>(luck)));
    }
    reaper& death_;
    test::timed_host host_{time_of};
};
static_assert(lkt::gpu_backend<host_by_simulated_clock>);

/// Its reply follows from the request; each call leaves a line.
struct scripted_by_request {
    reaper& death;
    int calls;

    /// What the schema asks for; a kernel where there is none.
    static std::string answer(std::string const& schema, std::size_t key) {
        auto const asks = [&](char const* field) { return schema.find(field) != schema.npos; };
        auto const number = std::to_string(key % 100'000);
        std::string const steps = "\"steps\": [\"step " + number + "\", \"then " + number + "\"]}";
        std::string const none = "\"steps\": []}";
        if (asks("\"valid\""))
            return R"({"reason": "So it is.", "valid": )" +
                   std::string(key % 5 ? "true}" : "false}");
        if (asks("\"break_down\""))
            return R"({"break_down": )" + (key % 3 ? "false, " + none : "true, " + steps);
        if (asks("\"replan\""))
            return R"({"replan": )" + (key % 5 ? "true, " + steps : "false, " + none);
        if (asks("\"steps\"")) return "{" + steps;
        return "```cuda\n" + candidate(key) + "```\n";
    }

    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        death.point();
        // With this number a run meets a kernel that does not compile, one that only the checked
        // mode refuses and one that is accepted.
        std::string all = "12";
        for (auto const& m : r.messages) all += m.text + "\n";
        auto const key = std::hash<std::string>{}(all);
        char line[32];
        int const size = std::snprintf(line, sizeof line, "%016zx\n", key);
        if (::write(calls, line, static_cast<std::size_t>(size)) != size) std::exit(3);
        death.point();
        lkt::chat_reply reply;
        reply.text = key % 7 == 0 ? "I would rather not (" + std::to_string(key) + ")."
                                  : answer(r.format ? r.format->schema : "", key / 7);
        reply.model = "by request";
        reply.usage = {static_cast<std::int64_t>(all.size()), 100};
        return reply;
    }
};

// ------------------------------------------------------------------------------- a session

template <class State>
void without_times(State& s) {
    s.tuning.usage.time = {};
    s.declared.usage.time = {};
    for (auto& attempt : s.tuning.history) attempt.thinking = attempt.testing = {};
    for (auto& exchange : s.tuning.planning.exchanges) exchange.thinking = {};
}

int fail(lkt::error const& e) {
    std::fprintf(stderr, "%s\n", to_string(e).c_str());
    return 2;
}

int session(std::string const& folder, unsigned seed) {
    reaper death(seed);
    auto file = lkt::journal_file::open(folder + "/run.journal", {.sync = lkt::sync_policy::exit});
    if (!file) return fail(file.error());
    torn_file sink{std::move(*file), death};
    auto journal = lkt::journal::over(sink);
    if (!journal) return fail(journal.error());
    host_by_simulated_clock gpu(death);
    int const calls =
        ::open((folder + "/calls").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    scripted_by_request llm{death, calls};
    lkt::tune_options options;
    options.journal = &*journal;
    auto const outcome = lkt::tuner{gpu, llm, strategy{}}.tune(twice(), options);
    if (!outcome) return fail(outcome.error());
    if (outcome->stopped_by) return fail(*outcome->stopped_by);

    using pipeline = lkt::tuning_pipeline<strategy>;
    pipeline::state s;
    lkt::cursor<pipeline> at;
    auto again = lkt::journal::over(sink);
    if (!again) return fail(again.error());
    auto const resumed = lkt::resume<pipeline>(*again, s, at);
    if (!resumed) return fail(resumed.error());
    without_times(s);
    auto const text =
        "replies " + std::to_string(again->replies()) + "\n" + lkt::encoded(at) + lkt::encoded(s);
    auto const failed = lkt::write_text_file(folder + "/final", text);
    return failed ? fail(*failed) : 0;
}

} // namespace

int main(int argc, char** argv) {
    if (auto rc = lkt::worker_main(argc, argv)) return *rc;
    if (argc != 3) return 2;
    ::setenv("TMPDIR", (std::string(argv[1]) + "/scratch").c_str(), 1);
    return session(argv[1], static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)));
}
