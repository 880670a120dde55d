// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

namespace lkt {

/// Which parts of the shim a kernel needs.
struct shim_parts {
    bool barriers = false; ///< __syncthreads and the warp functions; threads are then fibres
    bool half = false;     ///< cuda_fp16.h
    bool bfloat = false;   ///< cuda_bf16.h
    bool races = false;    ///< what -fsanitize=thread calls
    bool wgsl = false;     ///< what translations of WGSL are made of
};

/// The C++ text in front of a kernel when the host back end compiles it. It needs no file at run
/// time, and includes none.
[[nodiscard]] std::string host_shim(shim_parts parts);

} // namespace lkt
