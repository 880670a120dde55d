// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/evaluate/trial.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/kernel/parameters.hpp>
#include <lkt/kernel/signature.hpp>

#include <span>
#include <variant>
#include <vector>

namespace lkt {

using build_outcome = std::variant<trial, failure>;

/// A trial to be built.
struct build_request {
    candidate const& kernel;
    signature const& declared;
    configuration const& config;
    bool checked = false; ///< for the back end's checked mode
};

/// Makes trials: geometry, compilation, and compilation ahead.
class trial_builder {
public:
    explicit trial_builder(evaluation_setup const& setup) : setup_(setup) {}

    /// Geometry within the device's limits, or why not.
    [[nodiscard]] std::variant<launch_dimensions, failure>
    dimensions_of(candidate const& k, configuration const& config) const;

    /// Begins to compile what `build` will be asked for.
    void prefetch(candidate const& k, signature const& declared, configuration const& config) const;

    /// One result for each request, in their order; none ends the others. What they refer to but
    /// the configurations must outlive the trials.
    [[nodiscard]] std::vector<result<build_outcome>>
    build_all(std::span<build_request const> requests) const;
    /// The same for one. `checked`: for the back end's checked mode.
    [[nodiscard]] result<build_outcome> build(candidate const& k,
                                              signature const& declared,
                                              configuration const& config,
                                              bool checked = false) const;

private:
    evaluation_setup const& setup_;
};

} // namespace lkt
