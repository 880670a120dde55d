// SPDX-License-Identifier: BSL-1.0
// What a run would do, before anything is spent.
#pragma once

#include "../common/backend.hpp"
#include "../common/tests.hpp"
#include "options.hpp"
#include "run_model.hpp"

#include <lkt/core/result.hpp>
#include <lkt/kernel/device.hpp>
#include <lkt/llm/prices.hpp>
#include <lkt/nodes/declaration.hpp>
#include <lkt/nodes/step_list.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lkt_tune {

/// What a run is about to use.
struct planned_run {
    lkt::problem_draft const& draft;
    lkt_apps::chosen_tests const& tests;
    std::optional<std::vector<lkt::optimization_step>> const& steps; ///< none: the library's
    lkt::device_description const& device;
    std::string const& backend_choice; ///< empty: it was named
    named_models const& models;
    lkt::price_table const& prices;
    bool answers = false; ///< the back end answers questions about a kernel
};

/// Device, search space, tests, calls, tokens and costs, limits, and the files that are written.
[[nodiscard]] lkt::result<std::string> plan_text(planned_run const& run, options const& o);

} // namespace lkt_tune
