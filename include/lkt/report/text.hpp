// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/certify.hpp>
#include <lkt/tuner/tuning_outcome.hpp>

#include <cstddef>
#include <string>

namespace lkt {

/// What a report shows.
struct text_report_options {
    bool kernel = true;     ///< print the best kernel's text
    std::size_t lines = 12; ///< of a failure's description, such as a compiler's log
    std::size_t slower = 5; ///< correct configurations listed for each attempt
    bool wall_times = true; ///< how long model and tests took; off for comparisons
};

/// The report of a run for people: what was tuned and where, the original against the best, every
/// attempt with its reason, every configuration that failed, and the winning kernel.
[[nodiscard]] std::string text_report(tuning_outcome const& out, text_report_options const& o = {});
/// The verdict, why, and a line for each stage.
[[nodiscard]] std::string text_report(verification const& found, text_report_options const& o = {});

} // namespace lkt
