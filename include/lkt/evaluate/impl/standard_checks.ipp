// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/standard_checks.hpp>

#include <lkt/core/units.hpp>
#include <lkt/core/warning.hpp>
#include <lkt/evaluate/evaluation.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/verify/static_checks.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

/// The first error that the static checks find, as the failure of the proposal; their warnings are
/// notes. Memory that can hold outputs says more than the counter that stands before it.
std::optional<failure> refused_text(check_call& call) {
    auto found =
        static_findings(call.kernel, call.in.setup.task, call.in.setup.options.static_checks);
    // Whoever reads a text, this one is the model's: that it cannot be read is its failure.
    if (!found) return failure(refused{found.error().code, found.error().message, {}});
    static_finding const* why = nullptr;
    for (static_finding const& f : *found)
        if (f.severity == static_severity::warning)
            call.note(describe(f));
        else if (why == nullptr ||
                 (f.rule == static_rule::replay && why->rule != static_rule::replay))
            why = &f;
    if (why == nullptr) return std::nullopt;
    return failure(refused{why->what,
                           why->why + " (" + std::string(code_of(why->rule)) + ")",
                           why->where,
                           verdict_of(why->rule)});
}

/// The failure of a kernel that is judged alone: its cause, where that can be found.
result<std::optional<failure>> with_cause(check_call& call, std::optional<failure> wrong) {
    if (call.when != moment::verification || !wrong || call.subject == nullptr) return wrong;
    auto cause = call.in.tests.cause_of(*call.subject, *wrong);
    if (!cause) return cause.error();
    if (!*cause) return wrong;
    call.note("observed as: " + describe(*wrong));
    return cause;
}

/// 0 to n - 1: the last, the first, the middle, the middles of the halves, and so on.
std::vector<std::size_t> spread(std::size_t n) {
    std::vector<std::size_t> order;
    std::vector<bool> there(n, false);
    auto const add = [&](std::size_t k) {
        if (k < n && !there[k]) order.push_back(k);
        if (k < n) there[k] = true;
    };
    if (n > 0) add(n - 1);
    add(0);
    for (std::size_t parts = 2; order.size() < n; parts *= 2)
        for (std::size_t k = 1; k < parts; k += 2)
            add(parts < 2 * n ? n * k / parts : order.size());
    return order;
}

/// What is wrong with each of these configurations: every test is run, and some at the numbers of
/// the kernel's text.
std::vector<result<std::optional<failure>>>
wrong_of(check_call& call, std::span<configuration const> configurations) {
    using outcome = result<std::optional<failure>>;
    std::vector<build_request> requests;
    for (configuration const& c : configurations)
        requests.push_back({call.kernel, *call.scope->declared, c});
    auto built = call.in.build_all(requests);
    std::vector<outcome> found;
    std::vector<check_call> calls;
    std::vector<std::size_t> whose;
    for (auto& one : built) {
        auto* const t = one ? std::get_if<trial>(&*one) : nullptr;
        found.push_back(!one ? outcome(one.error())
                        : t  ? outcome(std::optional<failure>())
                             : outcome(std::get<failure>(std::move(*one))));
        if (!t) continue;
        whose.push_back(found.size() - 1);
        calls.push_back(
            {.when = moment::configuration, .in = call.in, .kernel = call.kernel, .subject = t});
    }
    auto passed = call.in.pass_all(calls);
    for (std::size_t k = 0; k < whose.size(); ++k) {
        outcome& one = found[whose[k]] = std::move(passed[k]);
        if (one && !*one) one = call.in.tests.run_rest(*calls[k].subject);
        if (one && !*one) one = call.in.tests.run_at_other_thresholds(*calls[k].subject);
    }
    return found;
}

/// The configuration with the smallest blocks, which have the most tiles: the first of these, and
/// the kernel's own where it is one.
configuration of_smallest_blocks(check_call const& call) {
    auto const threads = [&](configuration const& c) {
        auto const made = call.kernel.launch.evaluate(scope_of(call.in.setup.task.size, c));
        return made ? made->block.count() : ~std::uint64_t{0};
    };
    configuration best = call.subject->config;
    constexpr int most = 4096;
    auto walk = call.scope->space->configurations();
    for (int k = 0; k < most; ++k) {
        auto const config = walk.next();
        if (!config) break;
        if (threads(*config) < threads(best)) best = *config;
    }
    return best;
}

/// Where it goes through many tiles: a winner in its configuration, in a verification in that one.
result<std::optional<failure>> check_tiles(check_call& call) {
    if (call.scope == nullptr) return call.in.tests.run_many_tiles(*call.subject);
    configuration const config = of_smallest_blocks(call);
    auto& tests = call.in.tests;
    if (config == call.subject->config) return tests.run_many_tiles(*call.subject);
    auto const built = call.in.build({call.kernel, *call.scope->declared, config});
    if (!built) return built.error();
    auto const* const t = std::get_if<trial>(&*built);
    if (t == nullptr) return tests.run_many_tiles(*call.subject);
    auto wrong = tests.run_many_tiles(*t);
    if (!wrong || !*wrong) return wrong;
    // Is it this configuration's fault?
    if (auto own = tests.run_many_tiles(*call.subject); !own || *own) return own;
    call.scope->bad = config;
    return wrong;
}

/// Other configurations that are right, in checked mode, as long as there is time: those that
/// differ most first.
result<std::optional<failure>> check_others(check_call& call,
                                            std::vector<configuration> const& configurations) {
    auto const& setup = call.in.setup;
    checked_part& part = call.subject->checked;
    if (part.extent == checked_extent::none || configurations.empty())
        return std::optional<failure>();
    auto const start = std::chrono::steady_clock::now();
    std::size_t ran = 0;
    for (std::size_t const k : spread(configurations.size())) {
        if (std::chrono::steady_clock::now() - start > setup.options.checked_time) break;
        if (auto end = call.scope->must_end ? call.scope->must_end() : std::nullopt) return *end;
        auto built = call.in.build({call.kernel, *call.scope->declared, configurations[k]});
        if (!built) return built.error();
        auto* const t = std::get_if<trial>(&*built);
        if (t == nullptr) continue;
        checked_part own;
        auto wrong = call.in.tests.run_checked(*t, own, seconds{0});
        if (!wrong) return wrong.error();
        if (*wrong) {
            call.scope->bad = configurations[k];
            return wrong;
        }
        ++ran;
    }
    if (ran == configurations.size()) return std::optional<failure>();
    part.extent = checked_extent::partial;
    part.left_out += (part.left_out.empty() ? "" : "; ") +
                     std::to_string(configurations.size() - ran) + " of " +
                     std::to_string(configurations.size() + 1) +
                     " configurations not run in checked mode, for lack of time";
    return std::optional<failure>();
}

} // namespace detail

result<std::optional<failure>> text_check::run(check_call& call) const {
    // Another signature is said first: it is the more fundamental defect.
    if (auto differs = check_signature(call.in.setup.task.signature, call.kernel.source))
        return differs;
    return detail::refused_text(call);
}

result<std::optional<failure>> tests_check::run(check_call& call) const {
    auto& tests = call.in.tests;
    trial& t = *call.subject;
    switch (call.when) {
    case moment::configuration: {
        check_call* const one = &call;
        return std::move(run_all({&one, 1}).front());
    }
    case moment::verification: {
        auto wrong = tests.keeps_state(t);
        if (!wrong || *wrong) return wrong;
        wrong = tests.run_all(t);
        if (!wrong) return wrong;
        for (std::string const& why : t.left_out) call.note(why);
        return detail::with_cause(call, std::move(*wrong));
    }
    case moment::finalist:
        return tests.run_rest(t);
    default: {
        auto wrong = tests.run_first(t);
        return !wrong || *wrong ? wrong : tests.run_rest(t);
    }
    }
}

std::vector<result<std::optional<failure>>>
tests_check::run_all(std::span<check_call* const> calls) const {
    std::vector<result<std::optional<failure>>> found;
    std::vector<tested_trial> trials;
    std::vector<std::size_t> whose;
    for (check_call* const call : calls) {
        if (call->when != moment::configuration) {
            found.push_back(run(*call));
            continue;
        }
        found.push_back(call->in.tests.keeps_state(*call->subject));
        if (!found.back() || *found.back()) continue;
        whose.push_back(found.size() - 1);
        trials.push_back({*call->subject, call->explained});
    }
    if (trials.empty()) return found;
    auto outcomes = calls[whose.front()]->in.tests.run_first(trials);
    for (std::size_t k = 0; k < whose.size(); ++k) found[whose[k]] = std::move(outcomes[k]);
    return found;
}

result<std::optional<failure>> launches_check::run(check_call& call) const {
    auto& timing = call.in.timing;
    trial& t = *call.subject;
    // A finalist has been timed, with outputs compared; a kernel that is judged alone has not.
    if (call.scope != nullptr)
        for (int series = 0; series < 2; ++series) {
            if (auto ok = timing.time(t, std::max(1, call.scope->launches / 2)); !ok)
                return ok.error();
            if (t.failed) return detail::with_cause(call, t.failed);
        }
    return timing.implausible_time(t);
}

result<std::optional<failure>> properties_check::run(check_call& call) const {
    return call.in.tests.keeps_promises(*call.subject, call.notes);
}

result<std::optional<failure>> thresholds_check::run(check_call& call) const {
    auto wrong = call.in.tests.run_at_thresholds(*call.subject, call.notes);
    // It takes a compilation, and tests of its own.
    if (!wrong || *wrong || (call.when != moment::verification && !call.wins)) return wrong;
    return call.in.tests.run_at_numbers_of_code(*call.subject);
}

result<std::optional<failure>> checked_mode_check::run(check_call& call) const {
    auto const& setup = call.in.setup;
    checked_part& part = call.subject->checked;
    if (!setup.options.checked || !setup.checked_mode) {
        part = {checked_extent::none,
                setup.checked_mode ? "not asked for" : "the original itself fails in checked mode"};
        if (call.scope != nullptr) call.skip(part.left_out);
        return std::optional<failure>();
    }
    auto wrong = call.in.tests.run_checked(*call.subject, part, setup.options.checked_time);
    if (!wrong) return wrong;
    if (call.scope != nullptr && !setup.task.unwritten) { // an operation has no original
        auto own = call.in.tests.original_checked();
        if (!own) return own.error();
        if (*own) {
            call.note(warning("the original itself fails in checked mode: " + describe(**own)));
            if (*wrong && verdict_of(**wrong) == verdict_of(**own)) {
                part = {checked_extent::none,
                        "the kernel fails in checked mode as the original does"};
                call.skip(part.left_out + ": " + describe(**wrong));
                return std::optional<failure>();
            }
        }
    }
    if (!*wrong && part.extent != checked_extent::none && (call.scope != nullptr || call.wins))
        wrong = detail::check_tiles(call);
    if (!wrong || *wrong || part.left_out.empty()) return wrong;
    if (part.extent == checked_extent::none)
        call.skip(part.left_out);
    else
        call.note(part.left_out);
    return wrong;
}

result<std::optional<failure>> coverage_check::run(check_call& call) const {
    branch_coverage& seen = call.subject->branches;
    if (!call.in.setup.options.checked) {
        if (call.scope != nullptr) call.skip(seen.unknown + ": not asked for");
        return std::optional<failure>();
    }
    auto wrong = call.in.tests.run_where_it_branches(*call.subject, seen);
    if (!wrong || *wrong) return wrong;
    if (!seen.unknown.empty() && call.scope != nullptr) call.skip(seen.unknown);
    // Nobody can vouch for what never ran.
    auto missing = call.subject->left_out;
    if (std::string own = own_unreached(seen); !own.empty()) missing.push_back(std::move(own));
    for (std::string const& why : missing) {
        checked_part& part = call.subject->checked;
        if (part.extent == checked_extent::full) part.extent = checked_extent::partial;
        part.left_out += (part.left_out.empty() ? "" : "; ") + why;
    }
    return wrong;
}

result<std::optional<failure>> configurations_check::run(check_call& call) const {
    verification_scope& scope = *call.scope;
    std::uint64_t const count = scope.space->count();
    if (count < 2) {
        call.skip("there is one configuration");
        return std::optional<failure>();
    }
    std::uint64_t const most = std::max<std::size_t>(1, scope.configurations);
    std::uint64_t const step = (count + most - 1) / most;
    std::uint64_t number = 0, unfit = 0;
    std::vector<configuration> others;
    auto walk = scope.space->configurations();
    while (auto config = walk.next())
        if (number++ % step == 0 && *config != call.subject->config)
            others.push_back(*std::move(config));
    std::size_t const at_once = call.in.setup.gpu.runs_at_once();
    auto const ahead = static_cast<std::size_t>(std::max(0, call.in.setup.options.compile_ahead));
    std::size_t begun = 0; // to compile
    std::vector<configuration> fit;
    for (std::size_t k = 0; k < others.size(); k += at_once) {
        if (auto end = scope.must_end ? scope.must_end() : std::nullopt) return *end;
        for (; begun < std::min(others.size(), k + ahead); ++begun)
            call.in.prefetch({call.kernel, *scope.declared, others[begun]});
        auto const batch = std::span(others).subspan(k, std::min(at_once, others.size() - k));
        auto wrong = detail::wrong_of(call, batch);
        for (std::size_t n = 0; n < batch.size(); ++n) {
            if (!wrong[n]) return wrong[n].error();
            if (!*wrong[n]) {
                ++scope.ran;
                fit.push_back(batch[n]);
            } else if (cannot_run(**wrong[n])) {
                ++unfit;
            } else {
                scope.bad = std::move(batch[n]);
                return std::move(*wrong[n]);
            }
        }
    }
    auto wrong = detail::check_others(call, fit);
    if (!wrong || *wrong) return wrong;
    if (unfit > 0)
        call.note(std::to_string(unfit) + " configurations do not compile or cannot be launched");
    if (step > 1)
        call.note(std::to_string(others.size() + 1 - unfit) + " of " + std::to_string(count) +
                  " configurations were run, spread over all of them");
    return std::optional<failure>();
}

bool cannot_run(failure const& f) {
    verdict const v = verdict_of(f);
    return v == verdict::compile_error || v == verdict::launch_error;
}

} // namespace lkt
