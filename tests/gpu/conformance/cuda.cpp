// SPDX-License-Identifier: BSL-1.0
#include "../cuda/device/support_cuda.hpp"
#include "tested_backend.hpp"

namespace conformance {

tested_backend& tested() {
    static tested_backend t{.name = "cuda",
                            .language = lkt::language::cuda,
                            .gpu = lkt::gpu_ref{support::shared_cuda()},
                            .make = [] { return lkt::any_gpu_backend{lkt::cuda{}}; },
                            .wild = wild_access::crashes,
                            .ends_early = true,
                            .compares = true};
    return t;
}

} // namespace conformance
