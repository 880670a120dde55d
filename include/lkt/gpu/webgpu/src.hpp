// SPDX-License-Identifier: BSL-1.0
// The definitions of the WebGPU back end; <lkt/src.hpp> gathers all layers.
#pragma once

#include <lkt/gpu/webgpu/impl/api.ipp>
#include <lkt/gpu/webgpu/impl/builder.ipp>
#include <lkt/gpu/webgpu/impl/device_arguments.ipp>
#include <lkt/gpu/webgpu/impl/device_memory.ipp>
#include <lkt/gpu/webgpu/impl/device_open.ipp>
#include <lkt/gpu/webgpu/impl/device_run.ipp>
#include <lkt/gpu/webgpu/impl/device_service.ipp>
#include <lkt/gpu/webgpu/impl/program_of.ipp>
#include <lkt/gpu/webgpu/impl/webgpu.ipp>
