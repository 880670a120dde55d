// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/scan/cublaslt/detail/device_parts.hpp>

#include <dlfcn.h>
#include <string>

namespace lkt::cublaslt_detail {

double clock_reader::now() const {
    unsigned mhz = 0;
    // 1: of the multiprocessors.
    return read != nullptr && read(device, 1, &mhz) == 0 ? static_cast<double>(mhz) : 0;
}

clock_reader find_clock(driver_api const& driver, cu_device device) {
    clock_reader found;
    void* const nvml = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    cuda_detail::cu_uuid uuid{};
    if (nvml == nullptr || driver.device_uuid(&uuid, device) != cu_status::success) return found;
    std::string id = "GPU-";
    for (int i = 0; i < 16; ++i) {
        constexpr char digits[] = "0123456789abcdef";
        if (i == 4 || i == 6 || i == 8 || i == 10) id += '-';
        id += digits[uuid.bytes[i] >> 4];
        id += digits[uuid.bytes[i] & 15];
    }
    auto const start = reinterpret_cast<int (*)()>(::dlsym(nvml, "nvmlInit_v2"));
    auto const by_id =
        reinterpret_cast<int (*)(char const*, void**)>(::dlsym(nvml, "nvmlDeviceGetHandleByUUID"));
    auto const read =
        reinterpret_cast<int (*)(void*, int, unsigned*)>(::dlsym(nvml, "nvmlDeviceGetClockInfo"));
    if (start == nullptr || by_id == nullptr || read == nullptr || start() != 0 ||
        by_id(id.c_str(), &found.device) != 0)
        return found;
    found.read = read;
    return found;
}

} // namespace lkt::cublaslt_detail
