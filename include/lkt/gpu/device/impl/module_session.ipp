// SPDX-License-Identifier: BSL-1.0
// A device: opened, described, served.
#pragma once

#include <lkt/gpu/device/detail/module_session.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <utility>

namespace lkt::device_detail {

namespace session_parts {

/// As nvidia-smi -L prints it.
std::string uuid_text(cu_uuid const& u, std::string_view stem) {
    std::string text{stem};
    for (int i = 0; i < 16; ++i) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(u.bytes[i]));
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += two;
    }
    return text;
}

bool is_index(std::string_view text) {
    return !text.empty() && text.size() < 6 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether this process sees no other device than that.
bool is_visible_alone(device_kind const& kind, std::string_view device) {
    char const* const visible = std::getenv(std::string(kind.chosen_by).c_str());
    return visible != nullptr && device == visible;
}

/// Whether it is named as one of the parts.
bool names_part(device_kind const& kind, std::string_view which) {
    return !kind.parts.empty() && which.starts_with(kind.parts);
}

error no_such_device(device_kind const& kind, std::string_view which, std::string list) {
    using parts = std::vector<std::pair<std::string, std::string>>;
    for (auto const& [name, uuid] : kind.list_parts != nullptr ? kind.list_parts() : parts{})
        if (list.find(uuid) == list.npos) list += "\n  " + name + " (" + uuid + ")";
    return {condition::rejected,
            "lkt." + std::string(kind.name) + ".device",
            "unknown " + std::string(kind.title) + " device " + std::string(which) +
                "; known:" + (list.empty() ? " none" : list),
            std::string(kind.how_to_name)};
}

} // namespace session_parts

result<std::unique_ptr<device_session>> device_session::open(device_kind const& kind,
                                                             std::string_view which) {
    using namespace session_parts;
    auto driver = kind.load({});
    std::string const codes = "lkt." + std::string(kind.name) + ".";
    // What is hidden by CUDA_VISIBLE_DEVICES, or not there, are no devices to the driver.
    if (!driver && names_part(kind, which) && driver.error().code == codes + "no-device")
        return no_such_device(kind, which, {});
    if (!driver) return driver.error();
    // In its final place at once: what it allocates points to its driver.
    std::unique_ptr<device_session> made(new device_session);
    device_session& s = *made;
    std::random_device entropy;
    for (auto& key : s.digest_keys_) key = std::uint64_t{entropy()} << 32 | entropy();
    s.kind_ = &kind;
    s.driver_ = *driver;
    auto const& d = s.driver_;
    device_facts& f = s.facts_;
    auto const failed = [&](char const* doing, cu_status status) {
        return error{
            status == cu_status::out_of_memory ? condition::exhausted : condition::unavailable,
            codes + "open",
            std::string(doing) + " failed: " + d.describe(status),
            std::string(kind.how_to_look) + ", and whether other programs fill its memory"};
    };
    if (auto const e = d.device_count(&f.devices); e != cu_status::success)
        return failed("counting the devices", e);
    d.driver_version(&f.driver);

    std::string list;
    f.index = -1;
    for (int k = 0; k < f.devices; ++k) {
        cu_device device = 0;
        cu_uuid uuid{};
        char name[256] = "";
        if (d.device_get(&device, k) != cu_status::success) continue;
        d.device_uuid(&uuid, device);
        d.device_name(name, sizeof name, device);
        bool const part = std::string_view(name).find(" MIG ") != std::string_view::npos;
        std::string const id = uuid_text(uuid, part ? kind.parts : "GPU-");
        list += "\n  " + std::to_string(k) + ": " + name + " (" + id + ")";
        bool const chosen = which.empty()             ? k == 0
                            : names_part(kind, which) ? k == 0 && is_visible_alone(kind, which)
                            : is_index(which)         ? std::to_string(k) == which
                                                      : which.size() >= 8 && id.starts_with(which);
        if (!chosen || f.index >= 0) continue;
        f.index = k;
        f.name = name;
        f.uuid = id;
        s.device_ = device;
    }
    if (f.index < 0) return no_such_device(kind, which, std::move(list));

    auto const get = [&](cu_attribute a) {
        int value = 0;
        d.device_attribute(&value, a, s.device_);
        return value;
    };
    auto const extent = [&](cu_attribute a) { return static_cast<std::uint32_t>(get(a)); };
    if (d.architecture != nullptr) f.architecture = d.architecture(s.device_);
    f.major = get(cu_attribute::capability_major);
    f.minor = get(cu_attribute::capability_minor);
    f.multiprocessors = get(cu_attribute::multiprocessors);
    f.warp_size = get(cu_attribute::warp_size);
    f.max_threads_per_block = get(cu_attribute::max_threads_per_block);
    f.threads_per_multiprocessor = get(cu_attribute::max_threads_per_multiprocessor);
    f.registers_per_multiprocessor = get(cu_attribute::registers_per_multiprocessor);
    f.shared_per_block = get(cu_attribute::shared_memory_per_block_optin);
    f.shared_per_multiprocessor = get(cu_attribute::shared_memory_per_multiprocessor);
    f.l2_bytes = get(cu_attribute::l2_bytes);
    f.clock_khz = get(cu_attribute::clock_khz);
    f.memory_clock_khz = get(cu_attribute::memory_clock_khz);
    f.memory_bus_bits = get(cu_attribute::memory_bus_bits);
    f.cooperative = get(cu_attribute::cooperative_launch) != 0;
    f.clusters = get(cu_attribute::cluster_launch) != 0;
    f.max_block = {extent(cu_attribute::max_block_x),
                   extent(cu_attribute::max_block_y),
                   extent(cu_attribute::max_block_z)};
    f.max_grid = {extent(cu_attribute::max_grid_x),
                  extent(cu_attribute::max_grid_y),
                  extent(cu_attribute::max_grid_z)};
    std::size_t memory = 0;
    d.device_memory(&memory, s.device_);
    f.memory = memory;

    cu_context context = nullptr;
    if (auto const e = d.context_retain(&context, s.device_); e != cu_status::success)
        return failed("making a context on the device", e);
    d.context_use(context);
    constexpr unsigned non_blocking = 1, mapped = 2;
    void* words = nullptr;
    if (auto const e = d.stream_create(&s.stream_, non_blocking); e != cu_status::success)
        return failed("making a stream", e);
    d.event_create(&s.begin_, 0);
    if (auto const e = d.event_create(&s.end_, 0); e != cu_status::success)
        return failed("making an event", e);
    if (auto const e = d.host_allocate(&words, sizeof(mapped_words), mapped);
        e != cu_status::success)
        return failed("mapping memory of the host", e);
    s.mapped_ = new (words) mapped_words;
    d.host_pointer(&s.mapped_on_device_, words, 0);
    return made;
}

result<void> device_session::load_tools(std::string_view image) {
    cu_module module = nullptr;
    if (auto const e = driver_.module_load(&module, std::string(image).c_str());
        e != cu_status::success)
        return error{condition::unavailable,
                     "lkt." + std::string(kind_->name) + ".tools",
                     "lkt's own kernels do not load: " + driver_.describe(e),
                     std::string(kind_->when_too_new)};
    auto const find = [&](char const* name, cu_function& f) {
        return driver_.module_function(&f, module, name) == cu_status::success;
    };
    auto& w = tools_.wrong;
    bool const all = find("lkt_stream", tools_.stream) && find("lkt_fill", tools_.fill) &&
                     find("lkt_read", tools_.read) && find("lkt_nearly", tools_.nearly) &&
                     find("lkt_disturbed", tools_.disturbed) && find("lkt_digest", tools_.digest) &&
                     find("lkt_hold", tools_.hold) && find("lkt_stamp", tools_.stamp) &&
                     find("lkt_scrub", tools_.scrub) &&
                     find("lkt_wrong_bytes", w[static_cast<std::size_t>(comparer::bytes)]) &&
                     find("lkt_wrong_f16", w[static_cast<std::size_t>(comparer::float16)]) &&
                     find("lkt_wrong_bf16", w[static_cast<std::size_t>(comparer::bfloat16)]) &&
                     find("lkt_wrong_f32", w[static_cast<std::size_t>(comparer::float32)]) &&
                     find("lkt_wrong_f64", w[static_cast<std::size_t>(comparer::float64)]);
    if (!all)
        return error{condition::rejected,
                     "lkt." + std::string(kind_->name) + ".tools",
                     "lkt's own kernels are incomplete",
                     {}};
    if (driver_.function_set != nullptr &&
        driver_.function_set(tools_.scrub,
                             cu_function_attribute::max_dynamic_shared,
                             facts_.shared_per_block) != cu_status::success)
        tools_.scrub = nullptr; // shared memory stays as it is
    return {};
}

} // namespace lkt::device_detail
