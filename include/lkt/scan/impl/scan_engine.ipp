// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/scan/scan_engine.hpp>

namespace lkt {

double scanned_instance::discrepancy() const {
    if (!again || !(time.count() > 0) || !(again->count() > 0)) return 1;
    return again->count() / time.count();
}

std::string
refused_operation(std::string_view engine, scan_operation operation, scan_spec const& spec) {
    if (spec.operation() == operation) return {};
    return std::string(engine) + " measures no " + std::string(to_string(spec.operation())) +
           ", but " + std::string(to_string(operation));
}

std::string to_string(scan_settings const& s) {
    return "warm_ups=" + std::to_string(s.warm_ups) +
           " iterations=" + std::to_string(s.iterations) +
           " verify=" + (s.verify ? "True" : "False") +
           " time_limit=" + significant(s.time_limit.count());
}

} // namespace lkt
