// SPDX-License-Identifier: BSL-1.0
// Where the time of a whole run goes: in the model, in compilers, on the device, and the rest,
// which is lkt's own, node by node. Replies come from a cassette, at once; nothing else is faked,
// so that the share of the rest is the largest that such a run can have.
#pragma once

#include <lkt/lkt.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace lkt_bench {

namespace fs = std::filesystem;
using clock_type = std::chrono::steady_clock;

enum class payee { model, compilers, device };

/// Who has had the time so far. Where calls overlap, or lkt works beside one, the time counts once,
/// and as the call's: nobody waited for lkt. May be used from several threads.
class account {
public:
    class call {
    public:
        call(account& book, payee to) : book_(book), to_(to) { book_.begin(); }
        call(call const&) = delete;
        call& operator=(call const&) = delete;
        ~call() { book_.end(to_, clock_type::now() - begun_); }

    private:
        account& book_;
        payee to_;
        clock_type::time_point begun_ = clock_type::now();
    };

    /// In calls of this kind, those that overlap included.
    [[nodiscard]] lkt::seconds in(payee who) const {
        std::lock_guard const lock(mutex_);
        auto const found = sums_.find(who);
        return found == sums_.end() ? lkt::seconds{} : found->second;
    }
    /// In any call.
    [[nodiscard]] lkt::seconds others() const {
        std::lock_guard const lock(mutex_);
        return running_ > 0 ? busy_ + lkt::seconds(clock_type::now() - since_) : busy_;
    }

private:
    void begin() {
        std::lock_guard const lock(mutex_);
        if (running_++ == 0) since_ = clock_type::now();
    }
    void end(payee to, lkt::seconds took) {
        std::lock_guard const lock(mutex_);
        sums_[to] += took;
        if (--running_ == 0) busy_ += clock_type::now() - since_;
    }

    mutable std::mutex mutex_;
    std::map<payee, lkt::seconds> sums_;
    lkt::seconds busy_{};
    clock_type::time_point since_;
    int running_ = 0;
};

template <lkt::gpu_backend B>
struct timed_backend {
    B gpu;
    account& to;

    lkt::result<lkt::device_description> device(lkt::call_context const& context) {
        account::call const watch(to, payee::device);
        return gpu.device(context);
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const& request,
                                              lkt::call_context const& context) {
        account::call const watch(to, payee::compilers);
        return gpu.compile(request, context);
    }
    lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const& kernel,
                                      lkt::run_request const& request,
                                      lkt::call_context const& context) {
        account::call const watch(to, payee::device);
        return gpu.run(kernel, request, context);
    }
    void prefetch(lkt::compile_request const& request)
        requires lkt::prefetching_backend<B>
    {
        gpu.prefetch(request);
    }
};

struct timed_model {
    lkt::replay_model replies;
    account& to;
    int calls = 0;

    lkt::result<lkt::chat_reply> complete(lkt::chat_request const& request,
                                          lkt::call_context const& context) {
        account::call const watch(to, payee::model);
        ++calls;
        return replies.complete(request, context);
    }
};
static_assert(lkt::chat_model<timed_model>);

/// What each node takes besides, and what lies around them: saving and stepping on between two, and
/// what is set up before the first and torn down after the last.
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
        around_ = "between the nodes";
    }
    void end() {
        around_ = "after the last node";
        charge();
    }
    [[nodiscard]] std::vector<std::pair<std::string, lkt::seconds>> most() const {
        std::vector<std::pair<std::string, lkt::seconds>> all(nodes_.begin(), nodes_.end());
        std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) {
            return a.second > b.second;
        });
        return all;
    }

private:
    void charge() {
        auto const now = clock_type::now();
        lkt::seconds const theirs = others_.others();
        nodes_[open_.empty() ? around_ : open_.back()] +=
            lkt::seconds(now - last_) - (theirs - before_);
        last_ = now;
        before_ = theirs;
    }

    account const& others_;
    std::string around_ = "before the first node";
    std::vector<std::string> open_;
    std::map<std::string, lkt::seconds> nodes_;
    clock_type::time_point last_ = clock_type::now();
    lkt::seconds before_{};
};

inline std::string const examples =
    (fs::path(__FILE__).parent_path() / "../../examples").lexically_normal().string();

struct whole_run {
    lkt::seconds wall{}, rest{};
    int calls = 0;

    /// As if each reply had taken so long.
    [[nodiscard]] double share(lkt::seconds reply) const { return rest / (wall + calls * reply); }
    whole_run& operator+=(whole_run const& other) {
        wall += other.wall;
        rest += other.rest;
        calls += other.calls;
        return *this;
    }
};

inline void figure(std::string const& name, double value, char const* unit) {
    std::printf("figure outside_%s %.3g %s\n", name.c_str(), value, unit);
}

inline void
figures(std::string const& name, whole_run const& run, std::initializer_list<int> reply_seconds) {
    figure(name + "_wall", run.wall.count(), "s");
    figure(name + "_rest", run.rest.count() * 1e3, "ms");
    figure(name + "_rest_share", run.share({}) * 100, "%");
    for (int const s : reply_seconds)
        figure(name + "_rest_share_at_" + std::to_string(s) + "_s",
               run.share(lkt::seconds(s)) * 100,
               "%");
    std::fflush(stdout);
}

/// Runs a strategy on a problem, saved in a journal, with the replies of a cassette (below
/// `examples`), and prints what its nodes took. A cassette that is used up ends the run; nothing:
/// another failure did, and was printed.
template <lkt::gpu_backend B, class Strategy>
std::optional<whole_run> whole(std::string const& name,
                               B backend,
                               Strategy strategy,
                               lkt::result<lkt::problem> task,
                               std::string const& cassette,
                               lkt::tune_options options = {},
                               lkt::problem_tests tests = {}) {
    auto const complain = [&](lkt::error const& e) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), to_string(e).c_str());
        return std::nullopt;
    };
    if (!task) return complain(task.error());
    account to;
    timed_backend<B> gpu{std::move(backend), to};
    timed_model llm{lkt::replay_model(examples + "/" + cassette), to};
    if (auto const& defect = llm.replies.defect()) return complain(*defect);

    auto const path = fs::temp_directory_path() / ("lkt-outside-" + std::to_string(::getpid()));
    auto file = lkt::journal_file::open(path.string());
    if (!file) return complain(file.error());
    auto journal = lkt::journal::over(*file);
    if (!journal) return complain(journal.error());
    fs::remove(path); // it stays as long as it is open
    options.journal = &*journal;
    options.evaluation.evidence = lkt::asking_for::nothing; // the replies were recorded without

    by_node nodes(to);
    auto const begin = clock_type::now();
    auto const outcome = lkt::tuner{gpu, llm, std::move(strategy), std::move(tests)}.tune(
        std::move(*task), options, nodes);
    whole_run run;
    run.wall = clock_type::now() - begin;
    nodes.end();
    if (!outcome) return complain(outcome.error());
    if (outcome->stopped_by && outcome->stopped_by->code != "lkt.replay.used-up")
        return complain(*outcome->stopped_by);

    run.rest = run.wall - to.others();
    run.calls = llm.calls;
    std::size_t configurations = 0;
    for (auto const& a : outcome->history) configurations += a.configurations.size();
    std::printf("%s: %d calls, %zu configurations, %.2f x; outside model, compilers and device:\n",
                name.c_str(),
                run.calls,
                configurations,
                outcome->speedup());
    for (auto const& [node, time] : nodes.most())
        if (time > lkt::seconds(1e-4))
            std::printf("  %9.2f ms  %s\n", time.count() * 1e3, node.c_str());
    figure(name + "_model", to.in(payee::model).count() * 1e3, "ms");
    figure(name + "_compilers", to.in(payee::compilers).count(), "s");
    figure(name + "_device", to.in(payee::device).count(), "s");
    return run;
}

} // namespace lkt_bench
