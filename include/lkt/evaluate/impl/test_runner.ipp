// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/test_runner.hpp>

#include <lkt/lang/find_kernel.hpp>
#include <lkt/verify/explore_branches.hpp>
#include <lkt/verify/hidden_state.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/properties.hpp>
#include <lkt/verify/sound_tests.hpp>
#include <lkt/verify/threshold_tests.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lkt {

namespace detail {

std::string not_checked(error const& why) {
    return "not run in checked mode: " + why.message + (why.hint.empty() ? "" : "; " + why.hint);
}

bool has_unknown_cause(failure const& f) {
    auto const* const access = std::get_if<out_of_bounds>(&f);
    return std::holds_alternative<wrong_output>(f) || (access && access->where.line == 0);
}

} // namespace detail

test_runner::test_runner(evaluation_setup const& setup, launch_patterns& patterns)
    : setup_(setup), patterns_(patterns) {
    auto const wanted = setup.parts.schedule.before_timing(setup);
    for (std::size_t k = 0; k < setup.suite.tests.size(); ++k) {
        bool const first = std::find(wanted.begin(), wanted.end(), k) != wanted.end();
        (first ? first_ : rest_).push_back(k);
    }
}

std::vector<result<std::optional<failure>>>
test_runner::run_first(std::span<tested_trial const> trials) {
    if (!setup_.options.verify || first_.empty())
        return std::vector<result<std::optional<failure>>>(trials.size(), std::optional<failure>());
    std::vector<std::vector<seconds>> times(trials.size());
    std::vector<kernel_to_verify> kernels;
    for (std::size_t k = 0; k < trials.size(); ++k) {
        trial const& t = trials[k].what;
        auto how = options_for(t, setup_.options.launch_limit, first_);
        if (setup_.drops_slow_ones()) how.times = &times[k];
        how.explained = trials[k].explained;
        kernels.push_back({t.compiled, t.kernel->launch, t.config, std::move(how)});
    }
    auto found = verify_kernels(setup_.gpu, kernels, setup_.task, setup_.suite, setup_.context);
    for (std::size_t k = 0; k < trials.size(); ++k) {
        bool const launched =
            !times[k].empty() && times[k].front() > seconds{}; // on the timed test
        if (found[k] && !*found[k] && launched) trials[k].what.time.samples = {times[k].front()};
    }
    return found;
}

result<std::optional<failure>> test_runner::run_first(trial& t) {
    tested_trial const one{t};
    return std::move(run_first({&one, 1}).front());
}

result<std::optional<failure>> test_runner::run_rest(trial& t) {
    t.errors.clear();
    if (rest_.empty()) return std::optional<failure>();
    return run_on(t, setup_.suite, setup_.options.launch_limit, rest_, nullptr, nullptr, &t.errors);
}

result<std::optional<failure>> test_runner::run_all(trial& t) {
    t.errors.clear();
    return run_on(t, setup_.suite, setup_.options.launch_limit, {}, nullptr, nullptr, &t.errors);
}

result<test_suite> test_runner::suite_of(std::vector<test_case> tests) {
    oracle_options how;
    how.configuration = setup_.suite.reference_configuration;
    how.seed = patterns_.next();
    how.compile_limit = setup_.options.compile_limit;
    how.comparators = setup_.suite.comparators;
    test_suite all;
    if (tests.empty()) return all;
    auto prepared = detail::prepare_suite(setup_.gpu, setup_.task, tests, setup_.context, how);
    if (prepared) {
        all = std::move(*prepared);
    } else {
        if (prepared.error().kind == condition::cancelled) return prepared.error();
        // Which of them the original does not bear.
        for (test_case& test : tests) {
            std::vector<test_case> alone{std::move(test)};
            auto one = detail::prepare_suite(setup_.gpu, setup_.task, alone, setup_.context, how);
            if (!one && one.error().kind == condition::cancelled) return one.error();
            if (!one) continue;
            if (all.tests.empty())
                all = std::move(*one);
            else if (all.directions == one->directions)
                all.tests.push_back(std::move(one->tests.front()));
        }
    }
    if (all.tests.empty()) return all;
    soundness_options sound;
    sound.seed = patterns_.next();
    sound.compile_limit = setup_.options.compile_limit;
    if (auto ok = detail::fit_to_original(setup_.gpu, setup_.task, all, setup_.context, sound); !ok)
        return ok.error();
    return all;
}

result<std::optional<failure>> test_runner::run_at_thresholds(trial const& t,
                                                              std::vector<std::string>& notes) {
    if (!setup_.options.verify || !setup_.suite.oracle.empty()) return std::optional<failure>();
    auto numbers = own_numbers(t.kernel->source, setup_.task.reference);
    if (numbers.empty()) return std::optional<failure>();
    if (!at_thresholds_ || at_thresholds_->numbers != numbers) {
        auto tests = threshold_tests{.numbers = numbers, .seed = setup_.options.seed}.generate(
            setup_.task, setup_.context);
        if (!tests) return tests.error();
        auto suite = suite_of(std::move(*tests));
        if (!suite) return suite.error();
        at_thresholds_ = {std::move(numbers), std::move(*suite)};
    }
    if (setup_.task.size_constraints.empty())
        notes.push_back("no size at the numbers of its text was tested: the problem has no "
                        "size_constraints, which say what sizes are allowed");
    if (at_thresholds_->suite.tests.empty()) return std::optional<failure>();
    return run_on(t, at_thresholds_->suite, setup_.options.launch_limit);
}

template <class Step>
result<std::optional<failure>> test_runner::of_original(Step step) const {
    auto const declared = find_kernel(setup_.task.reference, setup_.task.signature.name);
    if (!declared) return declared.error();
    candidate original; // a trial points to it
    original.source = setup_.task.reference;
    original.launch = setup_.task.launch;
    auto const built = build_one({original, *declared, setup_.suite.reference_configuration});
    if (!built) return built.error();
    auto const* const made = std::get_if<trial>(&*built);
    return made == nullptr ? std::optional<failure>() : step(*made);
}

result<std::optional<failure>> test_runner::keeps_state(trial const& t) const {
    if (!setup_.options.verify || t.compiled.writable_bytes.value_or(0) == 0)
        return std::optional<failure>();
    return of_original([&](trial const& original) -> result<std::optional<failure>> {
        return hidden_state(original.compiled, t.compiled, setup_.options.static_checks);
    });
}

result<std::optional<failure>> test_runner::keeps_promises(trial const& t,
                                                           std::vector<std::string>& notes) {
    if (!setup_.options.verify) return std::optional<failure>();
    property_options how;
    how.seed = patterns_.next();
    how.launches = setup_.options.repetitions;
    if (setup_.drops_slow_ones()) how.launching = setup_.options.repeating;
    how.time_limit = setup_.options.launch_limit;
    how.notes = &notes;
    return detail::check_properties(setup_.gpu,
                                    t.compiled,
                                    setup_.task,
                                    t.kernel->launch,
                                    t.config,
                                    setup_.suite,
                                    setup_.context,
                                    how);
}

result<std::optional<failure>>
test_runner::run_checked(trial const& t, checked_part& part, seconds further) {
    part = {};
    if (!setup_.options.verify) return std::optional<failure>();
    auto built = build_one({*t.kernel, *t.declared, t.config, true});
    if (!built) {
        if (built.error().kind != condition::unavailable) return built.error();
        part.left_out = detail::not_checked(built.error());
        return std::optional<failure>();
    }
    if (auto* why = std::get_if<failure>(&*built)) return std::optional(std::move(*why));
    auto const& checked = std::get<trial>(*built);
    if (!checked.compiled.checked) {
        part.left_out =
            "not run in checked mode: this back end has none; the host back end has one";
        return std::optional<failure>();
    }
    std::vector<std::string> left_out;
    auto const leave_out = [&](std::string why) {
        if (std::find(left_out.begin(), left_out.end(), why) == left_out.end())
            left_out.push_back(std::move(why));
    };
    if (!checked.compiled.unchecked.empty()) leave_out(checked.compiled.unchecked);
    auto const fails = [&](failure why) {
        part = {checked_extent::partial, "it ended with the failure"};
        return std::optional(std::move(why));
    };
    bool slow = false, looked = false;
    auto const tests = tests_to_check();
    for (std::size_t const k : tests) {
        prepared_test const& subject = setup_.suite.tests[k];
        // Instrumented code in three orders of threads takes its time.
        seconds least{60};
        if (setup_.options.launch_limit > seconds{})
            least = std::min(least, 12 * setup_.options.launch_limit);
        seconds const limit = std::max(least, 200 * subject.reference_time) * (slow ? 3 : 1);
        std::vector<std::string> unchecked;
        auto found = run_instrumented(checked, subject, limit, unchecked);
        if (!found) {
            if (found.error().kind != condition::unavailable) return found.error();
            leave_out(detail::not_checked(found.error()));
            continue;
        }
        for (std::string& why : unchecked) leave_out(std::move(why));
        if (!*found) {
            looked = true;
            continue;
        }
        if (!std::holds_alternative<timed_out>(**found)) return fails(std::move(**found));
        bool const again = k != tests.back() && !slow && takes_long(t, subject, limit);
        if (!again) return fails(timed_out{limit, "checked run"});
        slow = true;
        leave_out("run in checked mode on the smallest test only: a larger test took more than " +
                  to_string(limit));
    }
    if (further > seconds{0} && !slow && looked) {
        auto found = run_further(checked, tests, further, left_out);
        if (!found) return found;
        if (*found) return fails(std::move(**found));
    } else if (looked && !slow && other_sizes_than(tests)) {
        leave_out("run in checked mode on small tests only");
    }
    std::string rest;
    for (std::string const& why : left_out) rest += (rest.empty() ? "" : "; ") + why;
    if (looked || !rest.empty())
        part = {!looked        ? checked_extent::none
                : rest.empty() ? checked_extent::full
                               : checked_extent::partial,
                std::move(rest)};
    return std::optional<failure>();
}

result<std::optional<failure>> test_runner::run_where_it_branches(trial const& t,
                                                                  branch_coverage& seen) {
    seen = {};
    if (!setup_.options.verify) return std::optional<failure>();
    auto built = build_one({*t.kernel, *t.declared, t.config, false, true});
    auto const not_watched = [&](std::string const& why) {
        seen.unknown = "the branches were not watched: " + why;
        return std::optional<failure>();
    };
    if (!built) {
        if (built.error().kind != condition::unavailable) return built.error();
        return not_watched(built.error().message);
    }
    // It compiles for the device, and was tested there.
    if (auto const* why = std::get_if<failure>(&*built)) return not_watched(describe(*why));
    auto const& watched = std::get<trial>(*built).compiled;
    if (watched.branches == nullptr)
        return not_watched("this back end cannot do it; the host back end can");
    exploration_options how;
    how.seed = patterns_.next();
    auto found = explore_branches(setup_.gpu,
                                  {watched, t.kernel->source, t.kernel->launch, t.config},
                                  setup_.task,
                                  setup_.suite,
                                  setup_.context,
                                  how);
    if (!found) return found.error();
    seen = std::move(found->seen);
    if (found->tests.empty() || !setup_.suite.oracle.empty()) return std::optional<failure>();
    auto suite = suite_of(std::move(found->tests));
    if (!suite) return suite.error();
    if (suite->tests.empty()) return std::optional<failure>();
    return run_on(t, *suite, setup_.options.launch_limit);
}

result<std::optional<failure>> test_runner::cause_of(trial const& t, failure const& seen) {
    if (!setup_.options.checked || !setup_.checked_mode || !detail::has_unknown_cause(seen))
        return std::optional<failure>();
    checked_part part;
    auto cause = run_checked(t, part, seconds{0});
    if (!cause || !*cause) return cause;
    auto const* const access = std::get_if<out_of_bounds>(&**cause);
    // Which access it was is known already, where it is not said by which line.
    bool const tells = std::holds_alternative<wrong_output>(seen)
                           ? access || std::holds_alternative<race>(**cause) ||
                                 std::holds_alternative<crashed>(**cause)
                           : access && access->where.line > 0;
    return tells ? std::move(cause) : std::optional<failure>();
}

result<std::optional<failure>> test_runner::run_instrumented(trial const& checked,
                                                             prepared_test const& test,
                                                             seconds limit,
                                                             std::vector<std::string>& unchecked) {
    auto found = run_on(checked, alone(test), limit, {}, nullptr, &unchecked);
    if (!found || !*found || setup_.task.properties.propagates) return found;
    auto const* const differs = std::get_if<race>(&**found);
    if (differs == nullptr || differs->as != verdict::portability) return found;
    bool const finite =
        std::all_of(test.expected.begin(), test.expected.end(), [](argument_data const& e) {
            if (!is_floating(e.type.scalar)) return true;
            for (std::size_t lane = 0; lane < e.lanes(); ++lane)
                if (!std::isfinite(lane_as_double(e, lane))) return false;
            return true;
        });
    if (!finite) found->reset();
    return found;
}

std::vector<std::size_t> test_runner::tests_to_check() const {
    constexpr std::size_t small = std::size_t{256} << 10; // bytes
    std::size_t least = 0, most = 0;
    for (std::size_t k = 1; k < setup_.suite.tests.size(); ++k) {
        std::size_t const now = detail::bytes_of(setup_.suite.tests[k].test);
        if (now < detail::bytes_of(setup_.suite.tests[least].test)) least = k;
        std::size_t const before = detail::bytes_of(setup_.suite.tests[most].test);
        if (now <= small ? before > small || now > before : now < before) most = k;
    }
    return least == most ? std::vector{most} : std::vector{most, least};
}

bool test_runner::other_sizes_than(std::span<std::size_t const> some) const {
    auto const& tests = setup_.suite.tests;
    return std::ranges::any_of(tests, [&](prepared_test const& one) {
        return std::ranges::none_of(some, [&](std::size_t k) {
            return tests[k].test.size == one.test.size &&
                   detail::bytes_of(tests[k].test) == detail::bytes_of(one.test);
        });
    });
}

result<std::optional<failure>> test_runner::run_further(trial const& checked,
                                                        std::span<std::size_t const> first,
                                                        seconds most,
                                                        std::vector<std::string>& left_out) {
    using clock = std::chrono::steady_clock;
    std::vector<prepared_test const*> all;
    for (prepared_test const& one : setup_.suite.tests) all.push_back(&one);
    // An access that is wrong beyond a number of the text alone is seen there alone.
    if (at_thresholds_ &&
        at_thresholds_->numbers == own_numbers(checked.kernel->source, setup_.task.reference))
        for (prepared_test const& one : at_thresholds_->suite.tests) all.push_back(&one);
    auto const bytes_of = [&](std::size_t k) {
        return std::max<std::size_t>(detail::bytes_of(all[k]->test), 1);
    };
    std::vector<std::size_t> order, repeated;
    for (std::size_t k = 0; k < all.size(); ++k)
        if (std::find(first.begin(), first.end(), k) == first.end()) order.push_back(k);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return bytes_of(a) < bytes_of(b);
    });
    auto const start = clock::now();
    // Seconds that even the smallest takes, and for each byte more, of the last one that was run.
    std::optional<double> fixed;
    double pace = 0;
    // Tests of files have no other size than this.
    auto const size_of = [&](std::size_t k) {
        return std::pair(all[k]->test.size, all[k]->test.size.empty() ? bytes_of(k) : 0);
    };
    auto const among = [&](auto const& sizes, std::size_t k) {
        return std::find(sizes.begin(), sizes.end(), size_of(k)) != sizes.end();
    };
    std::vector<std::pair<problem_size, std::size_t>> ran, missed;
    for (std::size_t const k : first) ran.push_back(size_of(k));
    std::size_t least = 0; // bytes, of those that were missed
    auto const run = [&](std::size_t k, seconds until) -> result<std::optional<failure>> {
        seconds const before = clock::now() - start;
        auto const size = static_cast<double>(bytes_of(k));
        if (before + seconds{fixed.value_or(0) + pace * size} > until)
            return std::optional<failure>();
        std::vector<std::string> unchecked;
        auto found = run_instrumented(checked, *all[k], 2 * most, unchecked);
        double const took = (seconds{clock::now() - start} - before).count();
        fixed = std::min(fixed.value_or(took), took);
        pace = (took - *fixed) / size;
        if (!found) return found.error().kind == condition::unavailable ? std::nullopt : found;
        if (*found) {
            if (std::holds_alternative<timed_out>(**found)) return std::optional<failure>();
            auto const own = original_fails_alike(*all[k], **found, 2 * most);
            if (!own) return own.error();
            if (!*own) return found;
            unchecked = {"the original fails in checked mode, too, with arguments of " +
                         to_string(bytes{bytes_of(k)}) + ": " + describe(**found)};
        }
        ran.push_back(size_of(k));
        for (std::string& why : unchecked)
            if (std::find(left_out.begin(), left_out.end(), why) == left_out.end())
                left_out.push_back(std::move(why));
        return std::optional<failure>();
    };
    for (std::size_t const k : order) {
        bool const known = among(ran, k);
        if (known) repeated.push_back(k);
        auto found = known ? std::optional<failure>() : run(k, most);
        if (!found || *found) return found;
        if (among(ran, k) || among(missed, k)) continue;
        if (missed.empty()) least = bytes_of(k);
        missed.push_back(size_of(k));
    }
    for (std::size_t const k : repeated)
        if (auto found = run(k, most / 5); !found || *found) return found;
    if (!missed.empty())
        left_out.push_back(
            std::to_string(missed.size()) + " sizes not run in checked mode, with arguments of " +
            to_string(bytes{least}) + " or more: they take more than " + to_string(most));
    return std::optional<failure>();
}

result<bool>
test_runner::original_fails_alike(prepared_test const& test, failure const& seen, seconds limit) {
    auto const own = of_original([&](trial const& original) -> result<std::optional<failure>> {
        auto const built = build_one({*original.kernel, *original.declared, original.config, true});
        auto const* const checked = built ? std::get_if<trial>(&*built) : nullptr;
        std::vector<std::string> unchecked;
        if (checked != nullptr) return run_instrumented(*checked, test, limit, unchecked);
        if (!built && built.error().kind == condition::cancelled) return built.error();
        return std::optional<failure>();
    });
    if (!own && own.error().kind == condition::cancelled) return own.error();
    return own && *own && verdict_of(**own) == verdict_of(seen);
}

result<std::optional<failure>> test_runner::original_checked() {
    return of_original([&](trial const& original) {
        checked_part part;
        return run_checked(original, part, seconds{0});
    });
}

test_suite test_runner::alone(prepared_test const& subject) const {
    test_suite suite;
    suite.directions = setup_.suite.directions;
    suite.tests = {subject};
    suite.reference_configuration = setup_.suite.reference_configuration;
    suite.comparators = setup_.suite.comparators;
    return suite;
}

bool test_runner::takes_long(trial const& t, prepared_test const& subject, seconds limit) {
    constexpr double most = 4000;
    std::vector<seconds> times;
    auto const found = run_on(t, alone(subject), setup_.options.launch_limit, {}, &times);
    return found && !*found && !times.empty() && times.front() * most > limit;
}

result<build_outcome> test_runner::build_one(build_request const& request) const {
    return std::move(setup_.parts.builder.build_all(setup_, {&request, 1}).front());
}

verify_options
test_runner::options_for(trial const& t, seconds limit, std::vector<std::size_t> tests) {
    verify_options how;
    how.seed = patterns_.next();
    how.time_limit = limit;
    how.tests = std::move(tests);
    how.source = &t.kernel->source;
    return how;
}

result<std::optional<failure>> test_runner::run_on(trial const& t,
                                                   test_suite const& suite,
                                                   seconds limit,
                                                   std::vector<std::size_t> tests,
                                                   std::vector<seconds>* times,
                                                   std::vector<std::string>* unchecked,
                                                   std::vector<output_error>* errors) {
    if (!setup_.options.verify) return std::optional<failure>();
    auto how = options_for(t, limit, std::move(tests));
    how.times = times;
    how.unchecked = unchecked;
    how.errors = errors;
    return detail::verify_kernel(setup_.gpu,
                                 t.compiled,
                                 setup_.task,
                                 t.kernel->launch,
                                 t.config,
                                 suite,
                                 setup_.context,
                                 how);
}

} // namespace lkt
