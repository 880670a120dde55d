// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "../../support_host.hpp"

namespace support {
inline lkt::host& tested_backend() { return shared_host(); }
} // namespace support
