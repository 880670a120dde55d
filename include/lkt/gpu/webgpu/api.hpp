// SPDX-License-Identifier: BSL-1.0
// The WebGPU C interface as far as lkt uses it, with wgpu-native's extensions: declared here and
// loaded at run time, so that a program is built without an SDK and starts without the library.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/webgpu/detail/api_types.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace lkt::webgpu_detail {

/// The functions. Each is null until `load_api` has succeeded.
struct api {
    std::uint32_t (*version)() = nullptr;
    wg_instance (*create_instance)(wg_instance_descriptor const*) = nullptr;
    std::size_t (*enumerate_adapters)(wg_instance,
                                      wg_adapter_options const*,
                                      wg_adapter*) = nullptr;
    void (*generate_report)(wg_instance, wg_report*) = nullptr;
    wg_status (*adapter_info)(wg_adapter, wg_adapter_info*) = nullptr;
    void (*adapter_info_free)(wg_adapter_info) = nullptr;
    wg_status (*adapter_limits)(wg_adapter, wg_limits*) = nullptr;
    wg_bool (*adapter_has)(wg_adapter, wg_feature) = nullptr;
    wg_future (*request_device)(wg_adapter,
                                wg_device_descriptor const*,
                                wg_call_back<wg_device_callback>) = nullptr;
    wg_queue (*device_queue)(wg_device) = nullptr;
    wg_bool (*poll)(wg_device, wg_bool wait, std::uint64_t const* submission) = nullptr;
    void (*destroy_device)(wg_device) = nullptr;
    void (*push_scope)(wg_device, wg_filter) = nullptr;
    wg_future (*pop_scope)(wg_device, wg_call_back<wg_scope_callback>) = nullptr;
    float (*timestamp_period)(wg_queue) = nullptr; ///< nanoseconds of a tick
    void (*submit)(wg_queue, std::size_t, wg_commands const*) = nullptr;
    void (*write_buffer)(wg_queue, wg_buffer, std::uint64_t, void const*, std::size_t) = nullptr;

    wg_buffer (*create_buffer)(wg_device, wg_buffer_descriptor const*) = nullptr;
    wg_shader (*create_shader)(wg_device, wg_shader_descriptor const*) = nullptr;
    wg_group_layout (*create_group_layout)(wg_device, wg_group_layout_descriptor const*) = nullptr;
    wg_pipeline_layout (*create_pipeline_layout)(wg_device,
                                                 wg_pipeline_layout_descriptor const*) = nullptr;
    wg_pipeline (*create_pipeline)(wg_device, wg_pipeline_descriptor const*) = nullptr;
    wg_bind_group (*create_bind_group)(wg_device, wg_group_descriptor const*) = nullptr;
    wg_query_set (*create_queries)(wg_device, wg_query_descriptor const*) = nullptr;
    wg_encoder (*create_encoder)(wg_device, wg_labelled const*) = nullptr;

    void (*clear_buffer)(wg_encoder, wg_buffer, std::uint64_t, std::uint64_t) = nullptr;
    void (*copy_buffer)(
        wg_encoder, wg_buffer, std::uint64_t, wg_buffer, std::uint64_t, std::uint64_t) = nullptr;
    void (*resolve_queries)(
        wg_encoder, wg_query_set, std::uint32_t, std::uint32_t, wg_buffer, std::uint64_t) = nullptr;
    wg_pass (*begin_pass)(wg_encoder, wg_pass_descriptor const*) = nullptr;
    wg_commands (*finish)(wg_encoder, wg_labelled const*) = nullptr;
    void (*set_pipeline)(wg_pass, wg_pipeline) = nullptr;
    void (*set_bind_group)(
        wg_pass, std::uint32_t, wg_bind_group, std::size_t, std::uint32_t const*) = nullptr;
    void (*dispatch)(wg_pass, std::uint32_t, std::uint32_t, std::uint32_t) = nullptr;
    void (*end_pass)(wg_pass) = nullptr;

    wg_future (*map_buffer)(wg_buffer,
                            std::uint64_t mode,
                            std::size_t,
                            std::size_t,
                            wg_call_back<wg_map_callback>) = nullptr;
    void const* (*mapped_range)(wg_buffer, std::size_t, std::size_t) = nullptr;
    void (*unmap)(wg_buffer) = nullptr;
    void (*destroy_buffer)(wg_buffer) = nullptr;

    void (*release_instance)(wg_instance) = nullptr;
    void (*release_adapter)(wg_adapter) = nullptr;
    void (*release_device)(wg_device) = nullptr;
    void (*release_queue)(wg_queue) = nullptr;
    void (*release_buffer)(wg_buffer) = nullptr;
    void (*release_shader)(wg_shader) = nullptr;
    void (*release_group_layout)(wg_group_layout) = nullptr;
    void (*release_pipeline_layout)(wg_pipeline_layout) = nullptr;
    void (*release_pipeline)(wg_pipeline) = nullptr;
    void (*release_bind_group)(wg_bind_group) = nullptr;
    void (*release_queries)(wg_query_set) = nullptr;
    void (*release_encoder)(wg_encoder) = nullptr;
    void (*release_pass)(wg_pass) = nullptr;
    void (*release_commands)(wg_commands) = nullptr;
};

/// The one version of wgpu-native that these declarations fit: its first number.
inline constexpr std::uint32_t wanted_version = 29;
/// `29.0.1.1`, of what wgpuGetVersion returns.
[[nodiscard]] std::string version_text(std::uint32_t version);

/// The library of this process, loaded once. Call it only in workers: a driver cannot be stopped
/// again. `library`: a file; empty means `LKT_WGPU`, else libwgpu_native.so as the dynamic loader
/// finds it. Errors, all unavailable: `lkt.webgpu.library` (missing, not loadable),
/// `lkt.webgpu.version` (another version, or Dawn).
[[nodiscard]] result<api> load_api(std::string const& library = {});

} // namespace lkt::webgpu_detail
