// SPDX-License-Identifier: BSL-1.0
// What the parts of the CUDA back end are told of its options.
#pragma once

#include <lkt/gpu/cuda.hpp>
#include <lkt/gpu/cuda/compile_pool.hpp>
#include <lkt/gpu/cuda/detail/mig.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace lkt::cuda_detail {

inline compile_pool_options pool_options(cuda_options const& o) {
    compile_pool_options p;
    p.library = o.nvrtc;
    p.include_folders = o.include_folders;
    p.standard = o.standard;
    p.workers = o.compilers;
    p.unconfined_compiler = o.unconfined_compiler;
    p.cache.folder = o.cache_folder;
    p.cache.limit = o.cache_limit.count;
    p.worker = o.worker;
    return p;
}

inline worker_options device_worker_options(cuda_options const& o) {
    auto w = o.worker;
    for (char const* const name :
         {"CUDA_VISIBLE_DEVICES", "LKT_CUDA_DRIVER", "HOME", "ASAN_OPTIONS"})
        w.keep.push_back(name);
    // An instance is chosen before the driver starts, or not at all.
    if (names_mig(o.device)) w.environment.push_back("CUDA_VISIBLE_DEVICES=" + o.device);
    // Nothing is loaded in the middle of a measurement.
    w.environment.push_back("CUDA_MODULE_LOADING=EAGER");
    return w;
}

/// As `cuda_options::profile_limit`, in whole seconds.
inline std::chrono::seconds profile_limit(seconds given) {
    return std::chrono::seconds{
        static_cast<int>(std::ceil(std::clamp(given.count(), 1.0, 3600.0)))};
}

inline host_options checker_options(cuda_options const& o) {
    host_options h = o.checker;
    h.unconfined_compiler = h.unconfined_compiler || o.unconfined_compiler;
    h.worker = o.worker;
    h.cache_folder = o.cache_folder;
    h.cache_limit = o.cache_limit.count;
    return h;
}

} // namespace lkt::cuda_detail
