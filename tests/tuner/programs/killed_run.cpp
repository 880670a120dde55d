// SPDX-License-Identifier: BSL-1.0
// One session of a journalled tuning run, which kills itself at a random point: between any two
// things that it does to the world, in the middle of a write to its journal, or when a timer fires.
// Model and device are functions of what they are asked, so whatever differs in the end was lost or
// done twice. tests/tuner/killed.cpp starts it until it comes to its end.
//
//     tuner_killed_run FOLDER SEED     SEED 0: not killed
//
// In FOLDER: `run.journal`; `calls`, a line a model call, written before the reply is given;
// `final`, the State in the end without wall-clock times.
#include <lkt/core/files.hpp>
#include <lkt/store/checkpoint.hpp>
#include <lkt/store/journal_file.hpp>
#include <lkt/strategies/autonomous.hpp>
#include <lkt/tuner/tuner.hpp>

#include "../../support/fake_gpu.hpp"

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

using namespace lkt_test;
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
        if (random_() % 4 == 0) { // anywhere
            auto const after = std::chrono::microseconds(random_() % 100'000);
            std::thread([after] {
                std::this_thread::sleep_for(after);
                die();
            }).detach();
        } else {
            left_ = 1 + static_cast<int>(random_() % 120);
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

/// What becomes of a kernel follows from its text.
behaviour by_text(std::string const& text, lkt::configuration const&) {
    behaviour b;
    auto const luck = std::hash<std::string>{}(text);
    if (text == original_text) return b;
    if (luck % 5 == 0) b.compile = lkt::compile_failed{"error: no luck", {}};
    if (luck % 5 == 1) b.wrong = true;
    b.time = lkt::seconds(1e-3 * std::pow(0.9, static_cast<double>(luck / 5 % 40)));
    return b;
}

/// Its times follow from the kernel and the number of the launch, not from those before.
struct simulated_gpu : fake_gpu {
    explicit simulated_gpu(reaper& r) : fake_gpu(by_text), death(r) {}
    reaper& death;

    auto compile(lkt::compile_request const& r, lkt::call_context const& x) {
        death.point();
        return fake_gpu::compile(r, x);
    }
    auto run(lkt::compiled_kernel const& k, lkt::run_request const& r, lkt::call_context const& x) {
        death.point();
        auto done = fake_gpu::run(k, r, x);
        if (auto* report = done ? std::get_if<lkt::run_report>(&*done) : nullptr)
            for (std::size_t i = 0; i < report->samples.size(); ++i) {
                double const power =
                    std::round(std::log(report->samples[i].count() / 1e-3) / std::log(0.9));
                double const jitter = 1 + 1e-3 * static_cast<double>(i * 7 % 5);
                report->samples[i] = lkt::seconds(1e-3 * std::pow(0.9, power) * jitter);
            }
        return done;
    }
};

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
        return reply_with(changed_text(number));
    }

    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& r, lkt::call_context const&) {
        death.point();
        std::string all;
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
    simulated_gpu gpu(death);
    int const calls =
        ::open((folder + "/calls").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    scripted_by_request llm{death, calls};
    lkt::tune_options options;
    options.journal = &*journal;
    auto const outcome = lkt::tuner{gpu, llm, strategy{}}.tune(tunable_problem(), options);
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
    if (argc != 3) return 2;
    return session(argv[1], static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)));
}
