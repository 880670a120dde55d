// SPDX-License-Identifier: BSL-1.0
#include "stored.hpp"

#include "tuning.hpp"

#include "../common/output.hpp"

#include <lkt/report/kernel_entries.hpp>
#include <lkt/strategies/from_store.hpp>
#include <lkt/tuner/verifier.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace lkt_tune {
namespace {

using namespace lkt_apps;

/// A kernel of the store, judged like one that a model has just written. Nothing: it is not served,
/// and why was said.
std::optional<lkt::tuning_outcome> judge_stored(lkt::kernel_entry const& e,
                                                lkt::problem task,
                                                chosen_tests const& tests,
                                                std::optional<lkt::test_suite> suite,
                                                session& s) {
    auto const refuse = [&](std::string const& why) {
        say("lkt-tune: the kernel " + e.file + " of the store is not used: " + why);
        return std::optional<lkt::tuning_outcome>();
    };
    auto const wrong = [&](lkt::failure const& f) {
        s.kernels->reject(e, describe(f));
        return refuse("verified again, it is wrong: " + describe(f));
    };
    auto kernel = lkt::candidate_of(e, task);
    if (!kernel) return refuse(kernel.error().message);
    bool const first = task.unwritten;
    if (first) {
        lkt::verifier verifier{s.device.gpu, tests};
        lkt::verifier_options how;
        how.evaluation = settings(s.o, s.signals.token()).evaluation;
        how.stop = s.signals.token();
        how.tests = suite;
        if (auto ready = verifier.prepare(task, std::move(how)); !ready)
            return refuse(ready.error().message);
        auto const found = verifier.verify(*kernel);
        if (!found) return refuse(found.error().message);
        if (!found->accepted()) return wrong(*found->why);
        if (auto ok = lkt::take_first_kernel(task, *kernel, found->config); !ok)
            return refuse(ok.error().message);
    }
    lkt::no_model nobody;
    auto outcome = tune(lkt::tuner{s.device.gpu, nobody, lkt::from_store<>{*kernel}, tests},
                        std::move(task),
                        std::move(suite),
                        s,
                        nullptr,
                        nullptr);
    if (!outcome) return refuse(outcome.error().message);
    if (s.stopped()) return std::move(*outcome);
    if (outcome->history.empty()) return refuse("the run ended before it was judged");
    if (auto const* f = std::get_if<lkt::failure>(&outcome->history.back().outcome))
        return wrong(*f);
    if (!first && !outcome->improved()) return refuse("it is not faster than the original here");
    if (first) { // it was written once, and nothing else was tried
        outcome->written = std::move(outcome->history);
        outcome->written.front().reply = e.reply;
        outcome->history.clear();
    }
    outcome->model = {e.model,
                      "stored",
                      "the kernel is from the store " + s.o.store + ": " + e.file +
                          (e.model.empty() ? "" : ", model `" + e.model + "`") + ", " + e.date +
                          "; verified again on this device"};
    return std::move(*outcome);
}

} // namespace

lkt::result<std::optional<lkt::tuning_outcome>>
stored_kernel(session& s,
              lkt::problem const& task,
              lkt_apps::chosen_tests const& tests,
              std::optional<lkt::test_suite> const& suite) {
    using perhaps = std::optional<lkt::tuning_outcome>;
    constexpr std::size_t most = 3; // that are verified again
    if (auto ok = s.kernels->set_problem(task, s.device.gpu, s.o, s.context()); !ok)
        return ok.error();
    bool const wanted =
        !s.o.ignore_stored && !s.o.ask_tests && s.o.ask_script.empty() && s.o.resume_folder.empty();
    if (!wanted) return perhaps();
    auto const found = s.kernels->find();
    if (!found) return found.error();
    for (std::size_t k = 0; k < std::min(found->size(), most); ++k) {
        lkt::kernel_entry const& e = (*found)[k];
        auto outcome = judge_stored(e, task, tests, suite, s);
        if (s.stopped() && !outcome) break;
        if (!outcome) continue;
        s.kernels->served(e);
        return perhaps(std::move(*outcome));
    }
    return perhaps();
}

} // namespace lkt_tune
