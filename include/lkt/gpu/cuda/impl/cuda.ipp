// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/cuda/compile_pool.hpp>
#include <lkt/gpu/cuda/detail/checked_run.hpp>
#include <lkt/gpu/cuda/detail/described.hpp>
#include <lkt/gpu/cuda/detail/kernel_inspector.hpp>
#include <lkt/gpu/cuda/detail/parts_of_options.hpp>
#include <lkt/gpu/cuda/detail/peaks_record.hpp>
#include <lkt/gpu/cuda/device_service.hpp>
#include <lkt/gpu/cuda/profiler.hpp>
#include <lkt/gpu/cuda/sanitizer.hpp>
#include <lkt/gpu/detail/in_turn.hpp>
#include <lkt/gpu/detail/stand_in.hpp>
#include <lkt/gpu/device/client.hpp>
#include <lkt/gpu/device/detail/job_maps.hpp>
#include <lkt/gpu/device/detail/module_tools.hpp>
#include <lkt/lang/cuda/instantiation.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/process/shared_memory.hpp>
#include <lkt/process/wire.hpp>
#include <lkt/process/worker.hpp>

#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>

#include <unistd.h>

namespace lkt {

class cuda::session {
public:
    explicit session(cuda_options o)
        : options_(std::move(o)), pool_(cuda_detail::pool_options(options_)),
          client_("cuda", cuda_detail::device_key, cuda_detail::device_worker_options(options_)),
          checker_("lkt.cuda.checked", cuda_detail::checker_options(options_)) {
        client_.on_new_worker = [this](call_context const& context) { return set_up(context); };
    }

    result<device_description> device(call_context const& context) {
        if (auto ready = open(context); !ready) return ready.error();
        return description_;
    }

    result<compile_outcome> compile(compile_request const& request, call_context const& context) {
        if (request.source.language != language::cuda)
            return compile_outcome{refused{std::string(to_string(request.source.language)),
                                           "the CUDA back end compiles CUDA C++",
                                           {}}};
        if (request.checked) return compile_checked(request, context);
        if (request.branches || request.constants) return compile_for_cpu(request, context);
        return compile_for_device(request, context);
    }

    result<compile_outcome> compile_for_device(compile_request const& request,
                                               call_context const& context) {
        if (!known()) // the architecture is the device's
            if (auto ready = open(context); !ready) return ready.error();
        auto job = job_of(request);
        if (!job) return job.error();
        if (auto* const why = std::get_if<refused>(&*job))
            return compile_outcome{failure{std::move(*why)}};
        auto compiled = pool_.get(std::get<cuda_detail::compile_job>(*job), context);
        if (!compiled) return compiled.error();
        if (auto* const why = std::get_if<failure>(&*compiled)) return compile_outcome{*why};
        auto const& cubin = *std::get<0>(*compiled);
        bool const cooperative = device_detail::waits_for_the_grid(request.source.text);
        compiled_kernel k;
        k.signature = request.signature;
        k.checked = request.checked;
        k.notes = cubin.notes;
        if (cooperative) k.notes.push_back("launched cooperatively");
        k.handle = std::make_shared<device_detail::program>(device_detail::program{
            fresh_contents(),
            cuda_detail::pack(cuda_detail::cubin_program{cubin.entry, cubin.image, cooperative}),
            names_of_maps(request.source, request.signature.tensor_maps, request.definitions)});
        k.resources = cubin.resources;
        auto facts = cuda_detail::facts_of(cubin.image);
        k.digest = device_detail::with_maps(facts.digest, request);
        k.writable_bytes = facts.writable_bytes;
        k.initialised_bytes = facts.initialised_bytes;
        k.zeroed = std::move(facts.zeroed);
        return compile_outcome{std::move(k)};
    }

    void prefetch(compile_request const& request) {
        if (!known() || request.checked || request.branches ||
            request.source.language != language::cuda)
            return;
        auto job = job_of(request); // what is wrong with it is said by compile
        if (job && std::holds_alternative<cuda_detail::compile_job>(*job))
            pool_.prefetch(std::get<cuda_detail::compile_job>(std::move(*job)));
    }

    result<run_outcome>
    run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
        if (auto why = fault_in(request)) return run_outcome{std::move(*why)};
        if (kernel.stands_in) return checker_.run(kernel, request, context);
        if (!kernel.checked || !kernel.handle) return client_.run(kernel, request, context);
        return std::move(run_checked(kernel, {&request, 1}, context).front());
    }

    std::vector<result<run_outcome>> run_all(std::span<kernel_run const> runs,
                                             call_context const& context) {
        std::vector<result<run_outcome>> all;
        while (all.size() < runs.size()) {
            auto const rest = runs.subspan(all.size());
            std::vector<run_request> together;
            while (together.size() < rest.size() &&
                   cuda_detail::go_together(rest.front(), rest[together.size()]) &&
                   !fault_in(rest[together.size()].request))
                together.push_back(rest[together.size()].request);
            if (context.stop.stop_requested()) {
                all.push_back(cancelled("a run"));
            } else if (together.size() > 1) {
                auto outcomes = run_checked(rest.front().kernel, together, context);
                std::move(outcomes.begin(), outcomes.end(), std::back_inserter(all));
            } else {
                all.push_back(run(rest.front().kernel, rest.front().request, context));
            }
        }
        return all;
    }

    void release() { client_.release(); }

    result<kernel_profile> profile(compiled_kernel const& kernel,
                                   run_request const& request,
                                   call_context const& context) {
        return inspector_.profile(kernel, request, context);
    }

    evidence_offer offered_evidence() { return inspector_.offer(); }

    result<std::vector<std::string>> evidence(evidence_subject const& of,
                                              evidence_question const& question,
                                              call_context const& context) {
        auto const with_lines = [&]() -> result<cuda_detail::named_cubin> {
            auto text = of.text;
            text.options.emplace_back("-lineinfo");
            auto job = job_of(text);
            if (!job) return job.error();
            if (auto* const why = std::get_if<refused>(&*job)) return no_code(*why);
            auto compiled = pool_.get(std::get<cuda_detail::compile_job>(*job), context);
            if (!compiled) return compiled.error();
            if (auto* const why = std::get_if<failure>(&*compiled)) return no_code(*why);
            auto const& cubin = *std::get<0>(*compiled);
            return cuda_detail::named_cubin{cubin.entry, cubin.image};
        };
        return inspector_.answer(of, question, description_, with_lines, context);
    }

    result<device_peaks> peaks(call_context const& context) {
        if (auto ready = open(context); !ready) return ready.error();
        std::int64_t const now = std::chrono::duration_cast<std::chrono::seconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count();
        gpu_detail::compile_cache cache(cuda_detail::pool_options(options_).cache);
        if (auto kept = cuda_detail::kept_peaks(cache, facts_, now)) return *kept;
        // What is measured is this device, and its memory is free again afterwards.
        auto own = options_;
        own.device = facts_.uuid;
        cuda apart(std::move(own));
        auto found = cuda_detail::measure_peaks(apart, facts_, context);
        if (!found) return found.error();
        found->on_paper = cuda_detail::rates_on_paper(facts_);
        found->taken = now;
        cuda_detail::keep_peaks(cache, facts_, *found);
        return found;
    }

    cuda_counters counters() const {
        auto const& device = client_.counters();
        cuda_counters c;
        c.launches = device.launches;
        c.workers_lost = device.workers_lost;
        c.device_time = device.device_time;
        auto const compiled = pool_.counters();
        c.compiled = compiled.compiled;
        c.from_cache = compiled.from_cache;
        return c;
    }

private:
    [[nodiscard]] bool known() const { return !description_.name.empty(); }

    [[nodiscard]] std::optional<failure> fault_in(run_request const& request) const {
        std::string why = limit_exceeded(description_, request.dimensions);
        if (!known() || why.empty()) return std::nullopt;
        return launch_failed{std::move(why)};
    }

    result<std::variant<cuda_detail::compile_job, refused>>
    job_of(compile_request const& request) const {
        auto const tokens = tokenize(request.source.text);
        if (!tokens) return tokens.error();
        auto name = instantiation(*tokens, request.signature, request.definitions);
        if (auto* const why = std::get_if<refused>(&name)) return std::move(*why);
        auto options = request.options;
        if (request.checked) options.emplace_back("-lineinfo");
        return cuda_detail::compile_job{request.source,
                                        std::get<std::string>(std::move(name)),
                                        request.definitions,
                                        std::move(options),
                                        architecture_,
                                        request.time_limit};
    }

    /// NVIDIA's tools do not see races within a warp, and the CPU does not see the device's
    /// addresses: a kernel passes both, or the one that is there.
    result<compile_outcome> compile_checked(compile_request const& request,
                                            call_context const& context) {
        auto const tools = find_tools();
        auto on_cpu = compile_for_cpu(request, context);
        if (!on_cpu && on_cpu.error().kind != condition::unavailable) return on_cpu;
        if (!tools) {
            if (!on_cpu)
                return error{condition::unavailable,
                             "lkt.cuda.checked",
                             on_cpu.error().message + "; " + tools.error().message,
                             tools.error().hint};
            auto& kernel = std::get<compiled_kernel>(*on_cpu);
            kernel.unchecked = cuda_detail::also(
                "checked on the CPU only: " + tools.error().message, kernel.unchecked);
            return on_cpu;
        }
        auto made = compile_for_device(request, context);
        auto* const kernel = made ? std::get_if<compiled_kernel>(&*made) : nullptr;
        if (kernel == nullptr) return made;
        auto checked = std::make_shared<cuda_detail::checked_program>();
        static_cast<device_detail::program&>(*checked) = program_of(*kernel);
        checked->own_barriers = cuda_detail::has_own_barriers(request.source.text);
        if (on_cpu) {
            checked->on_cpu = std::get<compiled_kernel>(std::move(*on_cpu));
            kernel->unchecked = checked->on_cpu->unchecked;
        } else {
            kernel->unchecked = "checked on the device only: " + on_cpu.error().message;
        }
        kernel->handle = std::shared_ptr<device_detail::program const>(std::move(checked));
        return made;
    }

    /// `__CUDA_ARCH__` is the same there.
    result<compile_outcome> compile_for_cpu(compile_request request, call_context const& context) {
        if (known()) request.options.push_back("-arch=" + architecture_);
        return checker_.compile(request, context);
    }

    static device_detail::program const& program_of(compiled_kernel const& kernel) {
        return *static_cast<device_detail::program const*>(kernel.handle.get());
    }

    [[nodiscard]] std::vector<result<run_outcome>>
    run_checked(compiled_kernel const& kernel,
                std::span<run_request const> requests,
                call_context const& context) {
        return cuda_detail::run_checked({sanitizer_,
                                         options_.sanitizer_tools,
                                         options_.device,
                                         cuda_detail::device_worker_options(options_)},
                                        checker_,
                                        kernel,
                                        requests,
                                        context);
    }

    /// What the sanitizer needs.
    result<void> find_tools() {
        if (!options_.sanitize)
            return error{condition::unavailable,
                         "lkt.cuda.sanitizer",
                         "compute-sanitizer is switched off",
                         "set cuda_options::sanitize, or drop --no-sanitize"};
        if (!sanitizer_.empty()) return {};
        auto found = cuda_detail::find_sanitizer(options_.sanitizer);
        if (!found) return found.error();
        sanitizer_ = std::move(*found);
        return {};
    }

    result<void> open(call_context const& context) { return client_.open(context); }

    static error no_code(failure const& why) {
        return {condition::unavailable,
                "lkt.cuda.evidence",
                "the kernel does not compile with line numbers: " + describe(why),
                {}};
    }

    /// Opens the device in a fresh worker, and loads lkt's own kernels.
    result<void> set_up(call_context const& context) {
        constexpr std::chrono::seconds limit{60};
        packer ask;
        ask.put(cuda_detail::request_kind::open).put(options_.device);
        auto reply = client_.call(std::move(ask).bytes(), limit, context);
        if (!reply) return reply.error();
        auto const facts = cuda_detail::unpack_facts(reply->bytes);
        if (!facts)
            return error{condition::transient, "lkt.worker.protocol", "malformed facts", {}};
        facts_ = *facts;
        architecture_ = cuda_detail::architecture_of(facts_);
        cuda_detail::compile_job tools;
        tools.source = {language::cuda, cuda_detail::tools_text(), "lkt"};
        tools.kernel = "lkt_hold";
        tools.arch = architecture_;
        auto compiled = pool_.get(tools, context);
        if (!compiled) return compiled.error();
        if (auto* const why = std::get_if<failure>(&*compiled))
            return error{condition::unavailable,
                         "lkt.cuda.tools",
                         "lkt's own kernels do not compile: " + describe(*why),
                         "check whether NVRTC supports " + architecture_};
        packer load;
        load.put(cuda_detail::request_kind::tools).put(std::get<0>(*compiled)->image);
        auto loaded = client_.call(std::move(load).bytes(), limit, context);
        if (!loaded) return loaded.error();
        description_ = cuda_detail::described(facts_);
        if (auto const compiler = pool_.compiler(context))
            description_.headers = cuda_detail::offered_headers(compiler->place);
        return {};
    }

    cuda_options options_;
    cuda_detail::compile_pool pool_;
    device_detail::device_client client_;
    device_detail::stand_in checker_;
    cuda_detail::device_facts facts_;
    device_description description_;
    std::string architecture_;
    std::string sanitizer_; ///< empty: not looked for yet
    cuda_detail::kernel_inspector inspector_{options_};
};

cuda::cuda(cuda_options options) : session_(std::make_unique<session>(std::move(options))) {}
cuda::~cuda() = default;
cuda::cuda(cuda&&) noexcept = default;
cuda& cuda::operator=(cuda&&) noexcept = default;

result<device_description> cuda::device(call_context const& context) {
    return session_->device(context);
}
result<compile_outcome> cuda::compile(compile_request const& request, call_context const& context) {
    return session_->compile(request, context);
}
void cuda::prefetch(compile_request const& request) { session_->prefetch(request); }
result<run_outcome>
cuda::run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
    return session_->run(kernel, request, context);
}
std::vector<result<compile_outcome>> cuda::compile_all(std::span<compile_request const> requests,
                                                       call_context const& context) {
    return gpu_detail::compile_in_turn(*this, requests, context);
}
std::vector<result<run_outcome>> cuda::run_all(std::span<kernel_run const> runs,
                                               call_context const& context) {
    return session_->run_all(runs, context);
}
void cuda::release() { session_->release(); }
result<kernel_profile> cuda::profile(compiled_kernel const& kernel,
                                     run_request const& request,
                                     call_context const& context) {
    return session_->profile(kernel, request, context);
}
evidence_offer cuda::offered_evidence() { return session_->offered_evidence(); }
result<std::vector<std::string>> cuda::evidence(evidence_subject const& of,
                                                evidence_question const& question,
                                                call_context const& context) {
    return session_->evidence(of, question, context);
}
result<device_peaks> cuda::peaks(call_context const& context) { return session_->peaks(context); }
cuda_counters cuda::counters() const { return session_->counters(); }

} // namespace lkt
