// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/driver.hpp>

#include <cstdlib>
#include <dlfcn.h>

namespace lkt::cuda_detail {

namespace driver_parts {

error unavailable(char const* code, std::string message, std::string hint) {
    return {condition::unavailable, code, std::move(message), std::move(hint)};
}

constexpr char const* install_driver =
    "install the NVIDIA driver (Debian: nvidia-driver, Ubuntu: ubuntu-drivers install; in a "
    "container: run it with "
    "the GPU passed in, --gpus all), and check whether nvidia-smi lists a device";

/// Looks up one symbol of the library; `missing` names the first that is not there.
template <class Function>
void find(void* library, char const* name, Function& function, char const*& missing) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr && missing == nullptr) missing = name;
}

char const* find_all(void* library, driver_api& d) {
    char const* missing = nullptr;
    auto const at = [&](char const* name, auto& function) {
        find(library, name, function, missing);
    };
    at("cuInit", d.init);
    at("cuDriverGetVersion", d.driver_version);
    at("cuGetErrorName", d.error_name);
    at("cuGetErrorString", d.error_text);
    at("cuDeviceGetCount", d.device_count);
    at("cuDeviceGet", d.device_get);
    at("cuDeviceGetName", d.device_name);
    at("cuDeviceGetUuid_v2", d.device_uuid);
    at("cuDeviceTotalMem_v2", d.device_memory);
    at("cuDeviceGetAttribute", d.device_attribute);
    at("cuDevicePrimaryCtxRetain", d.context_retain);
    at("cuCtxSetCurrent", d.context_use);
    at("cuCtxSynchronize", d.context_wait);
    at("cuMemAlloc_v2", d.allocate);
    at("cuMemFree_v2", d.release);
    at("cuMemHostAlloc", d.host_allocate);
    at("cuMemHostGetDevicePointer_v2", d.host_pointer);
    at("cuMemcpyHtoD_v2", d.copy_to_device);
    at("cuMemcpyDtoH_v2", d.copy_from_device);
    at("cuMemcpyDtoDAsync_v2", d.copy_on_device);
    at("cuMemsetD8Async", d.fill_bytes);
    at("cuStreamCreate", d.stream_create);
    at("cuStreamQuery", d.stream_query);
    at("cuEventCreate", d.event_create);
    at("cuEventRecord", d.event_record);
    at("cuEventElapsedTime", d.event_elapsed);
    at("cuModuleLoadData", d.module_load);
    at("cuModuleUnload", d.module_unload);
    at("cuModuleGetFunction", d.module_function);
    at("cuModuleGetGlobal_v2", d.module_global);
    at("cuFuncGetAttribute", d.function_attribute);
    at("cuFuncSetAttribute", d.function_set);
    at("cuOccupancyMaxActiveBlocksPerMultiprocessor", d.occupancy);
    at("cuLaunchKernel", d.launch);
    at("cuLaunchCooperativeKernel", d.launch_cooperative);
    char const* newer = nullptr;
    find(library, "cuFuncGetParamInfo", d.parameter, newer);
    find(library, "cuTensorMapEncodeTiled", d.encode_tiled, newer);
    find(library, "cuDevicePrimaryCtxRelease_v2", d.context_release, newer);
    return missing;
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

} // namespace driver_parts

result<driver_api> load_driver(std::string const& library) {
    using namespace driver_parts;
    std::string path = library;
    if (path.empty())
        if (char const* const given = std::getenv("LKT_CUDA_DRIVER")) path = given;
    if (path.empty()) path = "libcuda.so.1";
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) {
        char const* const why = ::dlerror();
        return unavailable("lkt.cuda.driver",
                           "there is no CUDA driver: " + std::string(why ? why : path),
                           install_driver);
    }
    driver_api d;
    if (char const* const missing = find_all(handle, d))
        return unavailable("lkt.cuda.driver-old",
                           "the CUDA driver " + path + " has no " + missing,
                           "install a driver for CUDA " + version_text(oldest_driver) +
                               " or newer");
    if (cu_status const s = d.init(0); s != cu_status::success) {
        if (s == cu_status::stub_library)
            return unavailable(
                "lkt.cuda.stub",
                "the library loaded as the CUDA driver (" + path +
                    ") is the toolkit's stub for linking",
                "remove the stubs folder from LD_LIBRARY_PATH; if no driver is found then, " +
                    std::string(install_driver));
        if (s == cu_status::no_device)
            return unavailable("lkt.cuda.no-device",
                               "the CUDA driver finds no device",
                               "check whether nvidia-smi lists a device, and whether "
                               "CUDA_VISIBLE_DEVICES hides it");
        return unavailable(
            "lkt.cuda.driver",
            "the CUDA driver does not start: " + d.describe(s),
            s == cu_status::system_driver_mismatch
                ? "the kernel module and the library have different versions: restart the machine"
                : install_driver);
    }
    int version = 0;
    if (d.driver_version(&version) != cu_status::success || version < oldest_driver)
        return unavailable("lkt.cuda.driver-old",
                           "the driver is for CUDA " + version_text(version) + ", but lkt needs " +
                               version_text(oldest_driver),
                           "install a newer NVIDIA driver (525 or later)");
    return d;
}

} // namespace lkt::cuda_detail
