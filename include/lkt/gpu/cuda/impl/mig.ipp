// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/detail/mig.hpp>

#include <cstdlib>
#include <dlfcn.h>
#include <type_traits>

namespace lkt::cuda_detail {

std::vector<mig_instance> mig_instances() {
    using handle = void*;
    char const* const given = std::getenv("LKT_NVML");
    void* const library = ::dlopen(given != nullptr ? given : "libnvidia-ml.so.1", RTLD_NOW);
    if (library == nullptr) return {};
    bool all = true;
    // Every function returns 0 for success.
    auto const find = [&](char const* name, auto& function) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>( // NOLINT
            ::dlsym(library, name));
        all = all && function != nullptr;
    };
    int (*init)() = nullptr;
    int (*count)(unsigned*) = nullptr;
    int (*device)(unsigned, handle*) = nullptr;
    int (*max_instances)(handle, unsigned*) = nullptr;
    int (*instance)(handle, unsigned, handle*) = nullptr;
    int (*uuid)(handle, char*, unsigned) = nullptr;
    int (*name)(handle, char*, unsigned) = nullptr;
    find("nvmlInit_v2", init);
    find("nvmlDeviceGetCount_v2", count);
    find("nvmlDeviceGetHandleByIndex_v2", device);
    find("nvmlDeviceGetMaxMigDeviceCount", max_instances);
    find("nvmlDeviceGetMigDeviceHandleByIndex", instance);
    find("nvmlDeviceGetUUID", uuid);
    find("nvmlDeviceGetName", name);
    unsigned devices = 0;
    if (!all || init() != 0 || count(&devices) != 0) return {};
    std::vector<mig_instance> found;
    for (unsigned d = 0; d < devices; ++d) {
        handle gpu = nullptr;
        unsigned most = 0;
        if (device(d, &gpu) != 0 || max_instances(gpu, &most) != 0) continue;
        for (unsigned k = 0; k < most; ++k) {
            handle one = nullptr; // numbers may be unused
            char id[128] = "", called[128] = "";
            if (instance(gpu, k, &one) != 0 || uuid(one, id, sizeof id) != 0) continue;
            name(one, called, sizeof called);
            found.push_back({called, id});
        }
    }
    return found;
}

} // namespace lkt::cuda_detail
