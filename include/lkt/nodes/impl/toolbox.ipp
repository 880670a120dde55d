// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/roofline.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/words.hpp>
#include <lkt/verify/problem_tests.hpp>
#include <lkt/verify/test_check.hpp>

#include <lkt/core/units.hpp>
#include <lkt/llm/estimate_tokens.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace lkt::detail {

std::optional<error> tools_ref::must_end(model_usage const& usage) const {
    if (stopped_ && stopped_(tools_)) return cancelled("the run");
    auto const used_up = [](std::string what, char const* option) {
        return error{condition::exhausted,
                     "lkt.tuner.budget",
                     "the run's budget of " + what + " is used up",
                     std::string("raise budget.") + option + " to go on"};
    };
    if (!limits_) return std::nullopt;
    auto const [b, started] = limits_(tools_);
    if (b.time.count() > 0) {
        seconds const spent = std::chrono::steady_clock::now() - started;
        if (spent >= b.time) return used_up(to_string(b.time), "time");
    }
    if (b.model_calls > 0 && usage.calls >= b.model_calls)
        return used_up(std::to_string(b.model_calls) + " model calls", "model_calls");
    if (b.tokens > 0 && usage.tokens.input + usage.tokens.output >= b.tokens)
        return used_up(std::to_string(b.tokens) + " tokens", "tokens");
    return std::nullopt;
}

std::optional<error> tools_ref::must_end_search(state_ref const& s) const {
    if (auto end = must_end(s.usage)) return end;
    double const wanted = limits_ ? limits_(tools_).budget.roof : 0;
    if (wanted <= 0 || s.best.time.empty()) return std::nullopt;
    roofline const roof = roofline_of(s.task, s.device);
    seconds const taken = s.best.time.median();
    double const share = roof.share(taken);
    // Nearer than the least gain that counts, no kernel can be better.
    double const enough = wanted > 1 ? wanted : std::min(wanted, 1 - options.min_gain);
    // Far above it, the roof is wrong.
    if (!roof.measured() || share < enough || share > credible_share) return std::nullopt;
    return error{condition::exhausted,
                 "lkt.tuner.roof",
                 "the best kernel reaches " + share_words(roof, taken),
                 "raise budget.roof, or set it to 0, to go on"};
}

std::optional<error> tools_ref::leaves_out() const {
    auto end = must_end();
    if (end && trials != nullptr) trials->cut_short();
    return end;
}

bool tools_ref::are_too_long(conversation const& turns) const {
    return context_tokens > 0 && estimate_tokens(turns) > context_tokens - context_tokens / 4;
}

result<void> tools_ref::before_launches(state_ref const& s) const {
    return before_launches_ ? before_launches_(tools_, s) : result<void>();
}

void tools_ref::report_progress(state_ref const& s,
                                activity what,
                                std::size_t done,
                                std::size_t total,
                                std::string_view last,
                                std::size_t reused) const {
    if (!progress_) return;
    progress_event e;
    e.what = what;
    e.done = done;
    e.total = total;
    e.reused = reused;
    // The record of a proposal is opened when the model has answered.
    e.attempt = s.history.size() + (what == activity::asking_model ? 1 : 0);
    e.step = s.step;
    if (!s.best.time.empty()) e.best = s.best.time.median();
    if (!s.baseline.time.empty()) e.baseline = s.baseline.time.median();
    e.model_calls = s.usage.calls;
    e.model_requests = s.usage.requests;
    e.tokens = s.usage.tokens;
    e.models = s.usage.models;
    e.last = last;
    progress_(tools_, e);
}

evaluation_setup setup_of(state_ref const& s, tools_ref const& tools, gpu_ref gpu) {
    return {.gpu = gpu,
            .task = s.task,
            .device = s.device,
            .suite = s.tests,
            .options = tools.options,
            .context = tools.context,
            .checks = tools.checks,
            .checked_mode = s.checked_mode,
            .parts = tools.parts};
}

result<chat_reply> model_ref::complete(chat_request const& request,
                                       call_context const& context) const {
    if (request.purpose == purpose_) return complete_(model_, request, context);
    chat_request meant = request;
    meant.purpose = purpose_;
    return complete_(model_, meant, context);
}

result<std::vector<test_case>> tests_ref::generate(problem const& task,
                                                   call_context const& context) const {
    auto tests =
        generate_ ? generate_(generator_, task, context) : problem_tests{}.generate(task, context);
    if (!tests || tests->empty() || tests->front().size == task.size) return tests;
    return error{condition::rejected,
                 "lkt.verify.test",
                 "the first test, `" + tests->front().name + "`, has " +
                     to_string(tests->front().size) + ", but it is the one that is timed, at " +
                     to_string(task.size),
                 "Give a test of that size first; all_of{..., signature_tests{}} adds one."};
}

} // namespace lkt::detail
