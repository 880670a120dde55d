// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/cuda/compile_pool.hpp>
#include <lkt/gpu/cuda/detail/peaks_record.hpp>
#include <lkt/gpu/cuda/detail/tools_source.hpp>
#include <lkt/gpu/cuda/job.hpp>
#include <lkt/kernel/instantiation.hpp>
#include <lkt/kernel/tokens.hpp>
#include <lkt/process/shared_memory.hpp>
#include <lkt/process/wire.hpp>
#include <lkt/process/worker.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <unistd.h>

namespace lkt {

namespace cuda_detail {

/// What a compiled_kernel of this back end holds.
struct loaded_kernel {
    std::shared_ptr<compiled_cubin const> cubin;
    std::uint64_t id = 0; ///< by which the worker knows the image
    bool cooperative = false;
};

compile_pool_options pool_options(cuda_options const& o) {
    compile_pool_options p;
    p.nvrtc = o.nvrtc;
    p.include_folders = o.include_folders;
    p.standard = o.standard;
    p.workers = o.compilers;
    p.cache.folder = o.cache_folder;
    p.cache.limit = o.cache_limit.count;
    p.cache.enabled = o.cache_limit.count > 0;
    p.worker = o.worker;
    return p;
}

worker_options device_worker_options(cuda_options const& o) {
    auto w = o.worker;
    for (char const* const name :
         {"CUDA_VISIBLE_DEVICES", "LKT_CUDA_DRIVER", "HOME", "ASAN_OPTIONS"})
        w.keep.push_back(name);
    // Nothing is loaded in the middle of a measurement.
    w.environment.push_back("CUDA_MODULE_LOADING=EAGER");
    return w;
}

/// A grid-wide barrier works only in a cooperative launch, which the text alone can tell.
bool waits_for_the_grid(std::string_view text) {
    auto const tokens = tokenize(text);
    return tokens && std::any_of(tokens->begin(), tokens->end(), [](auto const& t) {
               return t.text == "this_grid" || t.text == "grid_group";
           });
}

comparer comparer_of(scalar_type t, tolerance bound) {
    switch (t) {
    case scalar_type::float16:
        return comparer::float16;
    case scalar_type::bfloat16:
        return comparer::bfloat16;
    case scalar_type::float32:
        return comparer::float32;
    case scalar_type::float64:
        return comparer::float64;
    case scalar_type::boolean:
    case scalar_type::int8:
    case scalar_type::uint8:
    case scalar_type::int16:
    case scalar_type::uint16:
    case scalar_type::int32:
    case scalar_type::uint32:
    case scalar_type::int64:
    case scalar_type::uint64:
        break;
    }
    return bound == tolerance{} ? comparer::bytes : comparer::none;
}

/// Writing through the descriptor spares fresh memory a page fault, and the zeroing, of each page.
void put(shared_memory& to, std::uint64_t at, std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
        auto const n = ::pwrite(to.fd(), bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (n <= 0) break;
        at += static_cast<std::uint64_t>(n);
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    if (!bytes.empty()) std::memcpy(to.writable_bytes().data() + at, bytes.data(), bytes.size());
}

/// Buffers one after the other, as job_argument says. What `out` arguments hold (zeros here) the
/// device overwrites before anybody reads it. Without `directions` none is one.
result<shared_memory> gather(std::span<argument_data const> data,
                             std::span<direction const> directions = {}) {
    std::uint64_t size = 0;
    for (argument_data const& a : data)
        if (a.buffer) size = next_place(size + a.bytes.size());
    auto memory = shared_memory::create(static_cast<std::size_t>(size));
    if (!memory) return memory;
    std::uint64_t at = 0;
    for (std::size_t k = 0; k < data.size(); ++k) {
        if (!data[k].buffer) continue;
        if (directions.empty() || directions[k] != direction::out) put(*memory, at, data[k].bytes);
        at = next_place(at + data[k].bytes.size());
    }
    return memory;
}

} // namespace cuda_detail

class cuda::session {
public:
    explicit session(cuda_options o)
        : options_(std::move(o)), pool_(cuda_detail::pool_options(options_)),
          worker_(cuda_detail::device_worker_options(options_)) {}

    result<device_description> device(call_context const& context) {
        if (auto ready = open(context); !ready) return ready.error();
        return description_;
    }

    result<compile_outcome> compile(compile_request const& request, call_context const& context) {
        if (request.source.language != language::cuda)
            return compile_outcome{refused{std::string(to_string(request.source.language)),
                                           "the CUDA back end compiles CUDA C++",
                                           {}}};
        if (request.checked)
            return error{condition::unavailable,
                         "lkt.cuda.checked",
                         "the CUDA back end has no checked mode",
                         "check the kernel on the host back end, or with compute-sanitizer"};
        if (!known()) // the architecture is the device's
            if (auto ready = open(context); !ready) return ready.error();
        auto job = job_of(request);
        if (!job) return job.error();
        if (auto* const why = std::get_if<refused>(&*job))
            return compile_outcome{failure{std::move(*why)}};
        auto compiled = pool_.get(std::get<cuda_detail::compile_job>(*job), context);
        if (!compiled) return compiled.error();
        if (auto* const why = std::get_if<failure>(&*compiled)) return compile_outcome{*why};
        auto const& cubin = std::get<0>(*compiled);
        auto kernel = std::make_shared<cuda_detail::loaded_kernel>();
        kernel->cubin = cubin;
        kernel->id = fresh_contents();
        kernel->cooperative = cuda_detail::waits_for_the_grid(request.source.text);
        compiled_kernel k;
        k.signature = request.signature;
        k.notes = cubin->notes;
        if (kernel->cooperative) k.notes.push_back("launched cooperatively");
        k.handle = std::move(kernel);
        k.resources = cubin->resources;
        return compile_outcome{std::move(k)};
    }

    void prefetch(compile_request const& request) {
        if (!known() || request.checked || request.source.language != language::cuda) return;
        auto job = job_of(request); // what is wrong with it is said by compile
        if (job && std::holds_alternative<cuda_detail::compile_job>(*job))
            pool_.prefetch(std::get<cuda_detail::compile_job>(std::move(*job)));
    }

    result<run_outcome>
    run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
        if (auto wrong = fault_in(kernel, request)) return *wrong;
        auto const& loaded = *static_cast<cuda_detail::loaded_kernel const*>(kernel.handle.get());
        // A worker that somebody killed is replaced once: that is nobody's verdict on the kernel.
        for (int attempt = 0;; ++attempt) {
            if (auto ready = open(context); !ready) return ready.error();
            auto answer = ask(loaded, request, context);
            if (!answer) return answer.error();
            if (auto* const lost = std::get_if<worker_failure>(&*answer)) {
                forget_worker();
                if (lost->how == worker_end::cancelled) return cancelled("a run on the device");
                if (lost->how == worker_end::died && attempt == 0) continue;
                return to_error(*lost);
            }
            auto& reply = std::get<worker_message>(*answer);
            auto found = cuda_detail::unpack_answer(reply.bytes);
            if (!found)
                return error{condition::transient, "lkt.worker.protocol", "a malformed answer", {}};
            if (found->end == cuda_detail::run_end::unknown_contents && attempt == 0) {
                known_contents_.clear();
                known_images_.clear();
                continue;
            }
            return conclude(*found, reply, kernel, request);
        }
    }

    void release() {
        worker_.stop();
        opened_ = false; // given back, not lost
        forget_worker();
    }

    result<device_peaks> peaks(call_context const& context) {
        if (auto ready = open(context); !ready) return ready.error();
        std::int64_t const now = std::chrono::duration_cast<std::chrono::seconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count();
        cuda_detail::compile_cache cache(cuda_detail::pool_options(options_).cache);
        if (auto kept = cuda_detail::kept_peaks(cache, facts_, now)) return *kept;
        // What is measured is this device, and its memory is free again afterwards.
        auto own = options_;
        own.device = facts_.uuid;
        cuda apart(std::move(own));
        auto const measured = cuda_detail::measure_peaks(apart, facts_, context);
        if (!measured) return measured.error();
        device_peaks const found{*measured, cuda_detail::rates_on_paper(facts_), now, false};
        cuda_detail::keep_peaks(cache, facts_, found);
        return found;
    }

    cuda_counters counters() const {
        auto c = counters_;
        auto const compiled = pool_.counters();
        c.compiled = compiled.compiled;
        c.from_cache = compiled.from_cache;
        return c;
    }

private:
    [[nodiscard]] bool known() const { return !description_.name.empty(); }

    result<std::variant<cuda_detail::compile_job, refused>>
    job_of(compile_request const& request) const {
        auto const tokens = tokenize(request.source.text);
        if (!tokens) return tokens.error();
        auto name = instantiation(*tokens, request.signature, request.definitions);
        if (auto* const why = std::get_if<refused>(&name)) return std::move(*why);
        return cuda_detail::compile_job{request.source,
                                        std::get<std::string>(std::move(name)),
                                        request.definitions,
                                        request.options,
                                        architecture_,
                                        request.time_limit};
    }

    /// A worker with the device open and lkt's own kernels loaded.
    result<void> open(call_context const& context) {
        if (opened_) return {};
        packer ask;
        ask.put(cuda_detail::request_kind::open).put(options_.device);
        auto reply = simple_call(std::move(ask).bytes(), context);
        if (!reply) return reply.error();
        auto const facts = cuda_detail::unpack_facts(reply->bytes);
        if (!facts)
            return error{condition::transient, "lkt.worker.protocol", "malformed facts", {}};
        facts_ = *facts;
        architecture_ = "sm_" + std::to_string(facts_.major) + std::to_string(facts_.minor);
        cuda_detail::compile_job tools;
        tools.source = {language::cuda, cuda_detail::tools_source, "lkt"};
        tools.kernel = "lkt_hold";
        tools.arch = architecture_;
        auto compiled = pool_.get(tools, context);
        if (!compiled) return compiled.error();
        if (auto* const why = std::get_if<failure>(&*compiled))
            return error{condition::unavailable,
                         "lkt.cuda.tools",
                         "lkt's own kernels do not compile: " + describe(*why),
                         "see whether NVRTC knows " + architecture_};
        packer load;
        load.put(cuda_detail::request_kind::tools).put(std::get<0>(*compiled)->image);
        auto loaded = simple_call(std::move(load).bytes(), context);
        if (!loaded) return loaded.error();
        describe_device();
        opened_ = true;
        return {};
    }

    result<worker_message> simple_call(std::string const& bytes, call_context const& context) {
        auto reply =
            worker_.call({cuda_detail::device_key, bytes}, std::chrono::seconds{60}, context);
        if (!reply) return reply.error();
        if (auto* const lost = std::get_if<worker_failure>(&*reply)) {
            forget_worker();
            return to_error(*lost);
        }
        return std::get<worker_message>(std::move(*reply));
    }

    void describe_device() {
        auto& d = description_;
        d.name = facts_.name;
        d.backend = "cuda";
        d.driver = "CUDA " + std::to_string(facts_.driver / 1000) + "." +
                   std::to_string(facts_.driver % 1000 / 10);
        d.languages = {language::cuda};
        d.multiprocessors = static_cast<std::uint32_t>(facts_.multiprocessors);
        d.warp_size = static_cast<std::uint32_t>(facts_.warp_size);
        d.max_threads_per_block = static_cast<std::uint32_t>(facts_.max_threads_per_block);
        d.max_block = facts_.max_block;
        d.max_grid = facts_.max_grid;
        d.shared_memory_per_block = lkt::bytes{static_cast<std::uint64_t>(facts_.shared_per_block)};
        d.memory = lkt::bytes{facts_.memory};
    }

    /// A new worker knows nothing of what the old one had.
    void forget_worker() {
        if (opened_) ++counters_.workers_lost;
        opened_ = false;
        known_contents_.clear();
        known_images_.clear();
    }

    static std::optional<error> fault_in(compiled_kernel const& kernel,
                                         run_request const& request) {
        auto const bad = [](std::string why) {
            return error{condition::rejected,
                         "lkt.cuda.request",
                         "the run was asked for wrongly: " + std::move(why),
                         {}};
        };
        std::size_t const n = kernel.signature.arguments.size();
        if (!kernel.handle) return bad("the kernel was not compiled by this back end");
        if (request.arguments.size() != n || request.directions.size() != n)
            return bad("there are not as many arguments as the signature has");
        for (std::size_t k = 0; k < n; ++k)
            if (request.arguments[k].buffer != kernel.signature.arguments[k].pointer)
                return bad("argument " + std::to_string(k + 1) +
                           " is a value where a buffer is "
                           "needed, or the other way round");
        if (request.launches < 1 || request.warmups < 0) return bad("there is nothing to launch");
        int const certain = certain_launches(request);
        if (!std::is_sorted(request.keep.begin(), request.keep.end()) ||
            (!request.keep.empty() && (request.keep.front() < 0 || request.keep.back() >= certain)))
            return bad("the launches whose outputs are kept are not ascending or not certain");
        return {};
    }

    result<worker_answer> ask(cuda_detail::loaded_kernel const& loaded,
                              run_request const& request,
                              call_context const& context) {
        cuda_detail::run_job job;
        job.module = loaded.id;
        if (!known_images_.contains(loaded.id)) job.image = loaded.cubin->image;
        job.entry = loaded.cubin->entry;
        job.cooperative = loaded.cooperative;
        job.dimensions = request.dimensions;
        for (std::size_t k = 0; k < request.arguments.size(); ++k) {
            argument_data const& a = request.arguments[k];
            auto& to = job.arguments.emplace_back();
            to.buffer = a.buffer;
            to.flow = request.directions[k];
            if (a.buffer)
                to.size = a.bytes.size();
            else
                to.value.assign(reinterpret_cast<char const*>(a.bytes.data()), a.bytes.size());
        }
        job.warmups = request.warmups;
        job.launches = request.launches;
        job.least = std::max(1, request.sampling.least);
        job.precision = request.sampling.precision;
        job.sampling_seconds = request.sampling.time.count();
        job.give_up_seconds = request.sampling.give_up_above.count();
        job.cold = request.sampling.cold;
        job.keep = request.keep;
        job.poison_seed = request.poison_seed;
        job.launch_limit = std::clamp(request.time_limit.count(), 0.001, 86400.0);

        std::vector<int> fds;
        shared_memory contents, expected;
        job.contents = request.contents;
        job.brings_contents = request.contents == 0 || !known_contents_.contains(request.contents);
        if (job.brings_contents) {
            auto made = cuda_detail::gather(request.arguments, request.directions);
            if (!made) return made.error();
            contents = std::move(*made);
            fds.push_back(contents.fd());
        }
        auto const& e = request.expected;
        if (e.id != 0 && e.values.size() == e.bounds.size()) {
            job.expected = e.id;
            for (std::size_t k = 0; k < e.values.size(); ++k)
                job.bounds.push_back(
                    {cuda_detail::comparer_of(e.values[k].type.scalar, e.bounds[k]),
                     e.bounds[k].relative,
                     e.bounds[k].absolute});
            job.brings_expected = !known_contents_.contains(e.id);
            if (job.brings_expected) {
                auto made = cuda_detail::gather(e.values);
                if (!made) return made.error();
                expected = std::move(*made);
                fds.push_back(expected.fd());
            }
        }
        packer ask;
        ask.put(cuda_detail::request_kind::run);
        auto const bytes = std::move(ask).bytes() + pack(job);
        // The worker ends a launch by itself; this is for one that is lost altogether.
        double const all = job.launch_limit * (job.warmups + job.launches) + 60;
        auto reply = worker_.call(
            {cuda_detail::device_key, bytes, fds},
            std::chrono::milliseconds{static_cast<std::int64_t>(std::min(all, 864000.0) * 1e3)},
            context);
        if (reply && std::holds_alternative<worker_message>(*reply)) {
            known_images_.insert(loaded.id);
            if (request.contents != 0) known_contents_.insert(request.contents);
            if (job.expected != 0) known_contents_.insert(job.expected);
        }
        return reply;
    }

    result<run_outcome> conclude(cuda_detail::run_answer const& answer,
                                 worker_message& reply,
                                 compiled_kernel const& kernel,
                                 run_request const& request) {
        using cuda_detail::run_end;
        auto const lose_worker = [&] {
            worker_.stop();
            forget_worker();
        };
        switch (answer.end) {
        case run_end::done:
            return report_of(answer, reply, kernel, request);
        case run_end::bad_image:
        case run_end::launch_failed:
            return run_outcome{failure{launch_failed{answer.what}}};
        case run_end::crashed:
            lose_worker();
            return run_outcome{failure{crashed{answer.what, {}}}};
        case run_end::timed_out:
            lose_worker();
            return run_outcome{failure{timed_out{request.time_limit, "launch"}}};
        case run_end::overrun:
            return run_outcome{failure{out_of_bounds{answer.what, {}}}};
        case run_end::out_of_memory:
            return error{condition::exhausted,
                         "lkt.cuda.memory",
                         "the device has no memory for the arguments: " + answer.what,
                         "take a smaller problem, or free the device's memory (nvidia-smi lists "
                         "who uses it)"};
        case run_end::unknown_contents:
        case run_end::broken:
            lose_worker();
            return error{condition::transient, "lkt.cuda.broken", answer.what, {}};
        }
        return error{condition::transient, "lkt.worker.protocol", "an unknown answer", {}};
    }

    result<run_outcome> report_of(cuda_detail::run_answer const& answer,
                                  worker_message& reply,
                                  compiled_kernel const& kernel,
                                  run_request const& request) {
        run_report report;
        for (double const s : answer.seconds) {
            report.samples.emplace_back(s);
            counters_.device_time += seconds(s);
        }
        counters_.launches += answer.seconds.size();
        report.megahertz = answer.megahertz;
        report.discarded = answer.discarded;
        report.end = answer.why;
        double const warps_a_block =
            std::ceil(static_cast<double>(request.dimensions.block.count()) / facts_.warp_size);
        double const most =
            static_cast<double>(facts_.threads_per_multiprocessor) / facts_.warp_size;
        if (most > 0) report.occupancy = answer.blocks_per_multiprocessor * warps_a_block / most;
        std::size_t next = 0;
        for (auto const& kept : answer.outputs) {
            auto& to = report.kept.emplace_back(kept_outputs{kept.launch, kept.as_expected, {}});
            if (kept.as_expected) continue;
            if (next >= reply.fds.size())
                return error{
                    condition::transient, "lkt.worker.protocol", "outputs are missing", {}};
            auto memory =
                shared_memory::adopt(std::move(reply.fds[next++]), memory_access::read_only);
            if (!memory) return memory.error();
            std::uint64_t at = 0;
            for (std::size_t k = 0; k < request.arguments.size(); ++k) {
                argument_data const& a = request.arguments[k];
                if (!a.buffer || request.directions[k] == direction::in) continue;
                if (at + a.bytes.size() > memory->size())
                    return error{
                        condition::transient, "lkt.worker.protocol", "outputs are cut off", {}};
                auto const bytes =
                    memory->bytes().subspan(static_cast<std::size_t>(at), a.bytes.size());
                to.outputs.push_back(
                    {kernel.signature.arguments[k].type, true, {bytes.begin(), bytes.end()}});
                at = cuda_detail::next_place(at + a.bytes.size());
            }
        }
        return run_outcome{std::move(report)};
    }

    cuda_options options_;
    cuda_detail::compile_pool pool_;
    worker worker_;
    bool opened_ = false;
    cuda_detail::device_facts facts_;
    device_description description_;
    std::string architecture_;
    std::set<std::uint64_t> known_contents_, known_images_;
    cuda_counters counters_;
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
void cuda::release() { session_->release(); }
result<device_peaks> cuda::peaks(call_context const& context) { return session_->peaks(context); }
cuda_counters cuda::counters() const { return session_->counters(); }

} // namespace lkt
