// SPDX-License-Identifier: BSL-1.0
// What a kernel takes by the processor's clock, without timestamps and without the back end: many
// dispatches in one submission, from sending it until the device is done. It shares nothing with
// the back end but the table of the library's functions, and runs in a worker of its own.
#pragma once

#include "kernels.hpp"

#include <lkt/gpu/webgpu/detail/objects.hpp>
#include <lkt/process/service.hpp>
#include <lkt/process/wire.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace measure {

/// What comes back of one kernel: seconds a dispatch, by the difference between a submission of
/// twice as many and one of so many, which is rid of what a submission costs besides.
struct reference_answer {
    std::vector<double> once; ///< of each pair of submissions
    std::uint64_t dispatches = 0;
    /// Seconds of the fastest submission of a single dispatch, with what a submission costs
    /// besides.
    double fastest = 0;
};

class reference {
public:
    reference(std::string const& library, std::string const& adapter) {
        auto loaded = lkt::webgpu_detail::load_api(library);
        if (!loaded) throw std::runtime_error(to_string(loaded.error()));
        a_ = *loaded;
        load_rest(library);
        choose(adapter);
        open();
    }

    reference_answer measure(trial_kernel const& k, int pairs, double total) {
        using namespace lkt::webgpu_detail;
        auto const pipeline = pipeline_of(k);
        owned_buffer const x = buffer(k.read_bytes, wg_usage::storage | wg_usage::copy_to);
        owned_buffer const y = buffer(k.written_bytes(), wg_usage::storage);
        owned_buffer const rounds = buffer(rounds_bytes, wg_usage::storage | wg_usage::copy_to);
        send(x.get(), contents_of(k.read_bytes));
        a_.write_buffer(queue_.get(), rounds.get(), 0, &k.rounds, sizeof k.rounds);
        owned_group_layout const layout(a_, group_layout_(pipeline.get(), 0));
        wg_group_entry entries[3];
        wg_buffer const buffers[] = {x.get(), y.get(), rounds.get()};
        std::uint64_t const sizes[] = {k.read_bytes, k.written_bytes(), rounds_bytes};
        for (std::uint32_t i = 0; i < 3; ++i) {
            entries[i].binding = i;
            entries[i].buffer = buffers[i];
            entries[i].size = sizes[i];
        }
        wg_group_descriptor group_is;
        group_is.layout = layout.get();
        group_is.entry_count = 3;
        group_is.entries = entries;
        owned_bind_group const group(a_, a_.create_bind_group(device_.get(), &group_is));

        auto const take = [&](std::uint64_t n) {
            return dispatch(pipeline.get(), group.get(), k.groups, n);
        };
        // The pipeline's first launch, then as many as a device needs to be at its clock.
        (void)take(1);
        double const about = std::max(take(4) / 4, 1e-7);
        reference_answer answer;
        answer.dispatches = static_cast<std::uint64_t>(std::max(1.0, std::ceil(total / about)));
        for (int pair = 0; pair < pairs; ++pair) {
            double const some = take(answer.dispatches), twice = take(2 * answer.dispatches);
            auto const n = static_cast<double>(answer.dispatches);
            answer.once.push_back((twice - some) / n);
        }
        constexpr int singles = 100;
        for (int single = 0; single < singles; ++single) {
            double const now = take(1);
            answer.fastest = single == 0 ? now : std::min(answer.fastest, now);
        }
        return answer;
    }

private:
    using clock = std::chrono::steady_clock;

    /// What the back end does without.
    void load_rest(std::string library) {
        if (char const* const given = std::getenv("LKT_WGPU"); library.empty() && given != nullptr)
            library = given;
        if (library.empty()) library = "libwgpu_native.so";
        void* const handle = ::dlopen(library.c_str(), RTLD_NOW);
        if (handle != nullptr)
            group_layout_ = reinterpret_cast<decltype(group_layout_)>(
                ::dlsym(handle, "wgpuComputePipelineGetBindGroupLayout"));
        if (group_layout_ == nullptr)
            throw std::runtime_error("there is no wgpuComputePipelineGetBindGroupLayout");
    }
    void choose(std::string const& name) {
        using namespace lkt::webgpu_detail;
        wg_instance_extras extras;
        extras.backends = wg_instance_vulkan | wg_instance_metal;
        wg_instance_descriptor instance_is;
        instance_is.next = &extras.chain;
        instance_ = owned_instance(a_, a_.create_instance(&instance_is));
        wg_adapter_options options;
        options.backends = extras.backends;
        std::vector<wg_adapter> handles(a_.enumerate_adapters(instance_.get(), &options, nullptr));
        handles.resize(a_.enumerate_adapters(instance_.get(), &options, handles.data()));
        for (wg_adapter const each : handles) {
            owned_adapter adapter(a_, each);
            wg_adapter_info info;
            a_.adapter_info(each, &info);
            if (!adapter_ && info.device.text() == name) adapter_ = std::move(adapter);
            a_.adapter_info_free(info);
        }
        if (!adapter_) throw std::runtime_error("the reference finds no adapter " + name);
    }
    void open() {
        using namespace lkt::webgpu_detail;
        wg_limits limits;
        a_.adapter_limits(adapter_.get(), &limits);
        limits.next = nullptr;
        wg_device_descriptor device_is;
        device_is.limits = &limits;
        device_is.lost.first = device_is.error.first = &trouble_;
        device_is.lost.callback = [](wg_device const*, wg_lost, wg_text message, void* to, void*) {
            *static_cast<std::string*>(to) = "the device was lost: " + message.text();
        };
        device_is.error.callback =
            [](wg_device const*, wg_error, wg_text message, void* to, void*) {
                *static_cast<std::string*>(to) = message.text();
            };
        wg_device got = nullptr;
        wg_call_back<wg_device_callback> answer;
        answer.first = &got;
        answer.callback = [](wg_status, wg_device device, wg_text, void* to, void*) {
            *static_cast<wg_device*>(to) = device;
        };
        a_.request_device(adapter_.get(), &device_is, answer);
        if (got == nullptr) throw std::runtime_error("the reference gets no device");
        device_ = owned_device(a_, got);
        queue_ = owned_queue(a_, a_.device_queue(got));
    }
    void check() const {
        if (!trouble_.empty()) throw std::runtime_error("the reference: " + trouble_);
    }
    [[nodiscard]] lkt::webgpu_detail::owned_pipeline pipeline_of(trial_kernel const& k) const {
        using namespace lkt::webgpu_detail;
        std::string const code = k.text();
        wg_shader_wgsl text;
        text.code = std::string_view(code);
        wg_shader_descriptor shader_is;
        shader_is.next = &text.chain;
        owned_shader const shader(a_, a_.create_shader(device_.get(), &shader_is));
        wg_pipeline_descriptor pipeline_is; // without a layout: the text's own
        pipeline_is.compute.shader = shader.get();
        pipeline_is.compute.entry = std::string_view(k.name());
        owned_pipeline made(a_, a_.create_pipeline(device_.get(), &pipeline_is));
        check();
        return made;
    }
    [[nodiscard]] lkt::webgpu_detail::owned_buffer buffer(std::uint64_t size,
                                                          std::uint64_t usage) const {
        lkt::webgpu_detail::wg_buffer_descriptor buffer_is;
        buffer_is.size = size;
        buffer_is.usage = usage;
        auto const made = a_.create_buffer(device_.get(), &buffer_is);
        check();
        return {a_, made};
    }
    void send(lkt::webgpu_detail::wg_buffer to, std::vector<std::byte> const& bytes) const {
        constexpr std::size_t chunk = std::size_t{32} << 20;
        for (std::size_t at = 0; at < bytes.size(); at += chunk) {
            std::size_t const n = std::min(chunk, bytes.size() - at);
            a_.write_buffer(queue_.get(), to, at, bytes.data() + at, n);
            a_.submit(queue_.get(), 0, nullptr);
            (void)a_.poll(device_.get(), 1, nullptr);
        }
        check();
    }
    /// Seconds from sending the work until it is done. Dispatches that write what others write
    /// follow one another.
    double dispatch(lkt::webgpu_detail::wg_pipeline pipeline,
                    lkt::webgpu_detail::wg_bind_group group,
                    std::uint32_t groups,
                    std::uint64_t n) const {
        using namespace lkt::webgpu_detail;
        wg_labelled const plain;
        owned_encoder const encoder(a_, a_.create_encoder(device_.get(), &plain));
        {
            wg_pass_descriptor const pass_is;
            owned_pass const pass(a_, a_.begin_pass(encoder.get(), &pass_is));
            a_.set_pipeline(pass.get(), pipeline);
            a_.set_bind_group(pass.get(), 0, group, 0, nullptr);
            for (std::uint64_t k = 0; k < n; ++k) a_.dispatch(pass.get(), groups, 1, 1);
            a_.end_pass(pass.get());
        }
        owned_commands const commands(a_, a_.finish(encoder.get(), &plain));
        wg_commands const handle = commands.get();
        check();
        auto const begin = clock::now();
        a_.submit(queue_.get(), 1, &handle);
        // Waiting inside the library gives up after some time of its own.
        while ((a_.poll(device_.get(), 1, nullptr) & 0xff) == 0) check();
        std::chrono::duration<double> const took = clock::now() - begin;
        check();
        return took.count();
    }

    lkt::webgpu_detail::api a_;
    lkt::webgpu_detail::wg_group_layout (*group_layout_)(lkt::webgpu_detail::wg_pipeline,
                                                         std::uint32_t) = nullptr;
    std::string trouble_;
    lkt::webgpu_detail::owned_instance instance_;
    lkt::webgpu_detail::owned_adapter adapter_;
    lkt::webgpu_detail::owned_device device_;
    lkt::webgpu_detail::owned_queue queue_;
};

// --- The worker's service -----------------------------------------------------------------------

inline constexpr lkt::service_key reference_key{"lkt.bench.webgpu-reference",
                                                lkt::layout_hash("1")};

inline lkt::result<lkt::worker_message> serve_reference(lkt::worker_message request) {
    lkt::unpacker in(request.bytes);
    std::string const library(in.text()), adapter(in.text());
    trial_kernel k;
    k.reads = in.get<bool>();
    k.groups = in.get<std::uint32_t>();
    k.read_bytes = in.get<std::uint64_t>();
    k.rounds = in.get<std::uint32_t>();
    auto const pairs = in.get<int>();
    auto const total = in.get<double>();
    auto const answer = reference(library, adapter).measure(k, pairs, total);
    lkt::packer out;
    out.put(answer.dispatches).put(answer.fastest).put(answer.once);
    return lkt::worker_message{std::move(out).bytes(), {}};
}
inline lkt::service_entry const reference_entry{reference_key, &serve_reference};

} // namespace measure
