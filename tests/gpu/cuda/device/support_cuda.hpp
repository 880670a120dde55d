// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda.hpp>

namespace support {

/// One back end for many tests: it starts its workers once.
inline lkt::cuda& shared_cuda() {
    static lkt::cuda backend;
    return backend;
}

} // namespace support
