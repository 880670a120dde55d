// SPDX-License-Identifier: BSL-1.0
// Says that it is wgpu-native v24.
extern "C" unsigned wgpuGetVersion() { return 0x18000301; }
extern "C" void* wgpuCreateInstance(void const*) { return nullptr; }
