// SPDX-License-Identifier: BSL-1.0
// A strategy at work.
#pragma once

#include "session.hpp"

#include <lkt/core/log.hpp>
#include <lkt/graph/observe.hpp>
#include <lkt/tuner/progress.hpp>
#include <lkt/tuner/tuner.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace lkt_tune {

/// What the command line says of how kernels are judged, and a model is asked.
[[nodiscard]] lkt::tune_options settings(options const& o, std::stop_token stop);

/// Keeps what a run tried in the store, if there is one. `model`: that wrote it; may be null.
[[nodiscard]] std::optional<lkt::error>
keep_kernels(session& s, lkt::tuning_outcome const& outcome, heard_model const* model);

/// Adds what is known of the device's choice, and of what the run cost. `asked`: the model, as it
/// describes itself; may be empty.
void annotate(session const& s, std::string const& asked, lkt::tuning_outcome& outcome);

/// Each step of the strategy, for `--log debug`.
struct log_transitions {
    lkt::logger const& log;
    void on_transition(lkt::node_event const& node, lkt::transition_event const& step) const {
        log(lkt::log_level::debug, lkt::path_of(node), ": ", step.label, " -> ", step.target);
    }
};

/// Runs one strategy, and shows its progress. `model`: that it asks; may be null, and so may the
/// journal.
template <class Tuner>
lkt::result<lkt::tuning_outcome> tune(Tuner&& tuner,
                                      lkt::problem task,
                                      std::optional<lkt::test_suite> tests,
                                      session& s,
                                      lkt::journal* journal,
                                      heard_model const* model) {
    auto run = settings(s.o, s.signals.token());
    run.budget.roof = s.o.until_roof;
    run.budget.time = s.time.left().value_or(lkt::seconds(0));
    run.journal = journal;
    run.tests = std::move(tests);
    run.on_no_result = [&](lkt::tuning_outcome const& tried) {
        (void)keep_kernels(s, tried, model);
    };
    auto const asked = model != nullptr ? model->description() : std::string();
    lkt::logger log(s.o.log);
    log_transitions logged{log};
    auto outcome = [&] {
        // One that nobody sees costs less than the code of each strategy without one.
        std::optional<lkt::progress_display> display;
        if (s.o.quiet) {
            display.emplace([](std::string const&) {}, false);
            run.on_progress = std::ref(s.trace);
        } else {
            display.emplace();
            display->show_money(s.prices, asked);
            run.on_progress = [&](lkt::progress_event const& e) {
                (*display)(e);
                s.trace(e);
            };
        }
        shown_waiting const waits(s.o.quiet ? nullptr : s.its_turn(), *display);
        return tuner.tune(std::move(task), run, *display, s.trace, logged);
    }();
    if (!outcome) return outcome.error();
    annotate(s, asked, *outcome);
    return lkt::tuning_outcome(std::move(*outcome));
}

} // namespace lkt_tune
