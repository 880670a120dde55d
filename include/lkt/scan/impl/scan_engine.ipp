// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/scan/scan_engine.hpp>

namespace lkt {

double scanned_instance::discrepancy() const {
    if (!again || !(time.count() > 0) || !(again->count() > 0)) return 1;
    return again->count() / time.count();
}

} // namespace lkt
