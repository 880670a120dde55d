// SPDX-License-Identifier: BSL-1.0
#include "../support_host.hpp"
#include "tested_backend.hpp"

namespace conformance {

tested_backend& tested() {
    static tested_backend t{.name = "host",
                            .language = lkt::language::cuda,
                            .gpu = lkt::gpu_ref{support::shared_host()},
                            .make = [] { return lkt::any_gpu_backend{lkt::host{}}; },
                            .wild = wild_access::crashes};
    return t;
}

} // namespace conformance
