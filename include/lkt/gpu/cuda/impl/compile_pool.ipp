// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/compile_pool.hpp>
#include <lkt/gpu/cuda/detail/compile_record.hpp>
#include <lkt/lang/diagnostics/diagnostics.hpp>
#include <lkt/process/worker.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <exception>
#include <filesystem>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

namespace lkt::cuda_detail {

class compile_pool::state {
public:
    explicit state(compile_pool_options o) : options_(std::move(o)), cache_(options_.cache) {
        auto const cores = std::max(1U, std::thread::hardware_concurrency());
        max_threads_ = options_.workers != 0 ? options_.workers : std::min(16U, cores);
    }

    ~state() {
        stop_.request_stop();
        {
            std::lock_guard const guard{lock_};
            ended_ = true;
        }
        work_.notify_all();
        for (auto& t : threads_) t.join();
        std::error_code ignored;
        if (!pch_folder_.empty()) std::filesystem::remove_all(pch_folder_, ignored);
    }

    void prefetch(compile_job job) {
        std::lock_guard const guard{lock_};
        auto key = job_key(job);
        if (tasks_.contains(key) || counters_.waiting >= options_.prefetch_limit) return;
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
        auto place = find();
        if (!place) return place.error();
        std::lock_guard const turn{asking_};
        if (!facts_) {
            // The bare place, no cache: only NVRTC itself knows its version.
            worker w{options_.worker};
            service_request request{
                place->library, {"__global__ void k() {}", "k", {}}, options_.memory_limit, {}};
            confine(request, *place, {});
            auto const bytes = pack(request);
            auto answer = w.call({compile_key, bytes, {}}, std::chrono::seconds{60}, context);
            if (!answer) return answer.error();
            if (auto const* const lost = std::get_if<worker_failure>(&*answer))
                return to_error(*lost);
            nvrtc_answer read;
            if (!unpack(std::get<worker_message>(*answer).bytes, read)) return malformed();
            facts_ = compiler_facts{*place, read.major, read.minor};
        }
        return *facts_;
    }

    compile_counters counters() const {
        std::lock_guard const guard{lock_};
        return counters_;
    }

    std::vector<std::string> notes() const {
        auto all = cache_.notes();
        std::lock_guard const guard{lock_};
        all.insert(all.end(), notes_.begin(), notes_.end());
        return all;
    }

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
    using work_result = result<compile_result>;

    static error malformed() {
        return {condition::transient,
                "lkt.worker.protocol",
                "a compile worker sent something else than an answer",
                {}};
    }

    // --- under the lock
    // ---------------------------------------------------------------------------
    task_pointer add(std::string key, compile_job job) {
        auto t = std::make_shared<task>();
        t->key = std::move(key);
        t->job = std::move(job);
        tasks_.emplace(t->key, t);
        ++counters_.waiting;
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

    void finish(task_pointer const& t, work_result outcome) {
        t->outcome.emplace(std::move(outcome));
        t->step = task::done;
        --counters_.waiting;
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

    // --- threads
    // ----------------------------------------------------------------------------------
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
            auto outcome = [&]() -> work_result {
                try {
                    return compile(t->job, w, readable);
                } catch (std::exception const& e) {
                    return error{condition::exhausted,
                                 "lkt.cuda.compiler",
                                 std::string{"compiling failed: "} + e.what(),
                                 {}};
                }
            }();
            guard.lock();
            finish(t, std::move(outcome));
            done_.notify_all();
        }
    }

    result<nvrtc_place> find() {
        std::lock_guard const turn{finding_};
        if (!place_) {
            auto found = find_nvrtc(options_.nvrtc);
            if (!found) return found.error();
            place_ = std::move(*found);
            identity_ = identity(*place_);
        }
        return *place_;
    }
    std::string toolkit_of_includes(nvrtc_place const& place) {
        std::lock_guard const turn{finding_};
        if (!include_identity_) include_identity_ = identity_of_includes(place);
        return *include_identity_;
    }
    std::string pch_folder() {
        std::lock_guard const turn{finding_};
        if (pch_folder_.empty()) pch_folder_ = make_pch_folder();
        return pch_folder_;
    }
    void note(std::string text) {
        std::lock_guard const guard{lock_};
        if (std::find(notes_.begin(), notes_.end(), text) == notes_.end())
            notes_.push_back(std::move(text));
    }

    void confine(service_request& request,
                 nvrtc_place const& place,
                 std::vector<std::string> const& user_folders) const {
        request.readable = files_of(place);
        request.readable.insert(request.readable.end(), user_folders.begin(), user_folders.end());
        request.unconfined_allowed = options_.unconfined_compiler;
        request.lack = process_detail::pretended_lack.load();
    }

    work_result compile(compile_job const& job, worker& w, std::vector<std::string>& readable) {
        auto const place = find();
        if (!place) return place.error();
        auto prepared = prepare(job, *place, options_.include_folders, options_.standard);
        if (auto* const no = std::get_if<failure>(&prepared)) return compile_result{std::move(*no)};
        auto& p = std::get<prepared_job>(prepared);

        auto key = identity_ + program_key(p.program);
        bool lasting = true;
        if (p.includes) {
            key += toolkit_of_includes(*place);
            auto const contents = contents_of(p.user_folders);
            lasting = contents.has_value();
            if (contents)
                key += *contents;
            else
                note("not kept in the compile cache: kernels with an include folder that is large, "
                     "cannot be read, or includes from elsewhere");
        }
        if (lasting)
            if (auto found = from_cache(key, p)) return std::move(*found);
        bool refused = false;
        auto outcome = ask(job, std::move(p), *place, w, readable, refused);
        if (!outcome || !lasting) return outcome;
        if (auto const* const c = std::get_if<std::shared_ptr<compiled_cubin const>>(&*outcome))
            cache_.store(key, pack_cubin(**c));
        else if (refused)
            cache_.store(key, std::get<compile_failed>(std::get<failure>(*outcome)));
        return outcome;
    }

    std::optional<compile_result> from_cache(std::string const& key, prepared_job& p) {
        auto found = cache_.find(key);
        if (!found) return std::nullopt;
        std::optional<compile_result> made;
        if (auto* const why = std::get_if<compile_failed>(&*found)) {
            made = failure{std::move(*why)};
        } else if (auto record = unpack_cubin(std::get<std::string>(*found))) {
            record->from_cache = true;
            record->notes = std::move(p.notes);
            made = std::make_shared<compiled_cubin const>(std::move(*record));
        }
        if (made) count(&compile_counters::from_cache);
        return made;
    }

    /// `refused`: the compiler judged the text, and would say the same again.
    work_result ask(compile_job const& job,
                    prepared_job p,
                    nvrtc_place const& place,
                    worker& w,
                    std::vector<std::string>& readable,
                    bool& refused) {
        service_request request{
            place.library, std::move(p.program), options_.memory_limit, pch_folder()};
        request.precompile = p.precompiled;
        confine(request, place, p.user_folders);
        // Confined for good with the folders of its first text: others need another.
        if (request.readable != readable) w.stop();
        readable = request.readable;
        auto const bytes = pack(request);
        auto const limit = std::chrono::milliseconds{
            static_cast<std::int64_t>(std::clamp(job.time_limit.count(), 0.001, 86400.0) * 1e3)};
        for (bool again = false;; again = true) {
            auto const start = std::chrono::steady_clock::now();
            auto answer = w.call({compile_key, bytes, {}}, limit, {stop_.get_token(), {}});
            seconds const took = std::chrono::steady_clock::now() - start;
            if (!answer) return answer.error();
            if (auto const* const lost = std::get_if<worker_failure>(&*answer)) {
                if (lost->how == worker_end::cancelled) return cancelled("a compilation");
                count(&compile_counters::lost);
                // From outside, as a rule: by somebody, or by a system that was short of memory.
                if (lost->how == worker_end::died && lost->signal == SIGKILL && !again) continue;
                count(&compile_counters::compiled);
                if (lost->how == worker_end::timed_out)
                    return compile_result{failure{timed_out{job.time_limit, "compile"}}};
                return compile_result{
                    failure{compile_failed{"the compiler died: " + lost->detail, {}, true}}};
            }
            count(&compile_counters::compiled);
            nvrtc_answer a;
            if (!unpack(std::get<worker_message>(*answer).bytes, a)) return malformed();
            if (!a.compiled) {
                own_text own{job.source.text, job.definitions, request.program.text};
                own.also(job.kernel);
                refused = a.refused;
                return compile_result{failure{compile_failure(a.log, own)}};
            }
            compiled_cubin c;
            c.resources = resources_in(a.log, a.entry, a.image);
            c.image = std::move(a.image);
            c.entry = std::move(a.entry);
            c.log = std::move(a.log);
            c.notes = std::move(p.notes);
            if (!a.confined)
                c.notes.emplace_back("compiler: not confined, as unconfined_compiler allows");
            c.compile_time = took;
            return compile_result{std::make_shared<compiled_cubin const>(std::move(c))};
        }
    }

    void count(std::uint64_t compile_counters::* counter) {
        std::lock_guard const guard{lock_};
        ++(counters_.*counter);
    }

    compile_pool_options const options_;
    gpu_detail::compile_cache cache_;
    unsigned max_threads_ = 1;
    std::stop_source stop_;

    mutable std::mutex lock_; // all of these
    std::condition_variable work_;
    std::condition_variable_any done_;
    std::unordered_map<std::string, task_pointer> tasks_;
    std::deque<task_pointer> urgent_, ahead_;
    std::list<task_pointer> used_; ///< what is done, the least recently used first
    std::uint64_t kept_bytes_ = 0;
    compile_counters counters_;
    std::vector<std::string> notes_;
    std::size_t idle_ = 0;
    bool ended_ = false;
    std::vector<std::thread> threads_;

    std::mutex finding_; // these
    std::optional<nvrtc_place> place_;
    std::string identity_;
    std::optional<std::string> include_identity_;
    std::string pch_folder_;

    std::mutex asking_; // this
    std::optional<compiler_facts> facts_;
};

compile_pool::compile_pool(compile_pool_options options)
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

} // namespace lkt::cuda_detail
