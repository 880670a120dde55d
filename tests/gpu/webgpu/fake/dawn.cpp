// SPDX-License-Identifier: BSL-1.0
// A WebGPU library that is not wgpu-native.
extern "C" void* wgpuCreateInstance(void const*) { return nullptr; }
