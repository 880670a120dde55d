// SPDX-License-Identifier: BSL-1.0
// A device: chosen, opened, described, its clock measured.
#pragma once

#include <lkt/gpu/webgpu/detail/device_session.hpp>
#include <lkt/gpu/webgpu/detail/tools_source.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <utility>

namespace lkt::webgpu_detail {

namespace session_parts {

constexpr char const* install_driver =
    "install a Vulkan driver: the GPU's, or Mesa's, which also runs on the CPU "
    "(Debian, Ubuntu: mesa-vulkan-drivers and libvulkan1); set VK_DRIVER_FILES to the JSON file of "
    "a driver elsewhere; vulkaninfo --summary lists the drivers that are found";

std::string_view kind_text(wg_adapter_kind kind) {
    switch (kind) {
    case wg_adapter_kind::discrete:
        return "discrete";
    case wg_adapter_kind::integrated:
        return "integrated";
    case wg_adapter_kind::software:
        return "software";
    case wg_adapter_kind::unknown:
        break;
    }
    return "unknown";
}

std::string_view interface_text(wg_backend backend) {
    switch (backend) {
    case wg_backend::vulkan:
        return "Vulkan";
    case wg_backend::metal:
        return "Metal";
    case wg_backend::d3d12:
        return "Direct3D 12";
    case wg_backend::gl:
    case wg_backend::gles:
        return "OpenGL";
    case wg_backend::null:
        break;
    }
    return "an unknown interface";
}

std::string lower(std::string_view text) {
    std::string made;
    for (char const c : text)
        made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return made;
}

bool is_index(std::string_view text) {
    return !text.empty() && text.size() < 6 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Of a function that returns a bool of Rust's: the other bytes are whatever was there.
bool truth(wg_bool value) { return (value & 0xff) != 0; }

} // namespace session_parts

device_session::~device_session() {
    // The thread that builds ahead uses the device.
    builder_.reset();
}

result<std::unique_ptr<device_session>> device_session::open(std::string const& library,
                                                             std::string_view adapter) {
    auto loaded = load_api(library);
    if (!loaded) return loaded.error();
    // In its final place at once: what it owns points to its api.
    std::unique_ptr<device_session> made(new device_session);
    made->api_ = *loaded;
    made->trouble_ = std::make_unique<device_trouble>();
    if (auto done = made->choose(adapter); !done) return done.error();
    if (auto done = made->open_device(); !done) return done.error();
    if (auto done = made->load_tools(); !done) return done.error();
    try {
        made->measure_clock();
        made->wake_up();
    } catch (run_failure const& m) {
        return error{condition::unavailable,
                     "lkt.webgpu.open",
                     "the device does not run lkt's own kernels: " + m.what,
                     session_parts::install_driver};
    }
    made->builder_ =
        std::make_unique<program_builder>(made->api_, made->device_.get(), *made->trouble_);
    return made;
}

result<void> device_session::choose(std::string_view which) {
    using namespace session_parts;
    wg_instance_extras extras;
    extras.backends = wg_instance_vulkan | wg_instance_metal;
    wg_instance_descriptor instance_is;
    instance_is.next = &extras.chain;
    instance_ = owned_instance(api_, api_.create_instance(&instance_is));
    wg_adapter_options options;
    options.backends = extras.backends;
    std::vector<wg_adapter> handles(
        instance_ ? api_.enumerate_adapters(instance_.get(), &options, nullptr) : 0);
    if (!handles.empty())
        handles.resize(api_.enumerate_adapters(instance_.get(), &options, handles.data()));
    std::vector<owned_adapter> adapters;
    for (wg_adapter const a : handles) adapters.emplace_back(api_, a);
    if (adapters.empty())
        return error{condition::unavailable,
                     "lkt.webgpu.no-adapter",
                     "the WebGPU library finds no adapter: no Vulkan driver was found",
                     install_driver};

    facts_.version = api_.version();
    std::string list;
    int best = -1;
    for (std::size_t k = 0; k < adapters.size(); ++k) {
        wg_adapter_info info;
        api_.adapter_info(adapters[k].get(), &info);
        std::string const name = info.device.text(), driver = info.description.text();
        list += "\n  " + std::to_string(k) + ": " + name + " (" +
                std::string(kind_text(info.kind)) + ", " + driver + ")";
        constexpr wg_adapter_kind order[] = {wg_adapter_kind::software,
                                             wg_adapter_kind::unknown,
                                             wg_adapter_kind::integrated,
                                             wg_adapter_kind::discrete};
        auto const rank = static_cast<int>(
            std::find(std::begin(order), std::end(order), info.kind) - std::begin(order));
        bool const fits = which.empty() ? true
                          : is_index(which)
                              ? std::to_string(k) == which
                              : which == kind_text(info.kind) ||
                                    lower(name).find(lower(which)) != std::string::npos;
        if (fits && rank > best) {
            best = rank;
            facts_.name = name;
            facts_.driver = driver.empty() ? info.vendor.text() : driver;
            facts_.interface = interface_text(info.backend);
            facts_.kind = info.kind;
            facts_.subgroup_most = info.subgroup_most;
            std::swap(adapter_, adapters[k]);
        }
        api_.adapter_info_free(info);
    }
    if (best < 0)
        return error{condition::rejected,
                     "lkt.webgpu.adapter",
                     "unknown WebGPU adapter " + std::string(which) + "; known:" + list,
                     "give an index, a part of a name, or discrete, integrated or software"};
    return {};
}

result<void> device_session::open_device() {
    auto const failed = [&](std::string why) {
        return error{condition::unavailable,
                     "lkt.webgpu.open",
                     facts_.name + " cannot be opened: " + std::move(why),
                     session_parts::install_driver};
    };
    auto const has = [&](wg_feature f) {
        return session_parts::truth(api_.adapter_has(adapter_.get(), f));
    };
    if (api_.adapter_limits(adapter_.get(), &limits_) != wg_status::success)
        return failed("it reports no limits");
    std::vector<wg_feature> features;
    facts_.f16 = has(wg_feature::shader_f16);
    facts_.subgroups = has(wg_feature::native_subgroups);
    bool const stamps = has(wg_feature::timestamp_query);
    if (facts_.f16) features.push_back(wg_feature::shader_f16);
    if (facts_.subgroups) features.push_back(wg_feature::native_subgroups);
    if (stamps) features.push_back(wg_feature::timestamp_query);

    wg_device_descriptor device_is;
    device_is.feature_count = features.size();
    device_is.features = features.data();
    limits_.next = nullptr;
    device_is.limits = &limits_;
    device_is.lost.first = trouble_.get();
    device_is.lost.callback = [](wg_device const*, wg_lost, wg_text message, void* to, void*) {
        auto& trouble = *static_cast<device_trouble*>(to);
        std::lock_guard const lock(trouble.gate);
        trouble.lost = true;
        trouble.lost_text = message.text();
    };
    device_is.error.first = trouble_.get();
    device_is.error.callback =
        [](wg_device const*, wg_error kind, wg_text message, void* to, void*) {
            auto& trouble = *static_cast<device_trouble*>(to);
            std::lock_guard const lock(trouble.gate);
            if (trouble.error != wg_error::none) return;
            trouble.error = kind;
            trouble.error_text = message.text();
        };
    struct opened {
        wg_device device = nullptr;
        std::string why = "no answer";
    } got;
    wg_call_back<wg_device_callback> answer;
    answer.first = &got;
    answer.callback = [](wg_status, wg_device device, wg_text message, void* to, void*) {
        *static_cast<opened*>(to) = {device, message.text()};
    };
    api_.request_device(adapter_.get(), &device_is, answer); // calls back before it returns
    if (got.device == nullptr) return failed(got.why);
    device_ = owned_device(api_, got.device);
    queue_ = owned_queue(api_, api_.device_queue(got.device));
    if (stamps) facts_.period = static_cast<double>(api_.timestamp_period(queue_.get())) * 1e-9;
    // For tests: ticks between the timestamps that are believed; 0: none.
    if (char const* const pretended = std::getenv("LKT_WEBGPU_CLOCK_STEP")) {
        clock_step_ = std::strtoull(pretended, nullptr, 10);
        if (clock_step_ == 0) facts_.period = 0;
    }

    facts_.bind_groups = limits_.bind_groups;
    facts_.bindings_per_group = limits_.bindings_per_group;
    facts_.storage_buffers = limits_.storage_buffers;
    facts_.uniform_buffers = limits_.uniform_buffers;
    facts_.storage_binding = limits_.storage_binding / 4 * 4;
    facts_.uniform_binding = limits_.uniform_binding;
    facts_.buffer_size = limits_.buffer_size;
    facts_.workgroup_storage = limits_.workgroup_storage;
    facts_.invocations = limits_.workgroup_invocations;
    facts_.workgroups = limits_.workgroups_per_dimension;
    facts_.workgroup = {limits_.workgroup_x, limits_.workgroup_y, limits_.workgroup_z};
    return {};
}

result<void> device_session::load_tools() {
    auto const error_found = caught(api_, device_.get(), [&] {
        wg_shader_wgsl text;
        text.code = std::string_view(tools_source);
        wg_shader_descriptor shader_is;
        shader_is.next = &text.chain;
        owned_shader const shader(api_, api_.create_shader(device_.get(), &shader_is));
        wg_layout_entry entries[4];
        constexpr wg_binding_type types[] = {wg_binding_type::storage,
                                             wg_binding_type::read_only_storage,
                                             wg_binding_type::storage,
                                             wg_binding_type::uniform};
        for (std::uint32_t k = 0; k < 4; ++k) {
            entries[k].binding = k;
            entries[k].buffer.type = types[k];
        }
        wg_group_layout_descriptor group_is;
        group_is.entry_count = 4;
        group_is.entries = entries;
        tools_.group = owned_group_layout(api_, api_.create_group_layout(device_.get(), &group_is));
        wg_group_layout const group = tools_.group.get();
        wg_pipeline_layout_descriptor layout_is;
        layout_is.group_count = 1;
        layout_is.groups = &group;
        tools_.layout =
            owned_pipeline_layout(api_, api_.create_pipeline_layout(device_.get(), &layout_is));
        auto const made = [&](std::string_view entry) {
            wg_pipeline_descriptor pipeline_is;
            pipeline_is.layout = tools_.layout.get();
            pipeline_is.compute.shader = shader.get();
            pipeline_is.compute.entry = entry;
            return owned_pipeline(api_, api_.create_pipeline(device_.get(), &pipeline_is));
        };
        tools_.stream = made("stream");
        tools_.fill = made("fill");
        tools_.nearly = made("nearly");
        tools_.chain = made("chain");
        tools_.digest = made("digest");
        tools_.wrong_words = made("wrong_words");
        tools_.wrong_f32 = made("wrong_f32");
        tools_.wrong_f16 = made("wrong_f16");
        tools_.wrong_bf16 = made("wrong_bf16");
    });
    if (error_found.kind == wg_error::none) return {};
    return error{condition::unavailable,
                 "lkt.webgpu.open",
                 "lkt's own kernels do not compile on " + facts_.name + ": " + error_found.text,
                 "try another driver, or another version of wgpu-native v29"};
}

/// Timestamps may be coarse, or nothing at all: some drivers round them to tens of microseconds.
/// What is believed is by how much those of different passes differ.
void device_session::measure_clock() {
    constexpr std::uint64_t max_counters = 1024;
    using namespace wg_usage;
    nothing_ = allocate(256, storage | copy_to);
    pattern_ = allocate(noise_period, storage | copy_to);
    std::random_device entropy;
    for (auto& key : digest_keys_) key = entropy();
    counters_ = allocate(max_counters * 4, storage | copy_from | copy_to);
    if (facts_.period <= 0) return;
    wg_query_descriptor queries_are;
    queries_are.count = 2;
    queries_ = owned_queries(api_, api_.create_queries(device_.get(), &queries_are));
    stamps_ = allocate(256, query_resolve | copy_from);
    stamps_read_ = allocate(256, map_read | copy_to);
    check("making a set of queries");

    device_buffer const some = allocate(1 << 20, storage | copy_to);
    std::vector<std::uint64_t> ticks;
    for (std::uint32_t k = 0; k < 24; ++k) {
        tool_parameters how;
        how.words = 1u << (6 + k / 2);
        batch work(*this);
        how.stride_words = 64;
        work.tool(tools_.fill, some.get(), nothing_.get(), how, true);
        work.submit();
        auto const [begin, end] = stamps();
        for (auto const t : {begin, end})
            if (t != 0) ticks.push_back(t);
    }
    // What divides every difference is a step.
    std::uint64_t step = 0;
    for (std::uint64_t const t : ticks)
        step = std::gcd(step, t > ticks.front() ? t - ticks.front() : ticks.front() - t);
    if (step == 0)
        facts_.period = 0; // the clock stands still
    else
        facts_.quantum = static_cast<double>(step) * facts_.period;
}

/// Seconds that a short chain of steps takes, some 20 us on a GPU at its full clock.
double device_session::chain_time() {
    tool_parameters how;
    how.words = 1u << 13;
    batch work(*this);
    work.tool(tools_.chain, ballast_.get(), nothing_.get(), how, true);
    work.submit();
    auto const [begin, end] = stamps();
    return end > begin ? static_cast<double>(end - begin) * facts_.period : 0;
}

/// A millisecond of work, or some.
void device_session::keep_busy() {
    tool_parameters how;
    how.words = 1u << 18;
    batch work(*this);
    work.tool(tools_.chain, ballast_.get(), nothing_.get(), how);
    work.submit();
    wait_idle(in(60), 60);
}

/// WebGPU tells no clock, and a GPU that has little to do lowers it by as much as four times. So it
/// is given work until it does not get any faster; how fast it is then is what it is held to.
void device_session::wake_up() {
    constexpr double longest = 1, shortest = 0.05;
    constexpr int steady_after = 8;
    bool const fine = facts_.period > 0 && facts_.quantum < 1e-6;
    if (facts_.kind == wg_adapter_kind::software || !fine) return;
    auto const since = [](clock::time_point t) { return seconds(clock::now() - t).count(); };
    ballast_ = allocate(256, wg_usage::storage);
    auto const begin = clock::now();
    double best = chain_time();
    for (int steady = 0; steady < steady_after || since(begin) < shortest;) {
        keep_busy();
        double const now = chain_time();
        bool const faster = now > 0 && now < 0.98 * best;
        steady = faster ? 0 : steady + 1;
        if (now > 0) best = std::min(best, now);
        if (since(begin) > longest) break;
    }
    fastest_chain_ = best;
}

/// The clock as a part of the fastest that was seen; 0 where that cannot be told.
double device_session::pace() {
    if (fastest_chain_ <= 0) return 0;
    double const now = chain_time();
    if (now <= 0) return 0;
    fastest_chain_ = std::min(fastest_chain_, now);
    return fastest_chain_ / now;
}

} // namespace lkt::webgpu_detail
