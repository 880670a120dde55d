// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/compile_cache.hpp>
#include <lkt/gpu/device/detail/compile_record.hpp>
#include <lkt/gpu/device/detail/job_pool.hpp>
#include <lkt/lang/diagnostics/diagnostics.hpp>
#include <lkt/process/worker.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace lkt::device_detail {

/// Compiles a job in a worker, or finds it in the cache on disk. Any thread may call it, each with
/// a worker of its own. The options stay where they are.
class job_compiler {
public:
    explicit job_compiler(pool_options const& options)
        : options_(options), cache_(options_.cache) {}
    job_compiler(job_compiler const&) = delete;
    job_compiler& operator=(job_compiler const&) = delete;
    ~job_compiler() {
        std::error_code ignored;
        if (!pch_folder_.empty()) std::filesystem::remove_all(pch_folder_, ignored);
    }

    /// What is being compiled ends.
    void stop() { stop_.request_stop(); }

    /// `readable`: what the worker's compiler may read, of which this keeps track.
    result<compile_result>
    compile(compile_job const& job, worker& w, std::vector<std::string>& readable) {
        auto const place = find();
        if (!place) return place.error();
        auto prepared = kind_.prepare(job, *place, options_.include_folders, options_.standard);
        if (auto* const no = std::get_if<failure>(&prepared)) return compile_result{std::move(*no)};
        auto& p = std::get<prepared_job>(prepared);

        auto key = identity_ + program_key(p.program, kind_.hash_of_headers());
        bool lasting = true;
        if (p.includes) {
            key += identity_of_includes(*place);
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

    result<compiler_facts> facts(call_context const& context) {
        auto place = find();
        if (!place) return place.error();
        std::lock_guard const turn{asking_};
        if (!facts_) {
            // The bare place, no cache: only the compiler itself knows its version.
            worker w{options_.worker};
            service_request request{place->library,
                                    {"__global__ void k() {}", "k", {}},
                                    options_.memory_limit,
                                    kind_.writes_files ? pch_folder() : std::string{}};
            if (!kind_.probe.empty()) request.program.options.emplace_back(kind_.probe);
            confine(request, *place, {});
            auto const bytes = pack(request);
            auto answer = w.call({kind_.service, bytes, {}}, std::chrono::seconds{60}, context);
            if (!answer) return answer.error();
            if (auto const* const lost = std::get_if<worker_failure>(&*answer))
                return to_error(*lost);
            compiler_answer read;
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
    static error malformed() {
        return {condition::transient,
                "lkt.worker.protocol",
                "a compile worker sent something other than an answer",
                {}};
    }

    result<compiler_place> find() {
        std::lock_guard const turn{finding_};
        if (!place_) {
            auto found = kind_.find(options_.library);
            if (!found) return found.error();
            place_ = std::move(*found);
            identity_ = kind_.identity(*place_);
        }
        return *place_;
    }
    std::string identity_of_includes(compiler_place const& place) {
        std::lock_guard const turn{finding_};
        if (!include_identity_) include_identity_ = kind_.identity_of_includes(place);
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
                 compiler_place const& place,
                 std::vector<std::string> const& user_folders) const {
        request.readable = kind_.files_of(place);
        request.readable.insert(request.readable.end(), user_folders.begin(), user_folders.end());
        request.unconfined_allowed = options_.unconfined_compiler;
        request.lack = process_detail::pretended_lack.load();
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
    result<compile_result> ask(compile_job const& job,
                               prepared_job p,
                               compiler_place const& place,
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
            auto answer = w.call({kind_.service, bytes, {}}, limit, {stop_.get_token(), {}});
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
            compiler_answer a;
            if (!unpack(std::get<worker_message>(*answer).bytes, a)) return malformed();
            if (!a.compiled) {
                own_text own{job.source.text, job.definitions, request.program.text};
                own.also(job.kernel);
                refused = a.refused;
                return compile_result{failure{compile_failure(a.log, own)}};
            }
            compiled_cubin c;
            c.resources = kind_.resources(a.log, a.entry, a.image);
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

    pool_options const& options_;
    compiler_kind const& kind_{*options_.compiler};
    gpu_detail::compile_cache cache_;
    std::stop_source stop_;

    mutable std::mutex lock_; // these
    compile_counters counters_;
    std::vector<std::string> notes_;

    std::mutex finding_; // these
    std::optional<compiler_place> place_;
    std::string identity_;
    std::optional<std::string> include_identity_;
    std::string pch_folder_;

    std::mutex asking_; // this
    std::optional<compiler_facts> facts_;
};

} // namespace lkt::device_detail
