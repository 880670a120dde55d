// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/device/detail/job_compiler.hpp>
#include <lkt/gpu/device/detail/job_pool.hpp>
#include <lkt/process/worker.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

namespace lkt::device_detail {

class compile_pool::state {
public:
    explicit state(pool_options o) : options_(std::move(o)) {
        auto const cores = std::max(1U, std::thread::hardware_concurrency());
        max_threads_ = options_.workers != 0 ? options_.workers : std::min(16U, cores);
    }

    ~state() {
        compiler_.stop();
        {
            std::lock_guard const guard{lock_};
            ended_ = true;
        }
        work_.notify_all();
        for (auto& t : threads_) t.join();
    }

    void prefetch(compile_job job) {
        std::lock_guard const guard{lock_};
        auto key = job_key(job);
        if (tasks_.contains(key) || waiting_ >= options_.prefetch_limit) return;
        ahead_.push_back(add(std::move(key), std::move(job)));
        call_thread();
    }

    result<compile_result> get(compile_job const& job, call_context const& context) {
        std::unique_lock guard{lock_};
        auto key = job_key(job);
        auto const known = tasks_.find(key);
        auto t = known == tasks_.end() ? nullptr : known->second;
        if (t && t->step == task::done && was_too_short(*t, job)) {
            forget(*t);
            t = nullptr;
        }
        if (!t) t = add(std::move(key), job);
        if (t->step == task::queued) { // perhaps behind others: it is wanted now
            urgent_.push_back(t);
            call_thread();
        }
        bool const came = done_.wait(guard, context.stop, [&] { return t->step == task::done; });
        if (!came) return cancelled("a compilation");
        if (t->kept) used_.splice(used_.end(), used_, t->place);
        auto outcome = *t->outcome;
        auto const* const why = outcome ? std::get_if<failure>(&*outcome) : nullptr;
        if (why != nullptr && may_compile_later(*why)) forget(*t);
        return outcome;
    }

    result<compiler_facts> compiler(call_context const& context) {
        return compiler_.facts(context);
    }
    compile_counters counters() const {
        auto c = compiler_.counters();
        std::lock_guard const guard{lock_};
        c.waiting = waiting_;
        return c;
    }
    std::vector<std::string> notes() const { return compiler_.notes(); }

private:
    struct task {
        enum progress : unsigned char { queued, running, done } step = queued;
        std::string key;
        compile_job job;
        std::optional<result<compile_result>> outcome;
        bool kept = false; ///< is in used_, at place
        std::uint64_t bytes = 0;
        std::list<std::shared_ptr<task>>::iterator place;
    };
    using task_pointer = std::shared_ptr<task>;

    // --- under the lock -------------------------------------------------------------------
    task_pointer add(std::string key, compile_job job) {
        auto t = std::make_shared<task>();
        t->key = std::move(key);
        t->job = std::move(job);
        tasks_.emplace(t->key, t);
        ++waiting_;
        return t;
    }

    static bool was_too_short(task const& t, compile_job const& job) {
        auto const* const r = *t.outcome ? &**t.outcome : nullptr;
        auto const* const f = r != nullptr ? std::get_if<failure>(r) : nullptr;
        auto const* const late = f != nullptr ? std::get_if<timed_out>(f) : nullptr;
        return late != nullptr && late->limit < job.time_limit;
    }

    void forget(task& t) {
        if (t.kept) {
            kept_bytes_ -= t.bytes;
            used_.erase(t.place);
            t.kept = false;
        }
        if (auto const at = tasks_.find(t.key); at != tasks_.end() && at->second.get() == &t)
            tasks_.erase(at);
    }

    void call_thread() {
        work_.notify_one(); // who is idle may have been woken for another task, and not be up yet
        if (idle_ < urgent_.size() + ahead_.size() && threads_.size() < max_threads_)
            threads_.emplace_back([this] { serve(); });
    }

    /// The next task that nobody has taken, or null.
    task_pointer next() {
        for (auto* const queue : {&urgent_, &ahead_})
            while (!queue->empty()) {
                auto t = std::move(queue->front());
                queue->pop_front();
                if (t->step == task::queued) return t; // else it was in both
            }
        return nullptr;
    }

    void finish(task_pointer const& t, result<compile_result> outcome) {
        t->outcome.emplace(std::move(outcome));
        t->step = task::done;
        --waiting_;
        if (!*t->outcome) { // the world may be better when it is asked again
            forget(*t);
            return;
        }
        t->bytes = 512 + t->key.size() + t->job.source.text.size();
        if (auto const* const c = std::get_if<std::shared_ptr<compiled_cubin const>>(&**t->outcome))
            t->bytes += (*c)->image.size() + (*c)->log.size();
        t->job = {};
        t->place = used_.insert(used_.end(), t);
        t->kept = true;
        kept_bytes_ += t->bytes;
        while (kept_bytes_ > options_.kept_bytes && used_.front() != t)
            forget(*task_pointer{used_.front()});
    }

    // --- threads --------------------------------------------------------------------------
    void serve() {
        worker w{options_.worker};
        std::vector<std::string> readable; // what its compiler may read
        std::unique_lock guard{lock_};
        while (true) {
            auto t = next();
            if (ended_) return;
            if (!t) {
                ++idle_;
                work_.wait(guard);
                --idle_;
                continue;
            }
            t->step = task::running;
            guard.unlock();
            auto outcome = [&]() -> result<compile_result> {
                try {
                    return compiler_.compile(t->job, w, readable);
                } catch (std::exception const& e) {
                    return error{condition::exhausted,
                                 "lkt." + std::string(options_.compiler->back_end) + ".compiler",
                                 std::string{"compiling failed: "} + e.what(),
                                 {}};
                }
            }();
            guard.lock();
            finish(t, std::move(outcome));
            done_.notify_all();
        }
    }

    pool_options const options_;
    job_compiler compiler_{options_};
    unsigned max_threads_ = 1;

    mutable std::mutex lock_; // all of these
    std::condition_variable work_;
    std::condition_variable_any done_;
    std::unordered_map<std::string, task_pointer> tasks_;
    std::deque<task_pointer> urgent_, ahead_;
    std::list<task_pointer> used_; ///< what is done, the least recently used first
    std::uint64_t kept_bytes_ = 0;
    decltype(compile_counters::waiting) waiting_ = 0;
    std::size_t idle_ = 0;
    bool ended_ = false;
    std::vector<std::thread> threads_;
};

compile_pool::compile_pool(pool_options options)
    : state_(std::make_unique<state>(std::move(options))) {}
compile_pool::~compile_pool() = default;

void compile_pool::prefetch(compile_job job) { state_->prefetch(std::move(job)); }
result<compile_result> compile_pool::get(compile_job const& job, call_context const& context) {
    return state_->get(job, context);
}
result<compiler_facts> compile_pool::compiler(call_context const& context) {
    return state_->compiler(context);
}
compile_counters compile_pool::counters() const { return state_->counters(); }
std::vector<std::string> compile_pool::notes() const { return state_->notes(); }

} // namespace lkt::device_detail
