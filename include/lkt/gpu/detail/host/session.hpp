// SPDX-License-Identifier: BSL-1.0
// The state behind `lkt::host`: the compiler, what was compiled, and the workers.
#pragma once

#include <lkt/gpu/compile_cache.hpp>
#include <lkt/gpu/detail/hip_text.hpp>
#include <lkt/gpu/detail/host/arena.hpp>
#include <lkt/gpu/detail/host/checked_runs.hpp>
#include <lkt/gpu/detail/host/compile.hpp>
#include <lkt/gpu/detail/host/listing.hpp>
#include <lkt/gpu/detail/host/race_watch.hpp>
#include <lkt/gpu/detail/host/run_service.hpp>
#include <lkt/gpu/detail/host/verdict_maker.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/process/worker.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <sched.h>
#include <string>
#include <thread>
#include <utility>

namespace lkt::host_detail {

/// Cores that this process may use: those of its affinity mask.
[[nodiscard]] inline unsigned usable_cores() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (::sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) > 0)
        return static_cast<unsigned>(CPU_COUNT(&mask));
    return std::max(1U, std::thread::hardware_concurrency());
}

class session {
public:
    explicit session(host_options options)
        : options_(std::move(options)),
          cache_({"host", options_.cache_folder, options_.cache_limit}), plain_(options_.worker) {
        if (options_.threads == 0) options_.threads = usable_cores();
        options_.threads = std::min(options_.threads, 200U);
    }

    /// For tests: whether texts are refused before they are compiled, and modules before they run.
    bool screened = true;

    [[nodiscard]] result<device_description> device(call_context const& context) {
        if (auto const& ready = compiler(context); !ready) return ready.error();
        return description();
    }

    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  call_context const& context) {
        if (request.source.language == language::hip) {
            auto plain = request;
            plain.source.text = gpu_detail::without_hip_headers(plain.source.text);
            return compile(plain, nullptr, context);
        }
        return compile(request, nullptr, context);
    }
    /// `translation`: what is compiled in the place of the request's own text; null: that text.
    [[nodiscard]] result<compile_outcome> compile(compile_request const& request,
                                                  wgsl_cpp const* translation,
                                                  call_context const& context) {
        if (context.stop.stop_requested()) return cancelled("a compilation");
        auto const ready = compiler(context);
        if (!ready) return ready.error();
        if (request.source.language == language::wgsl && translation == nullptr)
            return compile_outcome{
                failure{refused{"WGSL",
                                "the host back end compiles CUDA C++, and HIP kernels that use "
                                "what CUDA has and HIP's functions of lanes",
                                {}}}};
        auto const key = key_of_module(request);
        auto& cached = modules_[key];
        auto module = cached.lock();
        if (!module) {
            module_compiler compiler{options_, **ready, cache_, counters_, before_, screened};
            auto made = translation != nullptr ? compiler.compile(request, *translation, context)
                                               : compiler.compile(request, context);
            if (!made || std::holds_alternative<failure>(*made)) modules_.erase(key);
            if (!made) return made.error();
            if (auto* const no = std::get_if<failure>(&*made))
                return compile_outcome{std::move(*no)};
            module = std::get<std::shared_ptr<compiled_module>>(*made);
            cached = module;
            std::erase_if(modules_, [](auto const& m) { return m.second.expired(); });
        }
        compiled_kernel kernel;
        kernel.signature = request.signature;
        kernel.checked = request.checked;
        kernel.notes = module->notes;
        kernel.digest = module->digest;
        if (!module->checked) kernel.writable_bytes = module->writable_bytes;
        if (request.checked && !module->races)
            kernel.unchecked = "data races were not looked for: the text does not compile with "
                               "-fsanitize=thread";
        if (request.checked && module->casts_as_cpu)
            kernel.unchecked += std::string(kernel.unchecked.empty() ? "" : "; ") +
                                "casts and shifts are the CPU's: with a device's the text does not "
                                "compile for the CPU";
        // One in each of 2^16 small blocks is well; a turn takes some 50 ns, ten times that in
        // checked mode.
        if (module->fibres) kernel.most_threads = module->checked ? 420'000 : 4'200'000;
        kernel.branches = module->branches;
        kernel.constants = module->constants;
        kernel.handle = std::move(module);
        return compile_outcome{std::move(kernel)};
    }

    [[nodiscard]] result<run_outcome>
    run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
        if (context.stop.stop_requested()) return cancelled("a run");
        auto const* const module = static_cast<compiled_module const*>(kernel.handle.get());
        if (auto bad = check(module, kernel.signature, request)) return *bad;
        auto const limits = description();
        auto why = limit_exceeded(limits, request.dimensions);
        auto const shared = module->shared_bytes + request.dimensions.shared_bytes;
        if (why.empty() && shared > limits.shared_memory_per_block.count)
            why = "a block takes " + std::to_string(shared) + " bytes of shared memory (" +
                  std::to_string(module->shared_bytes) + " static), and the limit is " +
                  std::to_string(limits.shared_memory_per_block.count);
        if (!why.empty()) return run_outcome{failure{launch_failed{std::move(why)}}};
        if ((!module->checked && !module->wgsl) || module->branches)
            return one_run(*module, kernel.signature, request, {}, context);
        return checked_run(*module, kernel.signature, request, context);
    }

    [[nodiscard]] host_counters const& counters() const { return counters_; }

    [[nodiscard]] result<std::vector<std::string>> evidence(evidence_subject const& of,
                                                            evidence_question const& question,
                                                            call_context const& context) {
        if (of.text.source.language == language::hip) {
            auto plain = of.text;
            plain.source.text = gpu_detail::without_hip_headers(plain.source.text);
            return evidence({plain, of.kernel, of.launch}, question, context);
        }
        auto const ready = compiler(context);
        if (!ready) return ready.error();
        return listings_.answer(options_, **ready, of.text, question, context);
    }

private:
    /// The compiler, found once. The pointer stays good.
    [[nodiscard]] result<compiler_facts const*> compiler(call_context const& context) {
        if (!compiler_) {
            auto found = find_compiler(options_, cache_, context);
            if (!found) return found.error();
            compiler_ = std::move(*found);
        }
        return &*compiler_;
    }

    [[nodiscard]] device_description description() const {
        device_description d;
        d.name = "host CPU (" + std::to_string(options_.threads) +
                 (options_.threads == 1 ? " thread)" : " threads)");
        d.backend = "host";
        d.driver = compiler_ ? compiler_->version : "";
        d.languages = {language::cuda};
        d.headers = {offered_headers.begin(), offered_headers.end()};
        d.simulated = true;
        d.multiprocessors = options_.threads;
        // Smaller than a GPU's in x: the shim tells the compiler that a global index is below 2^31.
        d.max_grid = {2097151, 65535, 65535};
        d.memory = {options_.memory_limit};
        d.shared_memory_per_block = {227 * 1024}; // what compute capability 9.0 allows
        return d;
    }

    /// Misuse of the contract by the caller, not by the kernel.
    [[nodiscard]] static std::optional<error>
    check(compiled_module const* module, signature const& s, run_request const& r) {
        auto const bad = [](std::string what) {
            return error{condition::rejected, "lkt.host.request", std::move(what), {}};
        };
        if (module == nullptr) return bad("the kernel to run was not compiled by a host back end");
        if (auto why = fault_in(r, s); !why.empty()) return bad(std::move(why));
        if (gpu_detail::launch_parameters(s.arguments, r.arguments.size()).size() > max_arguments)
            return bad("a kernel on the host back end takes at most " +
                       std::to_string(max_arguments) + " arguments");
        if (r.ring.size() >= max_sets)
            return bad("a run on the host back end has at most " + std::to_string(max_sets) +
                       " sets of arguments");
        if (r.warmups > max_launches || r.launches > max_launches)
            return bad("a run must have 1 to " + std::to_string(max_launches) + " launches");
        for (auto const& a : r.arguments)
            if (!a.buffer && a.bytes.size() > max_value_bytes)
                return bad("a value argument has more than 32 bytes");
        return {};
    }

    [[nodiscard]] result<run_outcome> one_run(compiled_module const& module,
                                              signature const& s,
                                              run_request const& request,
                                              run_kind const& kind,
                                              call_context const& context,
                                              std::uint32_t* met = nullptr,
                                              bool again = true) {
        bool const races = kind.races;
        job j;
        j.dimensions = request.dimensions;
        j.order = kind.order;
        j.blocks_forward = kind.blocks_forward;
        j.subgroup = kind.subgroup;
        j.otherwise = kind.otherwise;
        j.wgsl = module.wgsl;
        auto const secrets = secrets_of_run(request);
        j.order_seed = drawn(secrets, "order of threads");
        j.layout_seed =
            drawn(secrets, "layout", static_cast<std::uint64_t>(kind.order), kind.races);
        j.warmups = request.warmups;
        j.launches = request.launches;
        auto const limit = std::clamp(request.time_limit.count(), 0.001, 86400.0);
        j.launch_limit_ns = static_cast<std::uint64_t>(limit * 1e9);
        // The worker's own limit; the one for a launch is the cell's, and ends it first.
        auto const all =
            std::min(busy_patience * limit * (request.warmups + request.launches) + 20, 864000.0);
        j.run_limit_ms = static_cast<std::uint64_t>(all * 1e3);
        bool const one_thread = module.checked || races || module.branches;
        if (module.branches) j.branches_count = std::bit_ceil(2 * module.branches->size() + 4096);
        j.threads = one_thread ? 1 : options_.threads;
        j.stack_bytes = 512 << 10; // what instrumented code takes; others could tell by less
        j.checked = module.checked;
        j.races = j.other_fill = races;
        j.turns = kind.turns;
        j.leftovers = kind.leftovers;
        for (auto const& v : module.variables)
            if (module.shared(v)) {
                auto const gap = module.checked && v.size > 2 * shared_margin ? shared_margin : 0;
                j.shared.emplace_back(v.address + gap, v.size - 2 * gap);
            }
        j.unsandboxed = options_.unsandboxed;
        auto maps = maps_of_sets(s, module.map_names, request);
        if (auto* const why = std::get_if<std::string>(&maps))
            return run_outcome{failure{launch_failed{std::move(*why)}}};
        j.shared_alignment = module.dynamic_alignment;
        auto memory = arena::make(j, request, s, std::get<0>(maps));
        if (!memory) return memory.error();
        j.memory_limit = options_.memory_limit + address_space(j);
        if (races) j.memory_limit += race_watch::address_space(j);

        auto& where = module.checked ? checked_worker() : plain_;
        int const fds[] = {module.code.fd(), memory->fd()};
        auto const bytes = pack(j);
        auto const time = std::chrono::milliseconds{j.run_limit_ms + 10'000};
        auto answer = where.call({run_key, bytes, fds}, time, context);
        if (!answer) return answer.error();
        if (auto const* const lost = std::get_if<worker_failure>(&*answer)) {
            // The kernel runs in a cell, so it was not the kernel: once more, with a new worker.
            if (again && lost->how == worker_end::died)
                return one_run(module, s, request, kind, context, met, false);
            return to_error(*lost);
        }
        unpacker in{std::get<worker_message>(*answer).bytes};
        auto const outcome = read_cell_outcome(in);
        if (!in.complete())
            return error{condition::transient, "lkt.worker.protocol", "a malformed run reply", {}};
        auto view = memory->view(j.launches);
        if (met != nullptr) *met |= view.head.met;
        auto const find_line = [&](std::uint64_t code) { return line_of(module, code, context); };
        if (auto no = verdict_maker{j, view.head, outcome, find_line, module.variables, module.text}
                          .make())
            return run_outcome{std::move(*no)};
        run_report report;
        if (view.head.unordered != 0)
            report.unchecked = "data races between blocks were not looked for: too many of them "
                               "wait for each other";
        if (view.head.converted != 0)
            report.unchecked = std::string{open_conversion} + std::to_string(view.head.converted);
        report.samples = std::move(view.samples);
        report.kept = memory->outputs(j, request);
        report.sets = j.sets;
        if (module.branches) report.branches = memory->branches(j);
        return run_outcome{std::move(report)};
    }

    /// By addr2line, which comes with every linker: of inlined functions the innermost one that is
    /// in the kernel's text. 0:0 where that fails.
    [[nodiscard]] text_location
    line_of(compiled_module const& module, std::uint64_t code, call_context const& context) const {
        auto run =
            confined_run(options_,
                         *compiler_,
                         {"addr2line", "-i", "-e", "module.so", process_detail::hexadecimal(code)});
        run.files.push_back({"module.so", std::string{module.code.text()}});
        run.time_limit = std::chrono::seconds{20};
        auto const answer = run_child(run, context);
        if (!answer || !answer->succeeded()) return {};
        auto const at = answer->out.find("kernel:");
        return at == std::string::npos ? text_location{} : first_error(answer->out.substr(at), "");
    }

    [[nodiscard]] result<run_outcome> checked_run(compiled_module const& module,
                                                  signature const& s,
                                                  run_request const& request,
                                                  call_context const& context) {
        if (auto no = module.checked ? prepare_checked(context) : std::nullopt) return *no;
        auto const one = [&](compiled_module const& m,
                             run_request const& r,
                             run_kind const& kind,
                             std::uint32_t& met) { return one_run(m, s, r, kind, context, &met); };
        auto outcome = checked_runs{module, s, one}.run(request);
        std::uint64_t watched = 0; // bytes
        for (std::size_t i = 0; i < request.arguments.size(); ++i)
            if (request.arguments[i].buffer && request.directions[i] != direction::in)
                watched += request.arguments[i].bytes.size();
        if (auto* const report = outcome ? std::get_if<run_report>(&*outcome) : nullptr)
            if (watched > race_watch::max_watched)
                report->unchecked = "data races were not looked for in all arguments: they take " +
                                    to_string(lkt::bytes{watched}) + ", and " +
                                    to_string(lkt::bytes{race_watch::max_watched}) + " are watched";
        return outcome;
    }

    /// A worker that loads the sanitizers' libraries before everything else.
    [[nodiscard]] std::optional<error> prepare_checked(call_context const& context) {
        if (checked_) return {};
        auto const ready = compiler(context);
        if (!ready) return ready.error();
        auto libraries = sanitizer_libraries(**ready, context);
        if (!libraries) return libraries.error();
        auto options = options_.worker;
        auto& e = options.environment;
        if (!libraries->empty()) e.push_back("LD_PRELOAD=" + *libraries);
        // Lines are found afterwards, in the module alone, not in the worker's program, too. The
        // heap is lkt's own: kernels have none, so nobody asks who allocated what, and what was
        // freed may be used again. Both took fresh pages, in each cell anew.
        e.push_back(
            "ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:exitcode=99:handle_segv=1:"
            "handle_sigfpe=1:handle_sigill=1:detect_odr_violation=0:symbolize=0:"
            "detect_stack_use_after_return=0:verify_asan_link_order=0:print_legend=0:color=never:"
            "malloc_context_size=0:quarantine_size_mb=0:thread_local_quarantine_size_kb=0");
        e.push_back("UBSAN_OPTIONS=print_stacktrace=0:halt_on_error=1:exitcode=99:color=never");
        checked_ = std::make_unique<worker>(std::move(options));
        return {};
    }
    [[nodiscard]] worker& checked_worker() { return *checked_; }

    /// For LD_PRELOAD. Errors: `lkt.host.sanitizer`.
    [[nodiscard]] result<std::string> sanitizer_libraries(compiler_facts const& c,
                                                          call_context const& context) {
        auto const key = "sanitizers\n" + c.identity;
        if (auto const kept = cache_.find(key))
            if (auto const* const list = std::get_if<std::string>(&*kept)) return *list;
#if defined(__aarch64__)
        constexpr char const* clang_library = "libclang_rt.asan-aarch64.so";
#else
        constexpr char const* clang_library = "libclang_rt.asan-x86_64.so";
#endif
        std::string list;
        auto const names = c.clang ? std::vector<std::string>{clang_library}
                                   : std::vector<std::string>{"libasan.so", "libubsan.so"};
        for (auto const& name : names) {
            auto run = compiler_run(options_, {c.program, "-print-file-name=" + name});
            auto const answer = run_child(run, context);
            if (!answer) return answer.error();
            if (answer->how == child_end::cancelled) return cancelled("a checked run");
            auto path = answer->out.substr(0, answer->out.find('\n'));
            if (path.find('/') == path.npos || ::access(path.c_str(), R_OK) != 0)
                return error{condition::unavailable,
                             "lkt.host.sanitizer",
                             "the checked mode needs " + name + ", which " + c.program + " lacks",
                             c.clang ? "install it (Debian, Ubuntu: libclang-rt-*-dev)"
                                     : "install it (Debian, Ubuntu: libgcc-*-dev and libasan*)"};
            list += (list.empty() ? "" : ":") + path;
        }
        cache_.store(key, list);
        return list;
    }

    host_options options_;
    gpu_detail::compile_cache cache_;
    host_counters counters_;
    std::optional<compiler_facts> compiler_;
    compilations_before before_;
    code_listings listings_;
    std::map<std::string, std::weak_ptr<compiled_module const>> modules_;
    worker plain_;
    std::unique_ptr<worker> checked_;
};

} // namespace lkt::host_detail
