// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/webgpu/api.hpp>

#include <cstdlib>
#include <dlfcn.h>

namespace lkt::webgpu_detail {

namespace api_parts {

constexpr char const* install_library =
    "get libwgpu_native.so from PyPI's wheel (pip download --no-deps wgpu==0.32.0; a wheel is "
    "a zip file), or from a release of wgpu-native v29, and set LKT_WGPU to its path";

template <class Function>
void find(void* library, char const* name, Function& function, char const*& missing) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr && missing == nullptr) missing = name;
}

/// The first function that is not there, or null.
char const* find_all(void* library, api& a) {
    char const* missing = nullptr;
    auto const at = [&](char const* name, auto& function) {
        find(library, name, function, missing);
    };
    at("wgpuGetVersion", a.version);
    at("wgpuCreateInstance", a.create_instance);
    at("wgpuInstanceEnumerateAdapters", a.enumerate_adapters);
    at("wgpuGenerateReport", a.generate_report);
    at("wgpuAdapterGetInfo", a.adapter_info);
    at("wgpuAdapterInfoFreeMembers", a.adapter_info_free);
    at("wgpuAdapterGetLimits", a.adapter_limits);
    at("wgpuAdapterHasFeature", a.adapter_has);
    at("wgpuAdapterRequestDevice", a.request_device);
    at("wgpuDeviceGetQueue", a.device_queue);
    at("wgpuDevicePoll", a.poll);
    at("wgpuDeviceDestroy", a.destroy_device);
    at("wgpuDevicePushErrorScope", a.push_scope);
    at("wgpuDevicePopErrorScope", a.pop_scope);
    at("wgpuQueueGetTimestampPeriod", a.timestamp_period);
    at("wgpuQueueSubmit", a.submit);
    at("wgpuQueueWriteBuffer", a.write_buffer);
    at("wgpuDeviceCreateBuffer", a.create_buffer);
    at("wgpuDeviceCreateShaderModule", a.create_shader);
    at("wgpuDeviceCreateBindGroupLayout", a.create_group_layout);
    at("wgpuDeviceCreatePipelineLayout", a.create_pipeline_layout);
    at("wgpuDeviceCreateComputePipeline", a.create_pipeline);
    at("wgpuDeviceCreateBindGroup", a.create_bind_group);
    at("wgpuDeviceCreateQuerySet", a.create_queries);
    at("wgpuDeviceCreateCommandEncoder", a.create_encoder);
    at("wgpuCommandEncoderClearBuffer", a.clear_buffer);
    at("wgpuCommandEncoderCopyBufferToBuffer", a.copy_buffer);
    at("wgpuCommandEncoderResolveQuerySet", a.resolve_queries);
    at("wgpuCommandEncoderBeginComputePass", a.begin_pass);
    at("wgpuCommandEncoderFinish", a.finish);
    at("wgpuComputePassEncoderSetPipeline", a.set_pipeline);
    at("wgpuComputePassEncoderSetBindGroup", a.set_bind_group);
    at("wgpuComputePassEncoderDispatchWorkgroups", a.dispatch);
    at("wgpuComputePassEncoderEnd", a.end_pass);
    at("wgpuBufferMapAsync", a.map_buffer);
    at("wgpuBufferGetConstMappedRange", a.mapped_range);
    at("wgpuBufferUnmap", a.unmap);
    at("wgpuBufferDestroy", a.destroy_buffer);
    at("wgpuInstanceRelease", a.release_instance);
    at("wgpuAdapterRelease", a.release_adapter);
    at("wgpuDeviceRelease", a.release_device);
    at("wgpuQueueRelease", a.release_queue);
    at("wgpuBufferRelease", a.release_buffer);
    at("wgpuShaderModuleRelease", a.release_shader);
    at("wgpuBindGroupLayoutRelease", a.release_group_layout);
    at("wgpuPipelineLayoutRelease", a.release_pipeline_layout);
    at("wgpuComputePipelineRelease", a.release_pipeline);
    at("wgpuBindGroupRelease", a.release_bind_group);
    at("wgpuQuerySetRelease", a.release_queries);
    at("wgpuCommandEncoderRelease", a.release_encoder);
    at("wgpuComputePassEncoderRelease", a.release_pass);
    at("wgpuCommandBufferRelease", a.release_commands);
    return missing;
}

} // namespace api_parts

std::string wg_text::text() const {
    if (data == nullptr) return {};
    return length == null_length ? std::string(data) : std::string(data, length);
}

std::string version_text(std::uint32_t version) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8)
        text += (text.empty() ? "" : ".") + std::to_string(version >> shift & 0xff);
    return text;
}

result<api> load_api(std::string const& library) {
    std::string path = library;
    if (path.empty())
        if (char const* const given = std::getenv("LKT_WGPU")) path = given;
    if (path.empty()) path = "libwgpu_native.so";
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        char const* const why = ::dlerror();
        return error{condition::unavailable,
                     "lkt.webgpu.library",
                     "there is not a WebGPU library: " + std::string(why ? why : path),
                     api_parts::install_library};
    }
    auto const unfit = [&](std::string why) {
        return error{condition::unavailable,
                     "lkt.webgpu.version",
                     path + " " + std::move(why) + ", and lkt needs wgpu-native v" +
                         std::to_string(wanted_version),
                     api_parts::install_library};
    };
    if (::dlsym(handle, "wgpuGetVersion") == nullptr)
        return unfit(
            ::dlsym(handle, "wgpuCreateInstance") != nullptr
                ? "is another WebGPU library (perhaps Dawn) with different numbers and layouts"
                : "is not a WebGPU library");
    api a;
    char const* const missing = api_parts::find_all(handle, a);
    if (auto const version = a.version(); version >> 24 != wanted_version)
        return unfit("is wgpu-native v" + version_text(version));
    if (missing != nullptr) return unfit("has no " + std::string(missing));
    return a;
}

} // namespace lkt::webgpu_detail
