// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "../../cuda/device/support_cuda.hpp"

namespace support {
inline lkt::cuda& tested_backend() { return shared_cuda(); }
} // namespace support
