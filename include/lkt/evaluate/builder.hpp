// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/evaluate/trial.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <variant>

namespace lkt {

using build_outcome = std::variant<trial, failure>;

/// Makes trials: geometry, compilation, and compilation ahead.
class trial_builder {
public:
    explicit trial_builder(evaluation_setup const& setup) : setup_(setup) {}

    /// Geometry within the device's limits, or why not.
    [[nodiscard]] std::variant<launch_dimensions, failure>
    dimensions_of(candidate const& k, configuration const& config) const;

    /// Begins to compile what `build` will be asked for.
    void prefetch(candidate const& k, signature const& declared, configuration const& config) const;

    /// `k` and `declared` must outlive the trial. `checked`: for the back end's checked mode.
    [[nodiscard]] result<build_outcome> build(candidate const& k,
                                              signature const& declared,
                                              configuration const& config,
                                              bool checked = false) const;

private:
    evaluation_setup const& setup_;
};

} // namespace lkt
