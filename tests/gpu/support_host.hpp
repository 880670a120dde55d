// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/host.hpp>

namespace support {

/// One back end for many tests: it starts its workers once.
inline lkt::host& shared_host() {
    static lkt::host backend;
    return backend;
}

} // namespace support
