// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/webgpu.hpp>

#include <lkt/gpu/compile_cache.hpp>
#include <lkt/gpu/detail/stand_in.hpp>
#include <lkt/gpu/device/client.hpp>
#include <lkt/gpu/webgpu/api.hpp>
#include <lkt/gpu/webgpu/detail/inspector.hpp>
#include <lkt/gpu/webgpu/detail/program_of.hpp>
#include <lkt/gpu/webgpu/device_service.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>
#include <lkt/lang/wgsl/wgsl_zeros.hpp>
#include <lkt/lang/wgsl_as_cpp/wgsl_as_cpp.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>
#include <variant>

namespace lkt {

namespace webgpu_detail {

worker_options device_worker_options(webgpu_options const& o) {
    auto w = o.worker;
    // What Vulkan's loader, Mesa and NVIDIA's driver look at.
    for (char const* const name : {"LKT_WGPU",
                                   "VK_DRIVER_FILES",
                                   "VK_ICD_FILENAMES",
                                   "VK_ADD_DRIVER_FILES",
                                   "VK_LOADER_DRIVERS_SELECT",
                                   "VK_LOADER_DRIVERS_DISABLE",
                                   "XDG_DATA_DIRS",
                                   "XDG_RUNTIME_DIR",
                                   "CUDA_VISIBLE_DEVICES",
                                   "LP_NUM_THREADS",
                                   "HOME",
                                   "LKT_WEBGPU_CLOCK_STEP",
                                   "ASAN_OPTIONS"})
        w.keep.push_back(name);
    // Without it Mesa complains four times, into what would be a compiler's last words.
    if (std::getenv("XDG_RUNTIME_DIR") == nullptr) w.environment.push_back("XDG_RUNTIME_DIR=/tmp");
    return w;
}

host_options checker_options(webgpu_options const& o) {
    host_options h = o.checker;
    h.worker = o.worker;
    return h;
}

result<wgsl_cpp> in_cpp(compile_request const& request) {
    return wgsl_as_cpp(request.source, request.signature.name, request.definitions);
}

} // namespace webgpu_detail

class webgpu::session {
public:
    explicit session(webgpu_options o)
        : options_(std::move(o)),
          cache_({"webgpu", options_.checker.cache_folder, options_.checker.cache_limit}),
          client_(
              "webgpu", webgpu_detail::device_key, webgpu_detail::device_worker_options(options_)),
          checker_("lkt.webgpu.checked",
                   webgpu_detail::checker_options(options_),
                   webgpu_detail::in_cpp) {
        client_.on_new_worker = [this](call_context const& context) { return set_up(context); };
    }

    result<device_description> device(call_context const& context) {
        if (auto ready = client_.open(context); !ready) return ready.error();
        return description_;
    }

    result<compile_outcome> compile(compile_request const& request, call_context const& context) {
        if (request.checked || request.branches || request.constants)
            return compile_checked(request, context);
        if (auto ready = client_.open(context); !ready) return ready.error();
        auto planned = plan(request);
        if (auto* const why = std::get_if<failure>(&planned)) return compile_outcome{*why};
        if (auto* const unread = std::get_if<error>(&planned))
            return what_the_compiler_says(request, *unread, context);
        auto const& ready = std::get<plan_made>(planned);
        auto built = build(ready.packed, request.time_limit, context);
        if (!built) return built.error();
        if (auto* const why = std::get_if<failure>(&*built)) return compile_outcome{*why};
        auto const& answer = std::get<webgpu_detail::build_answer>(*built);
        if (!answer.built)
            return compile_outcome{failure{compile_failed{answer.log, answer.where}}};
        compiled_kernel k;
        k.signature = request.signature;
        // Where a value lies in its uniform is this text's matter.
        for (std::size_t i = 0; i < ready.within.size(); ++i)
            k.signature.arguments[i].within = ready.within[i];
        auto& program = programs_[ready.packed];
        if (program == nullptr) {
            program = std::make_shared<device_detail::program>(
                device_detail::program{fresh_contents(), ready.packed});
            ++counters_.compiled;
        }
        k.handle = program;
        k.digest = std::max<std::uint64_t>(layout_hash(ready.packed), 1);
        k.writable_bytes = 0; // WGSL has no variables that outlive a dispatch
        if (facts_.name.starts_with("llvmpipe"))
            k.notes.push_back("Mesa's software driver stops the loops of a thread after 65,535 "
                              "iterations in total, without an error: a kernel that needs more "
                              "gives other results there, and so does the original. Give each "
                              "thread fewer iterations, or choose a GPU (webgpu_options::adapter)");
        if (ready.zeroes) k.notes.push_back("lkt sets workgroup variables to zero");
        if (programs_.size() > max_programs) programs_.clear();
        return compile_outcome{std::move(k)};
    }

    void prefetch(compile_request const& request) {
        if (description_.name.empty() || request.checked || request.branches || request.constants)
            return;
        auto planned = plan(request); // what is wrong with it is said by compile
        auto const* const ready = std::get_if<plan_made>(&planned);
        if (ready == nullptr || programs_.contains(ready->packed)) return;
        packer ask;
        ask.put(webgpu_detail::build_ahead);
        ahead_ = client_.ask(std::move(ask).bytes() + ready->packed, short_limit, {}).has_value();
    }

    result<run_outcome>
    run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
        for (std::size_t k = 0; k < request.arguments.size(); ++k)
            if (request.arguments[k].buffer && request.arguments[k].bytes.empty())
                return error{condition::rejected,
                             "lkt.webgpu.request",
                             "argument " + std::to_string(k + 1) +
                                 " is an empty buffer, which WebGPU cannot bind",
                             "give the problem a size of at least 1"};
        if (kernel.stands_in) return checker_.run(kernel, request, context);
        return client_.run(kernel, request, context);
    }

    void release() { client_.release(); }

    webgpu_counters counters() const {
        auto c = counters_;
        auto const& device = client_.counters();
        c.launches = device.launches;
        c.workers_lost = device.workers_lost;
        c.device_time = device.device_time;
        return c;
    }

private:
    friend class lkt::webgpu_inspector;
    static constexpr std::size_t max_programs = 4096;
    static constexpr std::chrono::seconds short_limit{60};
    struct plan_made {
        std::string packed;
        bool zeroes = false;
        std::vector<std::optional<record_member>> within; ///< of each argument
    };

    /// What lkt does not read is not translated either.
    result<compile_outcome> compile_checked(compile_request request, call_context const& context) {
        auto planned = plan(request);
        if (auto* const why = std::get_if<failure>(&planned)) return compile_outcome{*why};
        if (auto* const unread = std::get_if<error>(&planned))
            return checker_.not_searched(unread->message, unread->hint);
        auto const& ready = std::get<plan_made>(planned);
        for (std::size_t i = 0; i < ready.within.size(); ++i)
            request.signature.arguments[i].within = ready.within[i];
        auto made = checker_.compile(request, context);
        if (auto* const kernel = made ? std::get_if<compiled_kernel>(&*made) : nullptr)
            kernel->unchecked =
                "checked in a translation to C++ on the CPU, not on the device, and for races "
                "alone: WGSL confines accesses out of bounds" +
                (kernel->unchecked.empty() ? "" : "; " + kernel->unchecked);
        return made;
    }

    /// An error: the text is not read, by lkt at least.
    static std::variant<plan_made, failure, error> plan(compile_request const& request) {
        if (request.source.language != language::wgsl)
            return failure{refused{std::string(to_string(request.source.language)),
                                   "the WebGPU back end compiles WGSL",
                                   {}}};
        if (!request.options.empty())
            return failure{refused{request.options.front(), "WGSL has no compiler options", {}}};
        auto const module = reflect_wgsl(request.source);
        if (!module) return module.error();
        auto const kernel = find_wgsl_kernel(request.source, *module, request.signature.name);
        if (!kernel) return kernel.error();
        if (auto wrong = compare_signatures(request.signature, kernel->signature))
            return failure{std::move(*wrong)};
        auto text = with_workgroup_zeros(request.source, request.signature.name);
        if (!text) return text.error();
        bool const zeroes = *text != request.source.text;
        auto program = webgpu_detail::program_of(request, *module, *kernel, std::move(*text));
        if (auto* const why = std::get_if<refused>(&program)) return failure{std::move(*why)};
        plan_made made{pack(std::get<webgpu_detail::wgsl_program>(program)), zeroes, {}};
        for (argument const& a : kernel->signature.arguments) made.within.push_back(a.within);
        return made;
    }

    /// For a text that lkt does not read: the compiler's words, if it says no as well.
    result<compile_outcome> what_the_compiler_says(compile_request const& request,
                                                   error const& unread,
                                                   call_context const& context) {
        webgpu_detail::wgsl_program bare;
        bare.text = request.source.text;
        bare.entry = request.signature.name;
        auto built = build(pack(bare), request.time_limit, context);
        if (!built) return built.error();
        if (auto* const why = std::get_if<failure>(&*built)) return compile_outcome{*why};
        auto const& answer = std::get<webgpu_detail::build_answer>(*built);
        if (!answer.built && answer.where.line > 0)
            return compile_outcome{failure{compile_failed{answer.log, answer.where}}};
        return compile_outcome{failure{
            compile_failed{unread.message + (unread.hint.empty() ? "" : "\n" + unread.hint), {}}}};
    }

    result<std::variant<webgpu_detail::build_answer, failure>>
    build(std::string const& packed, seconds limit, call_context const& context) {
        packer head;
        head.put(webgpu_detail::request_kind::build);
        auto const bytes = std::move(head).bytes() + packed;
        auto const wait = std::chrono::milliseconds{
            static_cast<std::int64_t>(std::clamp(limit.count(), 0.01, 86400.0) * 1e3)};
        for (int attempt = 0;; ++attempt) {
            if (auto ready = client_.open(context); !ready) return ready.error();
            // What it refuses it refuses each time; what it takes it compiles within the driver.
            auto const key = "wgsl 1" + library_ + packed;
            if (auto known = cache_.find(key))
                if (auto* const why = std::get_if<compile_failed>(&*known)) {
                    ++counters_.from_cache;
                    return webgpu_detail::build_answer{false, std::move(why->log), why->where};
                }
            // What hangs might be another text, that was to be built ahead: ask again alone.
            bool const alone = !std::exchange(ahead_, false);
            auto reply = client_.ask(bytes, wait, context);
            if (!reply) return reply.error();
            if (auto* const lost = std::get_if<worker_failure>(&*reply)) {
                if (lost->how == worker_end::cancelled) return cancelled("a compilation");
                bool const own_end = lost->exit_code == webgpu_detail::lost_exit;
                if (attempt == 0 && (!alone || own_end || lost->signal == 9)) continue;
                if (lost->how == worker_end::timed_out) return failure{timed_out{limit, "compile"}};
                return failure{compile_failed{"the compiler died: " + lost->detail, {}, true}};
            }
            auto answer = webgpu_detail::unpack_build(std::get<worker_message>(*reply).bytes);
            if (!answer)
                return error{condition::transient, "lkt.worker.protocol", "a malformed answer", {}};
            if (!answer->built && answer->where.line > 0 &&
                !gpu_detail::compiler_broke(answer->log))
                cache_.store(key, compile_failed{answer->log, answer->where});
            return std::move(*answer);
        }
    }

    result<void> set_up(call_context const& context) {
        packer ask;
        ask.put(webgpu_detail::request_kind::open).put(options_.library).put(options_.adapter);
        auto reply = client_.call(std::move(ask).bytes(), short_limit, context);
        if (!reply) return reply.error();
        auto const facts = webgpu_detail::unpack_facts(reply->bytes);
        if (!facts)
            return error{condition::transient, "lkt.worker.protocol", "malformed facts", {}};
        facts_ = *facts;
        // With the adapter: it decides what extensions and limits there are.
        library_ = webgpu_detail::version_text(facts_.version) + '\n' + facts_.name + '\n' +
                   facts_.interface + '\n' + facts_.driver + '\n';
        ahead_ = false;
        auto& d = description_;
        d.name = facts_.name;
        d.backend = "webgpu";
        d.driver = "wgpu-native " + webgpu_detail::version_text(facts_.version) + ", " +
                   facts_.interface + ", " + facts_.driver;
        d.languages = {language::wgsl};
        d.simulated = facts_.kind == webgpu_detail::wg_adapter_kind::software;
        if (facts_.subgroup_most > 0) d.warp_size = facts_.subgroup_most;
        d.max_threads_per_block = facts_.invocations;
        d.max_block = facts_.workgroup;
        // A grid of one dimension may be longer: it is folded for kernels that allow it.
        d.max_grid = {2147483647, facts_.workgroups, facts_.workgroups};
        d.shared_memory_per_block = lkt::bytes{facts_.workgroup_storage};
        return {};
    }

    webgpu_options options_;
    gpu_detail::compile_cache cache_;
    device_detail::device_client client_;
    device_detail::stand_in checker_;
    webgpu_detail::device_facts facts_;
    std::string library_; ///< and the adapter, for keys
    device_description description_;
    std::map<std::string, std::shared_ptr<device_detail::program>> programs_;
    bool ahead_ = false; ///< something was to be built ahead since the last build
    webgpu_counters counters_;
};

webgpu::webgpu(webgpu_options options) : session_(std::make_unique<session>(std::move(options))) {}
webgpu::~webgpu() = default;
webgpu::webgpu(webgpu&&) noexcept = default;
webgpu& webgpu::operator=(webgpu&&) noexcept = default;

result<device_description> webgpu::device(call_context const& context) {
    return session_->device(context);
}
result<compile_outcome> webgpu::compile(compile_request const& request,
                                        call_context const& context) {
    return session_->compile(request, context);
}
void webgpu::prefetch(compile_request const& request) { session_->prefetch(request); }
result<run_outcome> webgpu::run(compiled_kernel const& kernel,
                                run_request const& request,
                                call_context const& context) {
    return session_->run(kernel, request, context);
}
void webgpu::release() { session_->release(); }
webgpu_counters webgpu::counters() const { return session_->counters(); }

result<webgpu_detail::object_counts> webgpu_inspector::objects(webgpu& gpu) {
    packer ask;
    ask.put(webgpu_detail::count_objects);
    auto reply = gpu.session_->client_.call(std::move(ask).bytes(), std::chrono::seconds{10}, {});
    if (!reply) return reply.error();
    auto const counts = webgpu_detail::unpack_counts(reply->bytes);
    if (!counts) return error{condition::transient, "lkt.worker.protocol", "malformed counts", {}};
    return *counts;
}
result<void> webgpu_inspector::lose_device(webgpu& gpu) {
    packer ask;
    ask.put(webgpu_detail::lose_device);
    auto reply = gpu.session_->client_.call(std::move(ask).bytes(), std::chrono::seconds{10}, {});
    if (!reply) return reply.error();
    return {};
}
webgpu_detail::device_facts webgpu_inspector::facts(webgpu const& gpu) {
    return gpu.session_->facts_;
}

} // namespace lkt
