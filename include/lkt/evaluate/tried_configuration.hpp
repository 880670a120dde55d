// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/measurement.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <cstdint>
#include <optional>
#include <variant>

namespace lkt {

/// One configuration that was tried: a few launches were timed, or it failed and was skipped.
struct tried_configuration {
    configuration config;
    std::optional<launch_dimensions> dimensions; ///< absent when the geometry has no value
    std::variant<measurement, failure> outcome;
    std::uint64_t binary = 0; ///< `compiled_kernel::digest`; 0: unknown
    /// Of a finalist: measured again, side by side with the others.
    std::optional<measurement> in_finals{};

    /// Null where it worked.
    [[nodiscard]] failure const* failed() const { return std::get_if<failure>(&outcome); }
};

} // namespace lkt
