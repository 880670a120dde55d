// SPDX-License-Identifier: BSL-1.0
// A trial in checked mode.
#pragma once

#include <lkt/evaluate/test_runner.hpp>

#include <lkt/core/string_tools.hpp>

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

/// Of arguments: what instrumented code gets through in seconds.
constexpr std::size_t small_test = std::size_t{256} << 10;

bool has_unknown_cause(failure const& f) {
    auto const* const access = std::get_if<out_of_bounds>(&f);
    return std::holds_alternative<wrong_output>(f) || (access && access->where.line == 0);
}

std::string sizes_not_run(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " size" : " sizes") + " not run in checked mode";
}

} // namespace detail

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
    auto const start = std::chrono::steady_clock::now();
    auto const tests = tests_to_check(checked);
    std::vector<instrumented_run> small;
    for (std::size_t const k : tests) {
        prepared_test const& subject = setup_.suite.tests[k];
        // Instrumented code in three orders of threads takes its time.
        seconds least{60};
        if (setup_.options.launch_limit > seconds{})
            least = std::min(least, 12 * setup_.options.launch_limit);
        bool const large = detail::bytes_of(subject.test) > detail::small_test;
        small.push_back({subject,
                         large ? std::min(least, std::max(seconds{15}, 3 * further))
                               : std::max(least, 200 * subject.reference_time)});
    }
    run_instrumented(checked, small);
    for (instrumented_run& one : small) {
        bool const late =
            one.outcome && *one.outcome && std::holds_alternative<timed_out>(**one.outcome);
        if (slow && late) {
            one.limit *= 3;
            run_instrumented(checked, {&one, 1});
        }
        auto& found = one.outcome;
        if (!found) {
            if (found.error().kind != condition::unavailable) return found.error();
            leave_out(detail::not_checked(found.error()));
            continue;
        }
        if (auto ok = drop_shared_conversions(one); !ok) return ok.error();
        for (std::string& why : one.unchecked) leave_out(std::move(why));
        if (!*found) {
            looked = true;
            continue;
        }
        if (!std::holds_alternative<timed_out>(**found)) return fails(std::move(**found));
        if (std::size_t const size = detail::bytes_of(one.test.test); size > detail::small_test) {
            leave_out("not run in checked mode on the smallest test: with arguments of " +
                      to_string(bytes{size}) + " it takes more than " + to_string(one.limit));
            continue;
        }
        bool const again = &one != &small.back() && !slow && takes_long(t, one.test, one.limit);
        if (!again)
            return fails(
                timed_out{one.limit, "checked run", one.test.test.name, one.test.test.size});
        slow = true;
        leave_out("run in checked mode on the smallest test only: a larger test took more than " +
                  to_string(one.limit));
    }
    pace_of_checks pace;
    for (instrumented_run const& one : small) pace.bytes += detail::bytes_of(one.test.test);
    pace.taken = std::chrono::steady_clock::now() - start;
    if (further > seconds{0} && !slow && looked) {
        auto found = run_further(checked, tests, further, pace, left_out);
        if (!found) return found;
        if (*found) return fails(std::move(**found));
    } else if (looked && !slow && other_sizes_than(tests)) {
        leave_out("run in checked mode on small tests only");
    }
    std::string rest = joined(left_out, "; ");
    if (looked || !rest.empty())
        part = {!looked        ? checked_extent::none
                : rest.empty() ? checked_extent::full
                               : checked_extent::partial,
                std::move(rest)};
    return std::optional<failure>();
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

void test_runner::run_instrumented(trial const& checked, std::span<instrumented_run> runs) {
    test_suite suite;
    suite.directions = setup_.suite.directions;
    suite.reference_configuration = setup_.suite.reference_configuration;
    suite.comparators = setup_.suite.comparators;
    std::vector<kernel_to_verify> kernels;
    for (instrumented_run& one : runs) {
        auto how = options_for(checked, one.limit, {suite.tests.size()});
        one.unchecked.clear();
        how.unchecked = &one.unchecked;
        suite.tests.push_back(one.test);
        kernels.push_back(
            {checked.compiled, checked.kernel->launch, checked.config, std::move(how)});
    }
    auto found = verify_kernels(setup_.gpu, kernels, setup_.task, suite, setup_.context);
    for (std::size_t k = 0; k < runs.size(); ++k) {
        auto& outcome = runs[k].outcome = std::move(found[k]);
        if (!outcome || !*outcome || setup_.task.properties.propagates) continue;
        auto const* const differs = std::get_if<race>(&**outcome);
        if (differs == nullptr || differs->as != verdict::portability) continue;
        auto const& expected = runs[k].test.expected;
        bool const finite = std::all_of(expected.begin(), expected.end(), [](auto const& e) {
            if (!is_floating(e.type.scalar)) return true;
            for (std::size_t lane = 0; lane < e.lanes(); ++lane)
                if (!std::isfinite(lane_as_double(e, lane))) return false;
            return true;
        });
        if (!finite) outcome->reset();
    }
}

std::vector<std::size_t> test_runner::tests_to_check(trial const& checked) const {
    auto const& tests = setup_.suite.tests;
    std::size_t first = 0;
    while (first + 1 < tests.size() && is_left_out(checked, tests[first])) ++first;
    std::size_t least = first, most = first;
    for (std::size_t k = first + 1; k < tests.size(); ++k) {
        if (is_left_out(checked, tests[k])) continue;
        std::size_t const now = detail::bytes_of(setup_.suite.tests[k].test);
        if (now < detail::bytes_of(setup_.suite.tests[least].test)) least = k;
        std::size_t const before = detail::bytes_of(setup_.suite.tests[most].test);
        if (now <= detail::small_test ? before > detail::small_test || now > before : now < before)
            most = k;
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
                                                        pace_of_checks pace,
                                                        std::vector<std::string>& left_out) {
    using clock = std::chrono::steady_clock;
    std::vector<prepared_test const*> all;
    for (std::size_t k = 0; k < setup_.suite.tests.size(); ++k)
        if (std::ranges::find(first, k) == first.end() &&
            setup_.suite.tests[k].test.origin < test_origin::large_size)
            all.push_back(&setup_.suite.tests[k]);
    // An access that is wrong beyond a number of the text alone is seen there alone.
    if (has_thresholds_of(*checked.kernel))
        for (prepared_test const& one : at_thresholds_->suite.tests) all.push_back(&one);
    auto const bytes_of = [](prepared_test const* t) { return detail::bytes_of(t->test); };
    std::ranges::stable_sort(all, {}, bytes_of);
    // Tests of files have no other size than their bytes.
    auto const size_of = [&](prepared_test const& t) {
        return std::pair(t.test.size, t.test.size.empty() ? detail::bytes_of(t.test) : 0);
    };
    std::vector<std::pair<problem_size, std::size_t>> sizes;
    for (std::size_t const k : first) sizes.push_back(size_of(setup_.suite.tests[k]));
    std::vector<prepared_test const*> of_each_size, repeated;
    for (prepared_test const* const t : all) {
        bool const known = std::ranges::find(sizes, size_of(*t)) != sizes.end();
        (known ? repeated : of_each_size).push_back(t);
        if (!known) sizes.push_back(size_of(*t));
    }
    auto const too_large = [&](prepared_test const* t) { return is_left_out(checked, *t); };
    if (std::size_t const sizes_left_out = std::erase_if(of_each_size, too_large);
        sizes_left_out > 0)
        left_out.push_back(detail::sizes_not_run(sizes_left_out) + ": a launch has more than " +
                           std::to_string(checked.compiled.most_threads) + " threads there");
    std::erase_if(repeated, too_large);
    auto const start = clock::now();
    std::size_t ran = 0;   // of those sizes
    std::size_t least = 0; // bytes, of those that were missed
    auto const take = [&](std::span<prepared_test const*> tests,
                          seconds until) -> result<std::optional<failure>> {
        while (!tests.empty()) {
            seconds const before = clock::now() - start;
            std::vector<instrumented_run> batch;
            std::size_t bytes = 0;
            for (prepared_test const* const t : tests) {
                bytes += std::max<std::size_t>(bytes_of(t), 1);
                bool const far = !batch.empty() && bytes > pace.at_once();
                if (far || before + pace.predicted(bytes) > until) break;
                batch.push_back({*t, 2 * most});
            }
            if (batch.empty()) break;
            run_instrumented(checked, batch);
            bytes = 0;
            for (instrumented_run& one : batch) {
                bytes += std::max<std::size_t>(detail::bytes_of(one.test.test), 1);
                auto& found = one.outcome;
                bool const unavailable = !found && found.error().kind == condition::unavailable;
                if (!found && !unavailable) return found;
                if (unavailable || (*found && std::holds_alternative<timed_out>(**found))) {
                    if (least == 0) least = detail::bytes_of(one.test.test);
                    continue;
                }
                if (*found) {
                    auto const own = original_fails_alike(one.test, **found, 2 * most);
                    if (!own) return own.error();
                    if (!*own) return found;
                    one.unchecked = {"the original fails in checked mode, too, with arguments of " +
                                     to_string(lkt::bytes{detail::bytes_of(one.test.test)}) + ": " +
                                     describe(**found)};
                }
                ++ran;
                if (auto ok = drop_shared_conversions(one); !ok) return ok.error();
                for (std::string& why : one.unchecked)
                    if (std::ranges::find(left_out, why) == left_out.end())
                        left_out.push_back(std::move(why));
            }
            pace.add(bytes, clock::now() - start - before);
            tests = tests.subspan(batch.size());
        }
        if (!tests.empty() && least == 0) least = bytes_of(tests.front());
        return std::optional<failure>();
    };
    if (auto found = take(of_each_size, most); !found || *found) return found;
    std::size_t const missed = of_each_size.size() - ran, from = least;
    if (auto found = take(repeated, most / 5); !found || *found) return found;
    if (missed > 0)
        left_out.push_back(detail::sizes_not_run(missed) + ", with arguments of " +
                           to_string(bytes{from}) + " or more: that takes more than " +
                           to_string(most));
    return std::optional<failure>();
}

result<test_runner::instrumented_run> test_runner::original_on(prepared_test const& test,
                                                               seconds limit) {
    instrumented_run one{test, limit};
    auto const own = of_original([&](trial const& original) -> result<std::optional<failure>> {
        auto const built = build_one({*original.kernel, *original.declared, original.config, true});
        auto const* const checked = built ? std::get_if<trial>(&*built) : nullptr;
        if (checked != nullptr) run_instrumented(*checked, {&one, 1});
        if (!built && built.error().kind == condition::cancelled) return built.error();
        return std::optional<failure>();
    });
    if (!own && own.error().kind == condition::cancelled) return own.error();
    return one;
}

result<bool>
test_runner::original_fails_alike(prepared_test const& test, failure const& seen, seconds limit) {
    auto const own = original_on(test, limit);
    if (!own) return own.error();
    auto const& found = own->outcome;
    if (!found && found.error().kind == condition::cancelled) return found.error();
    return found && *found && verdict_of(**found) == verdict_of(seen);
}

result<void> test_runner::drop_shared_conversions(instrumented_run& one) {
    auto const converts = [](std::string const& why) { return why.starts_with(open_conversion); };
    if (std::ranges::none_of(one.unchecked, converts)) return {};
    auto const own = original_on(one.test, one.limit);
    if (!own) return own.error();
    if (std::ranges::none_of(own->unchecked, converts)) return {};
    for (std::string& why : one.unchecked)
        if (converts(why))
            why.erase(0, why.find("; ") == why.npos ? why.size() : why.find("; ") + 2);
    std::erase(one.unchecked, std::string{});
    return {};
}

result<std::optional<failure>> test_runner::original_checked() {
    return of_original([&](trial const& original) {
        checked_part part;
        return run_checked(original, part, seconds{0});
    });
}

bool test_runner::takes_long(trial const& t, prepared_test const& subject, seconds limit) {
    constexpr double most = 4000;
    auto const number = static_cast<std::size_t>(&subject - setup_.suite.tests.data());
    std::vector<seconds> times;
    auto const found = run_on(t, setup_.suite, setup_.options.launch_limit, {number}, &times);
    return found && !*found && times.size() > number && times[number] * most > limit;
}

} // namespace lkt
