// SPDX-License-Identifier: BSL-1.0
// What a run would do, and the problem as it is understood, before anything is spent.
#pragma once

#include "../common/backend.hpp"
#include "../common/tests.hpp"
#include "options.hpp"

#include <lkt/core/result.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/llm/prices.hpp>
#include <lkt/nodes/declaration.hpp>
#include <lkt/nodes/step_list.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lkt_tune {

/// The problem: kernel, arguments, sizes, launch, parameters, tests; and what would make its
/// verification stronger.
[[nodiscard]] std::string description_text(lkt::problem_draft const& draft,
                                           lkt_apps::chosen_tests const& tests,
                                           options const& o);

/// What a run is about to use.
struct planned_run {
    lkt::problem_draft const& draft;
    lkt_apps::chosen_tests const& tests;
    std::optional<std::vector<lkt::optimization_step>> const& steps; ///< none: the library's
    lkt::device_description const& device;
    std::string const& backend_choice;      ///< empty: it was named
    std::vector<std::string> model_sources; ///< as they describe themselves; none: no model
    std::vector<std::string> missing;       ///< why the models cannot be asked
    lkt::price_table const& prices;
    bool answers = false; ///< the back end answers questions about a kernel
};

/// Device, search space, tests, calls, tokens and costs, limits, and the files that are written.
[[nodiscard]] lkt::result<std::string> plan_text(planned_run const& run, options const& o);

} // namespace lkt_tune
