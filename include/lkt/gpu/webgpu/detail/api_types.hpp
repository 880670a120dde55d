// SPDX-License-Identifier: BSL-1.0
// The types of the WebGPU C interface as far as lkt uses it, and of wgpu-native's extensions.
// Layouts and numbers: webgpu.h and wgpu.h of wgpu-native v29; tests/gpu/webgpu/api.cpp compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lkt::webgpu_detail {

using wg_instance = struct wg_instance_object*;
using wg_adapter = struct wg_adapter_object*;
using wg_device = struct wg_device_object*;
using wg_queue = struct wg_queue_object*;
using wg_buffer = struct wg_buffer_object*;
using wg_shader = struct wg_shader_object*;
using wg_group_layout = struct wg_group_layout_object*;
using wg_pipeline_layout = struct wg_pipeline_layout_object*;
using wg_pipeline = struct wg_pipeline_object*;
using wg_bind_group = struct wg_bind_group_object*;
using wg_query_set = struct wg_query_set_object*;
using wg_encoder = struct wg_encoder_object*;
using wg_pass = struct wg_pass_object*;
using wg_commands = struct wg_commands_object*;
using wg_bool = std::uint32_t;

/// Text as the interface takes it: not terminated. `null_length` with a null pointer is no text.
inline constexpr std::size_t null_length = static_cast<std::size_t>(-1);
struct wg_text {
    char const* data = nullptr;
    std::size_t length = null_length;

    wg_text() = default;
    wg_text(std::string_view text) : data(text.data()), length(text.size()) {}
    [[nodiscard]] std::string text() const;
};

enum class wg_struct : std::uint32_t {
    shader_wgsl = 2,
    instance_extras = 0x00030001 + 3,
};
/// The link of an extension; what is extended points to it.
struct wg_chain {
    wg_chain const* next = nullptr;
    wg_struct type{};
};

enum class wg_status : std::uint32_t { success = 1, error = 2 };
enum class wg_feature : std::uint32_t {
    timestamp_query = 0x9,
    shader_f16 = 0xb,
    native_subgroups = 0x00030021, ///< in the place of the standard's, which it does not offer
};
enum class wg_backend : std::uint32_t {
    null = 1,
    d3d12 = 4,
    metal = 5,
    vulkan = 6,
    gl = 7,
    gles = 8
};
enum class wg_adapter_kind : std::uint32_t {
    discrete = 1,
    integrated = 2,
    software = 3,
    unknown = 4
};
enum class wg_callback_mode : std::uint32_t { process_events = 2, spontaneous = 3 };
enum class wg_error : std::uint32_t {
    none = 1,
    validation = 2,
    out_of_memory = 3,
    internal = 4,
    unknown = 5,
};
enum class wg_filter : std::uint32_t { validation = 1, out_of_memory = 2, internal = 3 };
enum class wg_lost : std::uint32_t {
    unknown = 1,
    destroyed = 2,
    cancelled = 3,
    failed_creation = 4
};
enum class wg_binding_type : std::uint32_t {
    unused = 0,
    uniform = 2,
    storage = 3,
    read_only_storage = 4,
};
enum class wg_query : std::uint32_t { timestamp = 2 };

/// Sets of bits.
namespace wg_usage {
inline constexpr std::uint64_t map_read = 0x1, copy_from = 0x4, copy_to = 0x8, uniform = 0x40,
                               storage = 0x80, query_resolve = 0x200;
}
inline constexpr std::uint64_t wg_map_read = 1;      ///< how a buffer is mapped
inline constexpr std::uint64_t wg_stage_compute = 4; ///< who sees a binding
inline constexpr std::uint64_t wg_instance_vulkan = 1, wg_instance_metal = 4;

struct wg_future {
    std::uint64_t id = 0;
};
using wg_device_callback =
    void (*)(wg_status, wg_device, wg_text message, void* first, void* second);
using wg_map_callback = void (*)(wg_status, wg_text message, void* first, void* second);
using wg_scope_callback = void (*)(wg_status, wg_error, wg_text message, void* first, void* second);
using wg_lost_callback =
    void (*)(wg_device const*, wg_lost, wg_text message, void* first, void* second);
using wg_error_callback =
    void (*)(wg_device const*, wg_error, wg_text message, void* first, void* second);
template <class Callback>
struct wg_call_back {
    wg_chain const* next = nullptr;
    wg_callback_mode mode = wg_callback_mode::spontaneous;
    Callback callback = nullptr;
    void* first = nullptr;
    void* second = nullptr;
};
struct wg_error_call_back {
    wg_chain const* next = nullptr;
    wg_error_callback callback = nullptr;
    void* first = nullptr;
    void* second = nullptr;
};

struct wg_instance_descriptor {
    wg_chain const* next = nullptr;
    std::size_t feature_count = 0;
    void const* features = nullptr;
    void const* limits = nullptr;
};
/// wgpu-native's own. Which graphics interfaces are looked at; the rest stays zero.
struct wg_instance_extras {
    wg_chain chain{nullptr, wg_struct::instance_extras};
    std::uint64_t backends = 0, flags = 0;
    std::uint32_t dx12_compiler = 0, gles_version = 0, gl_fence = 0;
    wg_text dxc_path;
    std::uint32_t dxc_model = 0, dx12_presentation = 0;
    std::uint8_t const* creation_budget = nullptr;
    std::uint8_t const* loss_budget = nullptr;
    struct {
        std::uint32_t type = 0;
        void* display = nullptr;
        void* screen = nullptr;
    } display;
};
/// wgpu-native's own.
struct wg_adapter_options {
    wg_chain const* next = nullptr;
    std::uint64_t backends = 0;
};
struct wg_adapter_info {
    wg_chain const* next = nullptr;
    wg_text vendor, architecture, device, description;
    wg_backend backend{};
    wg_adapter_kind kind{};
    std::uint32_t vendor_id = 0, device_id = 0;
    std::uint32_t subgroup_least = 0, subgroup_most = 0;
};
struct wg_limits {
    wg_chain const* next = nullptr;
    std::uint32_t texture_1d = 0, texture_2d = 0, texture_3d = 0, texture_layers = 0;
    std::uint32_t bind_groups = 0, bind_groups_and_vertex_buffers = 0, bindings_per_group = 0;
    std::uint32_t dynamic_uniforms = 0, dynamic_storages = 0;
    std::uint32_t sampled_textures = 0, samplers = 0;
    std::uint32_t storage_buffers = 0, storage_textures = 0, uniform_buffers = 0;
    std::uint64_t uniform_binding = 0, storage_binding = 0; ///< bytes
    std::uint32_t uniform_alignment = 0, storage_alignment = 0;
    std::uint32_t vertex_buffers = 0;
    std::uint64_t buffer_size = 0;
    std::uint32_t vertex_attributes = 0, vertex_stride = 0, inter_stage_variables = 0;
    std::uint32_t color_attachments = 0, color_bytes = 0;
    std::uint32_t workgroup_storage = 0, workgroup_invocations = 0;
    std::uint32_t workgroup_x = 0, workgroup_y = 0, workgroup_z = 0;
    std::uint32_t workgroups_per_dimension = 0;
    std::uint32_t immediate_bytes = 0;
};
struct wg_device_descriptor {
    wg_chain const* next = nullptr;
    wg_text label;
    std::size_t feature_count = 0;
    wg_feature const* features = nullptr;
    wg_limits const* limits = nullptr;
    struct {
        wg_chain const* next = nullptr;
        wg_text label;
    } queue;
    wg_call_back<wg_lost_callback> lost;
    wg_error_call_back error;
};

struct wg_shader_descriptor {
    wg_chain const* next = nullptr;
    wg_text label;
};
struct wg_shader_wgsl {
    wg_chain chain{nullptr, wg_struct::shader_wgsl};
    wg_text code;
};
struct wg_constant {
    wg_chain const* next = nullptr;
    wg_text key;
    double value = 0;
};
struct wg_pipeline_descriptor {
    wg_chain const* next = nullptr;
    wg_text label;
    wg_pipeline_layout layout = nullptr;
    struct {
        wg_chain const* next = nullptr;
        wg_shader shader = nullptr;
        wg_text entry;
        std::size_t constant_count = 0;
        wg_constant const* constants = nullptr;
    } compute;
};
struct wg_layout_entry {
    wg_chain const* next = nullptr;
    std::uint32_t binding = 0;
    std::uint64_t visibility = wg_stage_compute;
    std::uint32_t array_size = 0;
    struct {
        wg_chain const* next = nullptr;
        wg_binding_type type = wg_binding_type::unused;
        wg_bool dynamic_offset = 0;
        std::uint64_t min_size = 0;
    } buffer;
    struct {
        wg_chain const* next = nullptr;
        std::uint32_t type = 0;
    } sampler;
    struct {
        wg_chain const* next = nullptr;
        std::uint32_t type = 0, dimension = 0, multisampled = 0;
    } texture;
    struct {
        wg_chain const* next = nullptr;
        std::uint32_t access = 0, format = 0, dimension = 0;
    } storage_texture;
};
struct wg_group_layout_descriptor {
    wg_chain const* next = nullptr;
    wg_text label;
    std::size_t entry_count = 0;
    wg_layout_entry const* entries = nullptr;
};
struct wg_pipeline_layout_descriptor {
    wg_chain const* next = nullptr;
    wg_text label;
    std::size_t group_count = 0;
    wg_group_layout const* groups = nullptr;
    std::uint32_t immediate_bytes = 0;
};
struct wg_group_entry {
    wg_chain const* next = nullptr;
    std::uint32_t binding = 0;
    wg_buffer buffer = nullptr;
    std::uint64_t offset = 0, size = 0;
    void* sampler = nullptr;
    void* texture = nullptr;
};
struct wg_group_descriptor {
    wg_chain const* next = nullptr;
    wg_text label;
    wg_group_layout layout = nullptr;
    std::size_t entry_count = 0;
    wg_group_entry const* entries = nullptr;
};
struct wg_buffer_descriptor {
    wg_chain const* next = nullptr;
    wg_text label;
    std::uint64_t usage = 0, size = 0;
    wg_bool mapped = 0;
};
struct wg_query_descriptor {
    wg_chain const* next = nullptr;
    wg_text label;
    wg_query type = wg_query::timestamp;
    std::uint32_t count = 0;
};
struct wg_timestamps {
    wg_chain const* next = nullptr;
    wg_query_set queries = nullptr;
    std::uint32_t begin = 0, end = 1; ///< which query each is written to
};
struct wg_pass_descriptor {
    wg_chain const* next = nullptr;
    wg_text label;
    wg_timestamps const* timestamps = nullptr;
};
/// Of encoders and command buffers: a label and nothing else.
struct wg_labelled {
    wg_chain const* next = nullptr;
    wg_text label;
};

/// wgpu-native's own: what exists of a kind of object.
struct wg_registry {
    std::size_t allocated = 0, kept = 0, released = 0, element_size = 0;
};
struct wg_report {
    wg_registry surfaces, adapters, devices, queues, pipeline_layouts, shaders, group_layouts,
        bind_groups, command_buffers, render_bundles, render_pipelines, pipelines, caches,
        query_sets, buffers, textures, texture_views, samplers;
};

} // namespace lkt::webgpu_detail
