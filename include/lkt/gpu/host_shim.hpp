// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/detail/host/shim_core.hpp>
#include <lkt/gpu/detail/host/shim_half.hpp>
#include <lkt/gpu/detail/host/shim_math.hpp>
#include <lkt/gpu/detail/host/shim_parallel.hpp>

#include <string>

namespace lkt {

/// Which parts of the shim a kernel needs.
struct shim_parts {
    bool barriers = false; ///< __syncthreads and the warp functions; threads are then fibres
    bool half = false;     ///< cuda_fp16.h
    bool bfloat = false;   ///< cuda_bf16.h
};

/// The C++ text that stands before a CUDA kernel when the host back end compiles it. No file is
/// needed for it at run time, and it includes none.
[[nodiscard]] inline std::string host_shim(shim_parts parts) {
    namespace hd = host_detail;
    std::string text;
    for (auto const part : {hd::shim_core, hd::shim_math, hd::shim_std}) text += part;
    if (parts.half) text += hd::shim_half;
    if (parts.bfloat) text += hd::shim_bfloat;
    text += hd::shim_atomics;
    if (parts.barriers) text += hd::shim_barriers;
    return text += hd::shim_runner;
}

} // namespace lkt
