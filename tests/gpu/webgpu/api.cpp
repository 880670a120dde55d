// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/webgpu/api.hpp>

#include "support_webgpu.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <fstream>
#include <string>
#include <type_traits>

#if __has_include(<wgpu/wgpu.h>)
#define LKT_HAS_WGPU_HEADERS
#include <wgpu/wgpu.h>
#endif

namespace wg = lkt::webgpu_detail;

#ifdef LKT_HAS_WGPU_HEADERS

// Every number, size and place that lkt declares itself, against the library's own headers.
#define SAME_VALUE(ours, theirs)                                                                   \
    static_assert(static_cast<std::uint64_t>(ours) == static_cast<std::uint64_t>(theirs), #theirs)
#define SAME_SIZE(ours, theirs)                                                                    \
    static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) == alignof(theirs) &&            \
                      std::is_standard_layout_v<ours> && std::is_trivially_copyable_v<ours>,       \
                  #theirs)
#define SAME_PLACE(ours, our_member, theirs, their_member)                                         \
    static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member) &&                  \
                      sizeof(ours::our_member) == sizeof(theirs::their_member),                    \
                  #theirs "::" #their_member)

SAME_VALUE(wg::null_length, WGPU_STRLEN);
SAME_VALUE(wg::wg_struct::shader_wgsl, WGPUSType_ShaderSourceWGSL);
SAME_VALUE(wg::wg_struct::instance_extras, WGPUSType_InstanceExtras);
SAME_VALUE(wg::wg_status::success, WGPUStatus_Success);
SAME_VALUE(wg::wg_status::success, WGPURequestDeviceStatus_Success);
SAME_VALUE(wg::wg_status::success, WGPUMapAsyncStatus_Success);
SAME_VALUE(wg::wg_status::success, WGPUPopErrorScopeStatus_Success);
SAME_VALUE(wg::wg_status::error, WGPUStatus_Error);
SAME_VALUE(wg::wg_feature::timestamp_query, WGPUFeatureName_TimestampQuery);
SAME_VALUE(wg::wg_feature::shader_f16, WGPUFeatureName_ShaderF16);
SAME_VALUE(wg::wg_feature::native_subgroups, WGPUNativeFeature_Subgroup);
SAME_VALUE(wg::wg_backend::null, WGPUBackendType_Null);
SAME_VALUE(wg::wg_backend::d3d12, WGPUBackendType_D3D12);
SAME_VALUE(wg::wg_backend::metal, WGPUBackendType_Metal);
SAME_VALUE(wg::wg_backend::vulkan, WGPUBackendType_Vulkan);
SAME_VALUE(wg::wg_backend::gl, WGPUBackendType_OpenGL);
SAME_VALUE(wg::wg_backend::gles, WGPUBackendType_OpenGLES);
SAME_VALUE(wg::wg_adapter_kind::discrete, WGPUAdapterType_DiscreteGPU);
SAME_VALUE(wg::wg_adapter_kind::integrated, WGPUAdapterType_IntegratedGPU);
SAME_VALUE(wg::wg_adapter_kind::software, WGPUAdapterType_CPU);
SAME_VALUE(wg::wg_adapter_kind::unknown, WGPUAdapterType_Unknown);
SAME_VALUE(wg::wg_callback_mode::process_events, WGPUCallbackMode_AllowProcessEvents);
SAME_VALUE(wg::wg_callback_mode::spontaneous, WGPUCallbackMode_AllowSpontaneous);
SAME_VALUE(wg::wg_error::none, WGPUErrorType_NoError);
SAME_VALUE(wg::wg_error::validation, WGPUErrorType_Validation);
SAME_VALUE(wg::wg_error::out_of_memory, WGPUErrorType_OutOfMemory);
SAME_VALUE(wg::wg_error::internal, WGPUErrorType_Internal);
SAME_VALUE(wg::wg_error::unknown, WGPUErrorType_Unknown);
SAME_VALUE(wg::wg_filter::validation, WGPUErrorFilter_Validation);
SAME_VALUE(wg::wg_filter::out_of_memory, WGPUErrorFilter_OutOfMemory);
SAME_VALUE(wg::wg_filter::internal, WGPUErrorFilter_Internal);
SAME_VALUE(wg::wg_lost::unknown, WGPUDeviceLostReason_Unknown);
SAME_VALUE(wg::wg_lost::destroyed, WGPUDeviceLostReason_Destroyed);
SAME_VALUE(wg::wg_lost::cancelled, WGPUDeviceLostReason_CallbackCancelled);
SAME_VALUE(wg::wg_lost::failed_creation, WGPUDeviceLostReason_FailedCreation);
SAME_VALUE(wg::wg_binding_type::unused, WGPUBufferBindingType_BindingNotUsed);
SAME_VALUE(wg::wg_binding_type::uniform, WGPUBufferBindingType_Uniform);
SAME_VALUE(wg::wg_binding_type::storage, WGPUBufferBindingType_Storage);
SAME_VALUE(wg::wg_binding_type::read_only_storage, WGPUBufferBindingType_ReadOnlyStorage);
SAME_VALUE(wg::wg_query::timestamp, WGPUQueryType_Timestamp);
SAME_VALUE(wg::wg_usage::map_read, WGPUBufferUsage_MapRead);
SAME_VALUE(wg::wg_usage::copy_from, WGPUBufferUsage_CopySrc);
SAME_VALUE(wg::wg_usage::copy_to, WGPUBufferUsage_CopyDst);
SAME_VALUE(wg::wg_usage::uniform, WGPUBufferUsage_Uniform);
SAME_VALUE(wg::wg_usage::storage, WGPUBufferUsage_Storage);
SAME_VALUE(wg::wg_usage::query_resolve, WGPUBufferUsage_QueryResolve);
SAME_VALUE(wg::wg_map_read, WGPUMapMode_Read);
SAME_VALUE(wg::wg_stage_compute, WGPUShaderStage_Compute);
SAME_VALUE(wg::wg_instance_vulkan, WGPUInstanceBackend_Vulkan);
SAME_VALUE(wg::wg_instance_metal, WGPUInstanceBackend_Metal);

SAME_SIZE(wg::wg_text, WGPUStringView);
SAME_PLACE(wg::wg_text, length, WGPUStringView, length);
SAME_SIZE(wg::wg_chain, WGPUChainedStruct);
SAME_PLACE(wg::wg_chain, type, WGPUChainedStruct, sType);
SAME_SIZE(wg::wg_future, WGPUFuture);
#define SAME_CALL_BACK(ours, theirs)                                                               \
    SAME_SIZE(ours, theirs);                                                                       \
    SAME_PLACE(ours, mode, theirs, mode);                                                          \
    SAME_PLACE(ours, callback, theirs, callback);                                                  \
    SAME_PLACE(ours, first, theirs, userdata1);                                                    \
    SAME_PLACE(ours, second, theirs, userdata2)
SAME_CALL_BACK(wg::wg_call_back<wg::wg_device_callback>, WGPURequestDeviceCallbackInfo);
SAME_CALL_BACK(wg::wg_call_back<wg::wg_map_callback>, WGPUBufferMapCallbackInfo);
SAME_CALL_BACK(wg::wg_call_back<wg::wg_scope_callback>, WGPUPopErrorScopeCallbackInfo);
SAME_CALL_BACK(wg::wg_call_back<wg::wg_lost_callback>, WGPUDeviceLostCallbackInfo);
SAME_SIZE(wg::wg_error_call_back, WGPUUncapturedErrorCallbackInfo);
SAME_PLACE(wg::wg_error_call_back, callback, WGPUUncapturedErrorCallbackInfo, callback);
SAME_PLACE(wg::wg_error_call_back, second, WGPUUncapturedErrorCallbackInfo, userdata2);

SAME_SIZE(wg::wg_instance_descriptor, WGPUInstanceDescriptor);
SAME_PLACE(wg::wg_instance_descriptor, limits, WGPUInstanceDescriptor, requiredLimits);
SAME_SIZE(wg::wg_instance_extras, WGPUInstanceExtras);
SAME_PLACE(wg::wg_instance_extras, backends, WGPUInstanceExtras, backends);
SAME_PLACE(wg::wg_instance_extras, flags, WGPUInstanceExtras, flags);
SAME_PLACE(wg::wg_instance_extras, gl_fence, WGPUInstanceExtras, glFenceBehaviour);
SAME_PLACE(wg::wg_instance_extras, dxc_path, WGPUInstanceExtras, dxcPath);
SAME_PLACE(wg::wg_instance_extras, loss_budget, WGPUInstanceExtras, budgetForDeviceLoss);
SAME_PLACE(wg::wg_instance_extras, display, WGPUInstanceExtras, displayHandle);
SAME_SIZE(wg::wg_adapter_options, WGPUInstanceEnumerateAdapterOptions);
SAME_PLACE(wg::wg_adapter_options, backends, WGPUInstanceEnumerateAdapterOptions, backends);
SAME_SIZE(wg::wg_adapter_info, WGPUAdapterInfo);
SAME_PLACE(wg::wg_adapter_info, device, WGPUAdapterInfo, device);
SAME_PLACE(wg::wg_adapter_info, description, WGPUAdapterInfo, description);
SAME_PLACE(wg::wg_adapter_info, backend, WGPUAdapterInfo, backendType);
SAME_PLACE(wg::wg_adapter_info, kind, WGPUAdapterInfo, adapterType);
SAME_PLACE(wg::wg_adapter_info, subgroup_most, WGPUAdapterInfo, subgroupMaxSize);
#define SAME_LIMIT(our_member, their_member)                                                       \
    SAME_PLACE(wg::wg_limits, our_member, WGPULimits, their_member)
SAME_SIZE(wg::wg_limits, WGPULimits);
SAME_LIMIT(bind_groups, maxBindGroups);
SAME_LIMIT(bindings_per_group, maxBindingsPerBindGroup);
SAME_LIMIT(storage_buffers, maxStorageBuffersPerShaderStage);
SAME_LIMIT(uniform_buffers, maxUniformBuffersPerShaderStage);
SAME_LIMIT(uniform_binding, maxUniformBufferBindingSize);
SAME_LIMIT(storage_binding, maxStorageBufferBindingSize);
SAME_LIMIT(storage_alignment, minStorageBufferOffsetAlignment);
SAME_LIMIT(buffer_size, maxBufferSize);
SAME_LIMIT(workgroup_storage, maxComputeWorkgroupStorageSize);
SAME_LIMIT(workgroup_invocations, maxComputeInvocationsPerWorkgroup);
SAME_LIMIT(workgroup_x, maxComputeWorkgroupSizeX);
SAME_LIMIT(workgroup_y, maxComputeWorkgroupSizeY);
SAME_LIMIT(workgroup_z, maxComputeWorkgroupSizeZ);
SAME_LIMIT(workgroups_per_dimension, maxComputeWorkgroupsPerDimension);
SAME_LIMIT(immediate_bytes, maxImmediateSize);
SAME_SIZE(wg::wg_device_descriptor, WGPUDeviceDescriptor);
SAME_PLACE(wg::wg_device_descriptor, features, WGPUDeviceDescriptor, requiredFeatures);
SAME_PLACE(wg::wg_device_descriptor, limits, WGPUDeviceDescriptor, requiredLimits);
SAME_PLACE(wg::wg_device_descriptor, queue, WGPUDeviceDescriptor, defaultQueue);
SAME_PLACE(wg::wg_device_descriptor, lost, WGPUDeviceDescriptor, deviceLostCallbackInfo);
SAME_PLACE(wg::wg_device_descriptor, error, WGPUDeviceDescriptor, uncapturedErrorCallbackInfo);

SAME_SIZE(wg::wg_shader_descriptor, WGPUShaderModuleDescriptor);
SAME_SIZE(wg::wg_shader_wgsl, WGPUShaderSourceWGSL);
SAME_PLACE(wg::wg_shader_wgsl, code, WGPUShaderSourceWGSL, code);
SAME_SIZE(wg::wg_constant, WGPUConstantEntry);
SAME_PLACE(wg::wg_constant, key, WGPUConstantEntry, key);
SAME_PLACE(wg::wg_constant, value, WGPUConstantEntry, value);
SAME_SIZE(wg::wg_pipeline_descriptor, WGPUComputePipelineDescriptor);
SAME_PLACE(wg::wg_pipeline_descriptor, layout, WGPUComputePipelineDescriptor, layout);
SAME_PLACE(wg::wg_pipeline_descriptor, compute, WGPUComputePipelineDescriptor, compute);
SAME_PLACE(wg::wg_pipeline_descriptor,
           compute.entry,
           WGPUComputePipelineDescriptor,
           compute.entryPoint);
SAME_PLACE(wg::wg_pipeline_descriptor,
           compute.constants,
           WGPUComputePipelineDescriptor,
           compute.constants);
SAME_SIZE(wg::wg_layout_entry, WGPUBindGroupLayoutEntry);
SAME_PLACE(wg::wg_layout_entry, visibility, WGPUBindGroupLayoutEntry, visibility);
SAME_PLACE(wg::wg_layout_entry, array_size, WGPUBindGroupLayoutEntry, bindingArraySize);
SAME_PLACE(wg::wg_layout_entry, buffer, WGPUBindGroupLayoutEntry, buffer);
SAME_PLACE(wg::wg_layout_entry, buffer.type, WGPUBindGroupLayoutEntry, buffer.type);
SAME_PLACE(wg::wg_layout_entry, buffer.min_size, WGPUBindGroupLayoutEntry, buffer.minBindingSize);
SAME_PLACE(wg::wg_layout_entry, sampler, WGPUBindGroupLayoutEntry, sampler);
SAME_PLACE(wg::wg_layout_entry, texture, WGPUBindGroupLayoutEntry, texture);
SAME_PLACE(wg::wg_layout_entry, storage_texture, WGPUBindGroupLayoutEntry, storageTexture);
SAME_SIZE(wg::wg_group_layout_descriptor, WGPUBindGroupLayoutDescriptor);
SAME_PLACE(wg::wg_group_layout_descriptor, entries, WGPUBindGroupLayoutDescriptor, entries);
SAME_SIZE(wg::wg_pipeline_layout_descriptor, WGPUPipelineLayoutDescriptor);
SAME_PLACE(wg::wg_pipeline_layout_descriptor,
           groups,
           WGPUPipelineLayoutDescriptor,
           bindGroupLayouts);
SAME_PLACE(wg::wg_pipeline_layout_descriptor,
           immediate_bytes,
           WGPUPipelineLayoutDescriptor,
           immediateSize);
SAME_SIZE(wg::wg_group_entry, WGPUBindGroupEntry);
SAME_PLACE(wg::wg_group_entry, binding, WGPUBindGroupEntry, binding);
SAME_PLACE(wg::wg_group_entry, buffer, WGPUBindGroupEntry, buffer);
SAME_PLACE(wg::wg_group_entry, offset, WGPUBindGroupEntry, offset);
SAME_PLACE(wg::wg_group_entry, size, WGPUBindGroupEntry, size);
SAME_SIZE(wg::wg_group_descriptor, WGPUBindGroupDescriptor);
SAME_PLACE(wg::wg_group_descriptor, layout, WGPUBindGroupDescriptor, layout);
SAME_PLACE(wg::wg_group_descriptor, entries, WGPUBindGroupDescriptor, entries);
SAME_SIZE(wg::wg_buffer_descriptor, WGPUBufferDescriptor);
SAME_PLACE(wg::wg_buffer_descriptor, usage, WGPUBufferDescriptor, usage);
SAME_PLACE(wg::wg_buffer_descriptor, size, WGPUBufferDescriptor, size);
SAME_PLACE(wg::wg_buffer_descriptor, mapped, WGPUBufferDescriptor, mappedAtCreation);
SAME_SIZE(wg::wg_query_descriptor, WGPUQuerySetDescriptor);
SAME_PLACE(wg::wg_query_descriptor, type, WGPUQuerySetDescriptor, type);
SAME_PLACE(wg::wg_query_descriptor, count, WGPUQuerySetDescriptor, count);
SAME_SIZE(wg::wg_timestamps, WGPUPassTimestampWrites);
SAME_PLACE(wg::wg_timestamps, queries, WGPUPassTimestampWrites, querySet);
SAME_PLACE(wg::wg_timestamps, begin, WGPUPassTimestampWrites, beginningOfPassWriteIndex);
SAME_PLACE(wg::wg_timestamps, end, WGPUPassTimestampWrites, endOfPassWriteIndex);
SAME_SIZE(wg::wg_pass_descriptor, WGPUComputePassDescriptor);
SAME_PLACE(wg::wg_pass_descriptor, timestamps, WGPUComputePassDescriptor, timestampWrites);
SAME_SIZE(wg::wg_labelled, WGPUCommandEncoderDescriptor);
SAME_SIZE(wg::wg_labelled, WGPUCommandBufferDescriptor);
SAME_SIZE(wg::wg_registry, WGPURegistryReport);
SAME_PLACE(wg::wg_registry, kept, WGPURegistryReport, numKeptFromUser);
SAME_SIZE(wg::wg_report, WGPUGlobalReport);
SAME_PLACE(wg::wg_report, bind_groups, WGPUGlobalReport, hub.bindGroups);
SAME_PLACE(wg::wg_report, command_buffers, WGPUGlobalReport, hub.commandBuffers);
SAME_PLACE(wg::wg_report, pipelines, WGPUGlobalReport, hub.computePipelines);
SAME_PLACE(wg::wg_report, query_sets, WGPUGlobalReport, hub.querySets);
SAME_PLACE(wg::wg_report, buffers, WGPUGlobalReport, hub.buffers);

// The functions are compared by their shape: how many parameters, of which sizes.
template <class A, class B>
struct same_shape : std::false_type {};
template <class R, class... P, class S, class... Q>
    requires(sizeof...(P) == sizeof...(Q))
struct same_shape<R (*)(P...), S (*)(Q...)>
    : std::bool_constant<std::is_void_v<R> == std::is_void_v<S> &&
                         ((sizeof(P) == sizeof(Q)) && ...)> {};
#define SAME_FUNCTION(ours, theirs)                                                                \
    static_assert(same_shape<decltype(wg::api::ours), decltype(&theirs)>::value, #theirs)
SAME_FUNCTION(version, wgpuGetVersion);
SAME_FUNCTION(create_instance, wgpuCreateInstance);
SAME_FUNCTION(enumerate_adapters, wgpuInstanceEnumerateAdapters);
SAME_FUNCTION(generate_report, wgpuGenerateReport);
SAME_FUNCTION(adapter_info, wgpuAdapterGetInfo);
SAME_FUNCTION(adapter_info_free, wgpuAdapterInfoFreeMembers);
SAME_FUNCTION(adapter_limits, wgpuAdapterGetLimits);
SAME_FUNCTION(adapter_has, wgpuAdapterHasFeature);
SAME_FUNCTION(request_device, wgpuAdapterRequestDevice);
SAME_FUNCTION(device_queue, wgpuDeviceGetQueue);
SAME_FUNCTION(poll, wgpuDevicePoll);
SAME_FUNCTION(destroy_device, wgpuDeviceDestroy);
SAME_FUNCTION(push_scope, wgpuDevicePushErrorScope);
SAME_FUNCTION(pop_scope, wgpuDevicePopErrorScope);
SAME_FUNCTION(timestamp_period, wgpuQueueGetTimestampPeriod);
SAME_FUNCTION(submit, wgpuQueueSubmit);
SAME_FUNCTION(write_buffer, wgpuQueueWriteBuffer);
SAME_FUNCTION(create_buffer, wgpuDeviceCreateBuffer);
SAME_FUNCTION(create_shader, wgpuDeviceCreateShaderModule);
SAME_FUNCTION(create_group_layout, wgpuDeviceCreateBindGroupLayout);
SAME_FUNCTION(create_pipeline_layout, wgpuDeviceCreatePipelineLayout);
SAME_FUNCTION(create_pipeline, wgpuDeviceCreateComputePipeline);
SAME_FUNCTION(create_bind_group, wgpuDeviceCreateBindGroup);
SAME_FUNCTION(create_queries, wgpuDeviceCreateQuerySet);
SAME_FUNCTION(create_encoder, wgpuDeviceCreateCommandEncoder);
SAME_FUNCTION(clear_buffer, wgpuCommandEncoderClearBuffer);
SAME_FUNCTION(copy_buffer, wgpuCommandEncoderCopyBufferToBuffer);
SAME_FUNCTION(resolve_queries, wgpuCommandEncoderResolveQuerySet);
SAME_FUNCTION(begin_pass, wgpuCommandEncoderBeginComputePass);
SAME_FUNCTION(finish, wgpuCommandEncoderFinish);
SAME_FUNCTION(set_pipeline, wgpuComputePassEncoderSetPipeline);
SAME_FUNCTION(set_bind_group, wgpuComputePassEncoderSetBindGroup);
SAME_FUNCTION(dispatch, wgpuComputePassEncoderDispatchWorkgroups);
SAME_FUNCTION(end_pass, wgpuComputePassEncoderEnd);
SAME_FUNCTION(map_buffer, wgpuBufferMapAsync);
SAME_FUNCTION(mapped_range, wgpuBufferGetConstMappedRange);
SAME_FUNCTION(unmap, wgpuBufferUnmap);
SAME_FUNCTION(destroy_buffer, wgpuBufferDestroy);

TEST_CASE("what lkt declares of the WebGPU interface is what the library's headers say") {
    CHECK(sizeof(wg::wg_limits) == sizeof(WGPULimits)); // the rest is checked when compiling
}
#else
TEST_CASE("what lkt declares of the WebGPU interface is what the library's headers say") {
    MESSAGE("skipped: the headers of wgpu-native are not in build/deps/wgpu (scripts/test)");
}
#endif

TEST_CASE("a library that is missing, or is not a WebGPU library, is told apart") {
    auto const missing = wg::load_api("/nowhere/libwgpu_native.so");
    REQUIRE_FALSE(missing.has_value());
    CHECK(missing.error().kind == lkt::condition::unavailable);
    CHECK(missing.error().code == "lkt.webgpu.library");
    CHECK(missing.error().hint.find("pip download") != std::string::npos);
    auto const another = wg::load_api("libm.so.6");
    REQUIRE_FALSE(another.has_value());
    CHECK(another.error().code == "lkt.webgpu.version");
    CHECK(another.error().message.find("not a WebGPU library") != std::string::npos);
}

TEST_CASE("a library of another version, or Dawn, is refused by name") {
    auto const old = wg::load_api(LKT_FAKE_WGPU_OLD);
    REQUIRE_FALSE(old.has_value());
    CHECK(old.error().code == "lkt.webgpu.version");
    CHECK(old.error().message.find("v24.0.3.1") != std::string::npos);
    auto const dawn = wg::load_api(LKT_FAKE_WGPU_DAWN);
    REQUIRE_FALSE(dawn.has_value());
    CHECK(dawn.error().code == "lkt.webgpu.version");
    CHECK(dawn.error().message.find("Dawn") != std::string::npos);
}

TEST_CASE("the library's version is read") {
    CHECK(wg::version_text(0x1d000101) == "29.0.1.1");
    if (!webgpu_support::have_library()) return;
    auto const found = wg::load_api();
    REQUIRE(found.has_value());
    CHECK((found->version() >> 24) == wg::wanted_version);
}
