// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/evaluation_options.hpp>
#include <lkt/evaluate/evaluation_setup.hpp>
#include <lkt/llm/ask.hpp>
#include <lkt/nodes/declare_tests.hpp>
#include <lkt/nodes/planning_prompts.hpp>
#include <lkt/nodes/progress_event.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/write_kernel.hpp>
#include <lkt/store/journal.hpp>
#include <lkt/verify/suite.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

namespace lkt {

struct tuning_outcome;

/// The run's own settings; everything else about a run is in its types.
struct tune_options {
    evaluation_options evaluation{}; ///< how candidates are tried
    evaluation_parts parts{};        ///< what builds, chooses tests, times and decides
    run_budget budget{};             ///< what ends the run early
    /// How structured answers get their form.
    answer_mode answers = answer_mode::automatic;
    /// Size of the model's context in tokens: a request that is estimated to need more than three
    /// quarters of it contains only the latest attempts and steps. 0: unknown; requests are
    /// shortened after a server refused one for its length.
    std::int64_t context_tokens = 0;
    bool confirm = true;   ///< measure the winner against the original once more at the end
    bool describe = false; ///< ask the model what the kernel computes, if there are no notes
    /// How a model is asked for the missing parts of a problem. Tests are left to the generator
    /// unless this says otherwise.
    declaration_options declaration{.tests = false};
    first_kernel_limits first_kernel{}; ///< how a problem's first kernel is asked for
    std::stop_token stop{};             ///< ends the run early; the best kernel so far is returned
    /// Prepared before, instead of the tuner's own: with the outputs of an original that ran once,
    /// or of another kernel (`suite_of_oracle`).
    std::optional<test_suite> tests{};
    /// Where the run is saved after each step, and gone on with where it ended before
    /// (docs/journal.md); null: nowhere.
    lkt::journal* journal = nullptr;
    /// Told what was tried where a run ends without a result: no first kernel was right.
    std::function<void(tuning_outcome const&)> on_no_result{};
    progress_sink on_progress{};                     ///< told what the run is doing
    std::function<void(std::string_view)> on_text{}; ///< the model's text as it arrives
    default_test_prompts test_prompts{};             ///< where a model is asked about the problem
    default_planning_prompts planning_prompts{};     ///< where it plans
    default_prompts prompts{}; ///< the prompts, if the strategy has none of its own
};

} // namespace lkt
