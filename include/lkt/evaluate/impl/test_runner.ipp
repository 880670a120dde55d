// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/evaluate/test_runner.hpp>

#include <lkt/lang/find_kernel.hpp>
#include <lkt/verify/explore_branches.hpp>
#include <lkt/verify/hidden_state.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/own_numbers.hpp>
#include <lkt/verify/properties.hpp>
#include <lkt/verify/sound_tests.hpp>
#include <lkt/verify/threshold_tests.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace lkt {

namespace test_runner_parts {

/// What `ask` makes of tests, without those on which it fails: it is asked about all, then about
/// halves. `ask` leaves the tests as they are where it fails.
result<test_suite>
suite_of_sound(std::vector<test_case>& tests,
               std::function<result<test_suite>(std::vector<test_case>&)> const& ask) {
    auto all = ask(tests);
    if (all || all.error().kind == condition::cancelled) return all;
    if (tests.size() < 2) return test_suite();
    auto const middle = tests.begin() + static_cast<std::ptrdiff_t>(tests.size() / 2);
    std::vector<test_case> rest(std::make_move_iterator(middle),
                                std::make_move_iterator(tests.end()));
    tests.erase(middle, tests.end());
    auto some = suite_of_sound(tests, ask);
    if (!some) return some;
    auto others = suite_of_sound(rest, ask);
    if (!others || some->tests.empty()) return others;
    if (some->directions == others->directions)
        for (prepared_test& one : others->tests) some->tests.push_back(std::move(one));
    return some;
}

} // namespace test_runner_parts

test_runner::test_runner(evaluation_setup const& setup, launch_patterns& patterns)
    : setup_(setup), patterns_(patterns) {
    auto const wanted = setup.parts.schedule.before_timing(setup);
    for (std::size_t k = 0; k < setup.suite.tests.size(); ++k) {
        bool const first = std::find(wanted.begin(), wanted.end(), k) != wanted.end();
        if (first || setup.suite.tests[k].test.origin < test_origin::grown_extent)
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
        how.unchecked = &trials[k].what.left_out;
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
    return run_on(
        t, setup_.suite, setup_.options.launch_limit, rest_, nullptr, &t.errors, &t.left_out);
}

result<std::optional<failure>> test_runner::run_all(trial& t) {
    t.errors.clear();
    return run_on(
        t, setup_.suite, setup_.options.launch_limit, {}, nullptr, &t.errors, &t.left_out);
}

result<test_suite> test_runner::suite_of(std::vector<test_case> tests) {
    auto all = unfitted_suite_of(std::move(tests));
    if (!all) return all;
    if (auto ok = fit(*all); !ok) return ok.error();
    return all;
}

result<test_suite> test_runner::unfitted_suite_of(std::vector<test_case> tests) {
    if (tests.empty()) return test_suite();
    oracle_options how;
    how.configuration = setup_.suite.reference_configuration;
    how.seed = patterns_.next();
    how.compile_limit = setup_.options.compile_limit;
    how.comparators = setup_.suite.comparators;
    return test_runner_parts::suite_of_sound(tests, [&](std::vector<test_case>& some) {
        return setup_.suite.further
                   ? setup_.suite.further(some, setup_.context)
                   : detail::prepare_suite(setup_.gpu, setup_.task, some, setup_.context, how);
    });
}

result<void> test_runner::fit(test_suite& suite) {
    if (suite.tests.empty() || setup_.suite.further) return {};
    soundness_options sound;
    sound.seed = patterns_.next();
    sound.compile_limit = setup_.options.compile_limit;
    return detail::fit_to_original(setup_.gpu, setup_.task, suite, setup_.context, sound);
}

bool test_runner::can_test_further() const {
    return setup_.suite.oracle.empty() || setup_.suite.further;
}

std::vector<double> test_runner::numbers_of(trial const& t) const {
    if (!setup_.options.verify || !can_test_further()) return {};
    return own_numbers({t.kernel->source, t.config},
                       {setup_.task.reference, setup_.suite.reference_configuration});
}

result<void> test_runner::make_thresholds(trial const& t) {
    std::vector<double> numbers = numbers_of(t);
    if (has_thresholds_of(*t.kernel) && at_thresholds_->numbers == numbers) return {};
    auto suite = suite_at(t, {.numbers = numbers});
    if (!suite) return suite.error();
    at_thresholds_ = {
        t.kernel->source.text, t.kernel->launch, std::move(numbers), std::move(*suite)};
    at_other_numbers_.clear();
    return {};
}

result<test_suite> test_runner::suite_at(trial const& t, threshold_tests how) {
    how.seed = setup_.options.seed;
    how.launch = &t.kernel->launch;
    how.config = t.config;
    auto tests = how.generate(setup_.task, setup_.context);
    if (!tests) return tests.error();
    return suite_of(std::move(*tests));
}

result<std::optional<failure>> test_runner::run_at_thresholds(trial const& t,
                                                              std::vector<std::string>& notes) {
    if (auto made = make_thresholds(t); !made) return made.error();
    if (!can_test_further())
        notes.push_back("nothing was tested at the numbers of its text, nor where its branches "
                        "lead: recorded outputs are all that is known");
    if (!at_thresholds_->numbers.empty() && setup_.task.size_constraints.empty())
        notes.push_back("no size at the numbers of its text was tested: the problem has no "
                        "size_constraints, which say what sizes are allowed");
    if (at_thresholds_->suite.tests.empty()) return std::optional<failure>();
    return run_on(
        t, at_thresholds_->suite, setup_.options.launch_limit, {}, nullptr, nullptr, &notes);
}

result<std::optional<failure>> test_runner::run_at_numbers_of_code(trial const& t) {
    if (!setup_.options.verify || !can_test_further()) return std::optional<failure>();
    using numbers = std::vector<double>;
    auto const code_of = [&](trial const& one) -> result<numbers> {
        auto const built = build_one({*one.kernel, *one.declared, one.config, false, false, true});
        if (!built && built.error().kind == condition::cancelled) return built.error();
        auto const* const made = built ? std::get_if<trial>(&*built) : nullptr;
        return made == nullptr || !made->compiled.constants ? numbers{} : *made->compiled.constants;
    };
    auto const code = code_of(t);
    if (!code) return code.error();
    numbers originals;
    auto const asked =
        this->of_original([&](trial const& original) -> result<std::optional<failure>> {
            auto found = code_of(original);
            if (!found) return found.error();
            originals = std::move(*found);
            return std::optional<failure>();
        });
    // Beside another oracle there need be no original: then all numbers are the candidate's.
    if (!asked && asked.error().kind == condition::cancelled) return asked.error();
    auto alone = numbers_of(t);
    auto own = own_constants(*code, originals, alone);
    alone.insert(alone.begin(), own.begin(), own.end());
    auto suite = suite_at(t,
                          {.numbers = std::move(own),
                           .sizes = 24,
                           .pairs = 0,
                           .scalars = 16,
                           .alone = std::move(alone)});
    if (!suite) return suite.error();
    if (suite->tests.empty()) return std::optional<failure>();
    return run_on(t, *suite, setup_.options.launch_limit);
}

result<std::optional<failure>> test_runner::run_at_other_thresholds(trial const& t) {
    if (!has_thresholds_of(*t.kernel))
        if (auto made = make_thresholds(t); !made) return made.error();
    auto const& tests = at_thresholds_->suite.tests;
    std::vector<std::size_t> inputs;
    for (std::size_t k = 0; k < tests.size(); ++k)
        if (tests[k].test.origin == test_origin::menu) inputs.push_back(k);
    if (!inputs.empty()) {
        auto wrong = run_on(t, at_thresholds_->suite, setup_.options.launch_limit, inputs);
        if (!wrong || *wrong) return wrong;
    }
    std::vector<double> others = numbers_of(t);
    std::erase_if(others, [&](double n) {
        return std::ranges::find(at_thresholds_->numbers, n) != at_thresholds_->numbers.end();
    });
    auto known = std::ranges::find(
        at_other_numbers_, others, &decltype(at_other_numbers_)::value_type::first);
    if (known == at_other_numbers_.end()) {
        // Configurations whose numbers nothing else has. To ask a script takes a second.
        std::size_t const most = setup_.suite.further ? 4 : 16;
        if (others.empty() || at_other_numbers_.size() == most) return std::optional<failure>();
        auto suite = suite_at(t, {.numbers = others, .blocks = 4, .pairs = 4, .scalars = 4});
        if (!suite) return suite.error();
        at_other_numbers_.emplace_back(std::move(others), std::move(*suite));
        known = at_other_numbers_.end() - 1;
    }
    if (known->second.tests.empty()) return std::optional<failure>();
    return run_on(t, known->second, setup_.options.launch_limit);
}

result<std::optional<failure>> test_runner::of_original(
    std::function<result<std::optional<failure>>(trial const&)> const& step) const {
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
        return hidden_state(state_bytes(original.compiled, original.kernel->source),
                            state_bytes(t.compiled, t.kernel->source),
                            setup_.options.static_checks);
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

result<std::optional<failure>> test_runner::run_where_it_branches(trial& t, branch_coverage& seen) {
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
    if (found->tests.empty() || !can_test_further()) return std::optional<failure>();
    auto suite = suite_of(std::move(found->tests));
    if (!suite) return suite.error();
    std::vector<std::vector<std::size_t>> groups(2); // aligned, all off, then one off in each
    for (std::size_t k = 0; k < suite->tests.size(); ++k) {
        auto const unaligned = suite->tests[k].test.unaligned;
        if (unaligned == 0 || unaligned == every_buffer)
            groups[unaligned == 0 ? 0 : 1].push_back(k);
        else
            groups.push_back({k});
    }
    for (auto const& tests : groups) {
        if (tests.empty()) continue;
        auto wrong = run_on(t, *suite, setup_.options.launch_limit, tests);
        if (!wrong) return wrong;
        // Every allocation is aligned: whoever relies on that of one buffer, and looks at
        // another's address, may crash.
        bool const died =
            &tests != &groups[0] && *wrong && std::holds_alternative<crashed>(**wrong);
        if (died && &tests == &groups[1])
            t.left_out.emplace_back("it crashes where buffers are off by one element, which the "
                                    "original bears");
        else if (*wrong && !died)
            return wrong;
    }
    return std::optional<failure>();
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
                                                   std::vector<output_error>* errors,
                                                   std::vector<std::string>* left_out) {
    if (!setup_.options.verify) return std::optional<failure>();
    auto how = options_for(t, limit, std::move(tests));
    how.times = times;
    how.errors = errors;
    how.unchecked = left_out;
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
