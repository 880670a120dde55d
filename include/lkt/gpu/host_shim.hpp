// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

namespace lkt {

/// Which parts of the shim a kernel needs.
struct shim_parts {
    bool barriers = false;  ///< __syncthreads and the warp functions; threads are then fibres
    bool half = false;      ///< cuda_fp16.h
    bool bfloat = false;    ///< cuda_bf16.h
    bool float8 = false;    ///< cuda_fp8.h and cuda_fp4.h; with half and bfloat
    bool tensor = false;    ///< mma.h; with barriers, half and bfloat
    bool copies = false;    ///< cuda_pipeline.h
    bool waits = false;     ///< cuda/barrier, cuda/pipeline; with barriers and copies
    bool ptx = false;       ///< inline PTX; with barriers, half, bfloat and copies
    bool async = false;     ///< mbarrier, bulk copies, tensor maps; with ptx
    bool products = false;  ///< wgmma; with async
    bool awbarrier = false; ///< cuda_awbarrier_primitives.h; with async
    bool groups = false;    ///< cooperative_groups.h and its kin; with barriers and copies
    bool races = false;     ///< compiled with -fsanitize=thread
    bool bounds = false;    ///< what -fsanitize=float-cast-overflow calls
    bool branches = false;  ///< what -fsanitize-coverage calls
    bool wgsl = false;      ///< what translations of WGSL are made of
    /// Not 0: what HIP alone has, with so many lanes of a wave.
    unsigned hip_lanes = 0;
};

/// The C++ text in front of a kernel when the host back end compiles it. It needs no file at run
/// time, and includes none.
[[nodiscard]] std::string host_shim(shim_parts parts);

} // namespace lkt
