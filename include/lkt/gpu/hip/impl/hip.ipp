// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/code_object.hpp>
#include <lkt/gpu/detail/stand_in.hpp>
#include <lkt/gpu/device/client.hpp>
#include <lkt/gpu/device/detail/job_pool.hpp>
#include <lkt/gpu/device/detail/module_tools.hpp>
#include <lkt/gpu/hip.hpp>
#include <lkt/gpu/hip/hiprtc.hpp>
#include <lkt/gpu/hip/runtime.hpp>
#include <lkt/lang/cuda/instantiation.hpp>
#include <lkt/lang/cuda/tokens.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>
#include <utility>

namespace lkt {

namespace hip_detail {

/// AMD's name of the device; by way of HIP's NVIDIA platform the capability.
std::string architecture_of(device_facts const& f) {
    return !f.architecture.empty() ? f.architecture
                                   : "sm_" + std::to_string(f.major) + std::to_string(f.minor);
}

/// HIP counts 50221153 for 5.2.21153; CUDA, on its devices, 13000 for 13.0.
std::string version_text(int v) {
    bool const own = v >= 10'000'000;
    int const major = own ? v / 10'000'000 : v / 1000;
    int const minor = own ? v / 100'000 % 100 : v % 1000 / 10;
    return (own ? "HIP " : "HIP on CUDA ") + std::to_string(major) + "." + std::to_string(minor);
}

device_description described(device_facts const& f) {
    auto const count = [](int n) { return static_cast<std::uint32_t>(std::max(n, 0)); };
    auto const size = [](int n) { return lkt::bytes{static_cast<std::uint64_t>(std::max(n, 0))}; };
    device_description d;
    d.name = f.name;
    d.backend = "hip";
    d.driver = version_text(f.driver);
    d.languages = {language::hip};
    d.multiprocessors = count(f.multiprocessors);
    d.warp_size = count(f.warp_size);
    d.max_threads_per_block = count(f.max_threads_per_block);
    d.max_block = f.max_block;
    d.max_grid = f.max_grid;
    d.shared_memory_per_block = size(f.shared_per_block);
    d.memory = lkt::bytes{f.memory};
    d.l2 = size(f.l2_bytes);
    // Read and written bytes of a copy; memory that is clocked twice a cycle.
    d.memory_bandwidth = 2.0 * f.memory_clock_khz * 1e3 * f.memory_bus_bits / 8;
    d.architecture = architecture_of(f);
    d.threads_per_multiprocessor = count(f.threads_per_multiprocessor);
    d.registers_per_multiprocessor = count(f.registers_per_multiprocessor);
    d.shared_memory_per_multiprocessor = size(f.shared_per_multiprocessor);
    return d;
}

/// A word of the text that makes groups of lanes, which the CPU has for warps of 32; empty: none.
std::string word_of_groups(std::string_view text) {
    auto const tokens = tokenize(text);
    if (!tokens) return {};
    for (auto const& t : *tokens)
        for (std::string_view const stem :
             {"cooperative_groups", "tiled_partition", "coalesced_threads"})
            if (t.kind == token_kind::identifier && t.text.starts_with(stem)) return t.text;
    return {};
}

/// AMD's devices count the threads of a grid in each of its dimensions with 32 bits.
std::string too_many_threads(launch_dimensions const& d) {
    std::pair<char, std::uint64_t> const counts[] = {{'x', std::uint64_t{d.grid.x} * d.block.x},
                                                     {'y', std::uint64_t{d.grid.y} * d.block.y},
                                                     {'z', std::uint64_t{d.grid.z} * d.block.z}};
    for (auto const& [name, n] : counts)
        if (n > std::numeric_limits<std::uint32_t>::max())
            return "the grid has " + std::to_string(n) + " threads in " + name +
                   ", but an AMD GPU allows " +
                   std::to_string(std::numeric_limits<std::uint32_t>::max());
    return {};
}

} // namespace hip_detail

class hip::session {
public:
    explicit session(hip_options o)
        : options_(std::move(o)), pool_(pool_options_of(options_)),
          client_("hip", hip_detail::device_key, device_worker_options(options_)),
          checker_("lkt.hip.checked", checker_options(options_)) {
        client_.on_new_worker = [this](call_context const& context) { return set_up(context); };
    }

    result<device_description> device(call_context const& context) {
        if (auto ready = client_.open(context); !ready) return ready.error();
        return description_;
    }

    result<compile_outcome> compile(compile_request const& request, call_context const& context) {
        if (request.source.language != language::hip)
            return compile_outcome{refused{std::string(to_string(request.source.language)),
                                           "the HIP back end compiles HIP",
                                           {}}};
        if (!known()) // the architecture is the device's
            if (auto ready = client_.open(context); !ready) return ready.error();
        if (request.checked || request.branches || request.constants)
            return compile_for_cpu(request, context);
        auto job = job_of(request);
        if (!job) return job.error();
        if (auto* const why = std::get_if<refused>(&*job))
            return compile_outcome{failure{std::move(*why)}};
        auto compiled = pool_.get(std::get<device_detail::compile_job>(*job), context);
        if (!compiled) return compiled.error();
        if (auto* const why = std::get_if<failure>(&*compiled)) return compile_outcome{*why};
        auto const& code = *std::get<0>(*compiled);
        bool const cooperative = device_detail::waits_for_the_grid(request.source.text);
        compiled_kernel k;
        k.signature = request.signature;
        k.notes = code.notes;
        if (cooperative) k.notes.push_back("launched cooperatively");
        k.handle = std::make_shared<device_detail::program>(
            device_detail::program{fresh_contents(),
                                   device_detail::pack(device_detail::cubin_program{
                                       code.entry, code.image, cooperative})});
        if (kernels_in_code_object(code.image)) k.resources = code.resources;
        auto facts = device_detail::facts_of(code.image);
        k.digest = facts.digest;
        k.writable_bytes = facts.writable_bytes;
        k.initialised_bytes = facts.initialised_bytes;
        k.zeroed = std::move(facts.zeroed);
        return compile_outcome{std::move(k)};
    }

    void prefetch(compile_request const& request) {
        if (!known() || request.checked || request.branches ||
            request.source.language != language::hip)
            return;
        auto job = job_of(request); // what is wrong with it is said by compile
        if (job && std::holds_alternative<device_detail::compile_job>(*job))
            pool_.prefetch(std::get<device_detail::compile_job>(std::move(*job)));
    }

    result<run_outcome>
    run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
        if (std::string why = limit_exceeded(description_, request.dimensions);
            known() && !why.empty())
            return run_outcome{failure{launch_failed{std::move(why)}}};
        if (std::string why = hip_detail::too_many_threads(request.dimensions); !why.empty())
            return run_outcome{failure{launch_failed{std::move(why)}}};
        if (kernel.stands_in) return checker_.run(kernel, request, context);
        return client_.run(kernel, request, context);
    }

    void release() { client_.release(); }

    hip_counters counters() const {
        auto const& device = client_.counters();
        auto const compiled = pool_.counters();
        hip_counters c;
        c.launches = device.launches;
        c.workers_lost = device.workers_lost;
        c.device_time = device.device_time;
        c.compiled = compiled.compiled;
        c.from_cache = compiled.from_cache;
        return c;
    }

private:
    static device_detail::pool_options pool_options_of(hip_options const& o) {
        device_detail::pool_options p{hip_detail::hiprtc_compiler()};
        p.library = o.hiprtc;
        p.include_folders = o.include_folders;
        p.standard = o.standard;
        p.workers = o.compilers;
        p.unconfined_compiler = o.unconfined_compiler;
        p.cache.folder = o.cache_folder;
        p.cache.limit = o.cache_limit.count;
        p.worker = o.worker;
        return p;
    }

    static worker_options device_worker_options(hip_options const& o) {
        auto w = o.worker;
        for (char const* const name : {"LKT_HIP",
                                       "LKT_ROCM",
                                       "ROCM_PATH",
                                       "HIP_PATH",
                                       "HIP_VISIBLE_DEVICES",
                                       "ROCR_VISIBLE_DEVICES",
                                       "HSA_OVERRIDE_GFX_VERSION",
                                       "CUDA_VISIBLE_DEVICES",
                                       "HOME",
                                       "ASAN_OPTIONS"})
            w.keep.push_back(name);
        return w;
    }

    static host_options checker_options(hip_options const& o) {
        host_options h = o.checker;
        h.unconfined_compiler = h.unconfined_compiler || o.unconfined_compiler;
        h.worker = o.worker;
        h.cache_folder = o.cache_folder;
        h.cache_limit = o.cache_limit.count;
        return h;
    }

    [[nodiscard]] bool known() const { return !description_.name.empty(); }

    result<std::variant<device_detail::compile_job, refused>>
    job_of(compile_request const& request) const {
        auto const tokens = tokenize(request.source.text);
        if (!tokens) return tokens.error();
        auto name = instantiation(*tokens, request.signature, request.definitions);
        if (auto* const why = std::get_if<refused>(&name)) return std::move(*why);
        return device_detail::compile_job{request.source,
                                          std::get<std::string>(std::move(name)),
                                          request.definitions,
                                          request.options,
                                          architecture_,
                                          request.time_limit};
    }

    /// With as many lanes of a wave as the device has.
    result<compile_outcome> compile_for_cpu(compile_request const& request,
                                            call_context const& context) {
        auto const lanes = description_.warp_size;
        auto const word = hip_detail::word_of_groups(request.source.text);
        if (lanes != 32 && lanes != 64)
            return checker_.not_searched("a wave of " + description_.name + " has " +
                                         std::to_string(lanes) + " lanes, one of the CPU 32 or 64");
        if (!word.empty() && lanes != 32)
            return checker_.not_searched("it uses " + word + ", and a wave of " +
                                         description_.name + " has " + std::to_string(lanes) +
                                         " lanes; the CPU has groups in warps of 32");
        checker_.set_hip_lanes(lanes);
        return checker_.compile(request, context);
    }

    /// Opens the device in a fresh worker, and loads lkt's own kernels.
    result<void> set_up(call_context const& context) {
        constexpr std::chrono::seconds limit{60};
        packer ask;
        ask.put(device_detail::request_kind::open).put(options_.device);
        auto reply = client_.call(std::move(ask).bytes(), limit, context);
        if (!reply) return reply.error();
        auto const facts = device_detail::unpack_facts(reply->bytes);
        if (!facts)
            return error{condition::transient, "lkt.worker.protocol", "malformed facts", {}};
        architecture_ = hip_detail::architecture_of(*facts);
        device_detail::compile_job tools;
        tools.source = {language::hip, device_detail::tools_text(), "lkt"};
        tools.kernel = "lkt_hold";
        tools.arch = architecture_;
        auto compiled = pool_.get(tools, context);
        if (!compiled) return compiled.error();
        if (auto* const why = std::get_if<failure>(&*compiled))
            return error{condition::unavailable,
                         "lkt.hip.tools",
                         "lkt's own kernels do not compile: " + describe(*why),
                         "check whether HIPRTC supports " + architecture_};
        packer load;
        load.put(device_detail::request_kind::tools).put(std::get<0>(*compiled)->image);
        auto loaded = client_.call(std::move(load).bytes(), limit, context);
        if (!loaded) return loaded.error();
        description_ = hip_detail::described(*facts);
        return {};
    }

    hip_options options_;
    device_detail::compile_pool pool_;
    device_detail::device_client client_;
    device_detail::stand_in checker_;
    device_description description_;
    std::string architecture_;
};

hip::hip(hip_options options) : session_(std::make_unique<session>(std::move(options))) {}
hip::~hip() = default;
hip::hip(hip&&) noexcept = default;
hip& hip::operator=(hip&&) noexcept = default;

result<device_description> hip::device(call_context const& context) {
    return session_->device(context);
}
result<compile_outcome> hip::compile(compile_request const& request, call_context const& context) {
    return session_->compile(request, context);
}
void hip::prefetch(compile_request const& request) { session_->prefetch(request); }
result<run_outcome>
hip::run(compiled_kernel const& kernel, run_request const& request, call_context const& context) {
    return session_->run(kernel, request, context);
}
void hip::release() { session_->release(); }
hip_counters hip::counters() const { return session_->counters(); }

} // namespace lkt
