// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/sound_tests.hpp>

#include <lkt/kernel/argument_data.hpp>
#include <lkt/verify/detail/conditioning.hpp>
#include <lkt/verify/detail/copied_outputs.hpp>
#include <lkt/verify/detail/launching.hpp>
#include <lkt/verify/detail/value_regime.hpp>
#include <lkt/verify/exact.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lkt {

namespace detail::soundness {

/// Whether a test of the menu tells little: every output is the same everywhere.
bool constant(problem const& task, test_suite const& suite, std::size_t number) {
    prepared_test const& t = suite.tests[number];
    if (!chosen_by_lkt(suite, number) ||
        (t.test.origin != test_origin::menu && t.test.origin != test_origin::long_rows))
        return false;
    auto const positions = output_positions(suite.directions);
    for (std::size_t p = 0; p < positions.size(); ++p)
        if (!task.arguments[positions[p]].scratch && !all_alike(t.expected[p])) return false;
    return true;
}

/// Leaves out all elements of a test, where there is still something to judge: that each output is
/// finite.
bool open_but_finite(problem const& task, test_suite& suite, std::size_t number) {
    prepared_test& t = suite.tests[number];
    bool any = false;
    auto const positions = output_positions(suite.directions);
    t.open.clear();
    for (std::size_t p = 0; p < positions.size(); ++p) {
        t.open.emplace_back(t.expected[p].count());
        bool const finite = p < t.finite.size() && t.finite[p];
        if (!finite && !task.arguments[positions[p]].scratch) return false;
        any = any || finite;
        t.open[p] = t.open[p].others();
    }
    return any;
}

bool known_exactly(prepared_test const& t) {
    return std::any_of(
        t.exact.begin(), t.exact.end(), [](argument_data const& e) { return !e.bytes.empty(); });
}

bool worth_moving(problem const& task, prepared_test const& t, soundness_options const& options) {
    bool any = false;
    for (std::size_t k = 0; k < t.test.arguments.size(); ++k) any = any || moves(task, t.test, k);
    // Float64 values say enough of those that have grown, unless floats decide integers.
    bool const fits = t.test.origin == test_origin::grown_extent
                          ? decides(task)
                          : bytes_of(t.test) <= options.test_bytes;
    return any && fits;
}

/// Sizes that are swept are many, and tell wrong indices: 16 times the default bounds, and nothing
/// of all errors together, so that it costs no launches to know how exact the original is there.
void loosen(problem const& task, test_suite& suite, prepared_test& t) {
    auto const positions = output_positions(suite.directions);
    for (std::size_t p = 0; p < positions.size(); ++p) {
        if (task.arguments[positions[p]].bound) continue;
        t.bounds[p].absolute *= 16;
        t.bounds[p].relative *= 16;
    }
    t.limits.clear();
}

} // namespace detail::soundness

namespace detail {

result<void> keep_sound_tests(gpu_ref backend,
                              problem const& task,
                              test_suite& suite,
                              call_context const& context,
                              soundness_options const& options) {
    using namespace soundness;
    auto const drop = [&](std::vector<bool> const& which) {
        std::vector<prepared_test> kept;
        for (std::size_t k = 0; k < suite.tests.size(); ++k)
            if (!which[k]) kept.push_back(std::move(suite.tests[k]));
        suite.tests = std::move(kept);
    };
    std::vector<bool> tells_little;
    for (std::size_t k = 0; k < suite.tests.size(); ++k)
        tells_little.push_back(constant(task, suite, k));
    drop(tells_little);

    std::vector<std::size_t> movable, narrow;
    for (std::size_t k = 0; k < suite.tests.size(); ++k) {
        if (worth_moving(task, suite.tests[k], options)) movable.push_back(k);
        // As above: long sums of narrow numbers are compared with those in float64, not moved.
        else if (known_exactly(suite.tests[k]) &&
                 (suite.tests[k].test.origin != test_origin::grown_extent || decides(task)))
            narrow.push_back(k);
    }
    // Who promises compensated sums is right for the very inputs that there are.
    if (task.properties.compensated) return {};
    auto const wide = movable.empty() && !narrow.empty() ? float64_version(task) : std::nullopt;
    if (wide) movable = std::move(narrow);
    if (movable.empty()) return {};
    auto const compiled = backend.compile(request_for_original(wide ? *wide : task,
                                                               suite.reference_configuration,
                                                               options.compile_limit),
                                          context);
    if (!compiled) return compiled.error();
    if (!std::holds_alternative<compiled_kernel>(*compiled)) return {};
    conditioning const original{backend,
                                std::get<compiled_kernel>(*compiled),
                                wide ? &*wide : nullptr,
                                task,
                                suite,
                                context,
                                options,
                                only_copies(task, suite)};
    std::vector<bool> ill(suite.tests.size(), false), loose = ill;
    for (std::size_t k : movable) {
        auto const said = original.fit(k);
        if (!said) return said.error();
        if (said->empty()) continue;
        if (chosen_by_lkt(suite, k)) {
            loose[k] = open_but_finite(task, suite, k);
            ill[k] = !loose[k];
            continue;
        }
        suite.notes.push_back("the original is ill-conditioned on test `" +
                              suite.tests[k].test.name + "`: " + *said +
                              ". An honest rewrite may differ there; a tolerance with a share of "
                              "the elements (`share`) allows for it");
    }
    std::uint64_t open = 0, of = 0;
    for (std::size_t k = 0; k < suite.tests.size(); ++k)
        for (element_set const& e : suite.tests[k].open) {
            if (loose[k]) break;
            open += e.count();
            of += e.count() > 0 ? e.size() : 0;
        }
    if (open > 0)
        suite.notes.push_back(std::to_string(open) + " of " + std::to_string(of) +
                              " outputs are not judged, since rounding decides them: the "
                              "original's move by more than their bound when inputs move by units "
                              "in the last place");
    auto const note = [&](std::vector<bool> const& which, char const* one, char const* more) {
        auto const n = std::count(which.begin(), which.end(), true);
        if (n == 0) return;
        suite.notes.push_back(std::to_string(n) + " of " + std::to_string(which.size()) +
                              (n == 1 ? one : more) +
                              " the original moves by more than its bound when inputs move by "
                              "units in the last place");
    };
    note(loose,
         " tests asks only that outputs be finite: on it",
         " tests ask only that outputs be finite: on them");
    note(ill, " tests was dropped: on it", " tests were dropped: on them");
    drop(ill);
    return {};
}

result<void> fit_to_original(gpu_ref backend,
                             problem const& task,
                             test_suite& suite,
                             call_context const& context,
                             soundness_options const& options) {
    for (prepared_test& t : suite.tests)
        if (t.test.origin == test_origin::swept_size) soundness::loosen(task, suite, t);
    exact_options exact;
    exact.compile_limit = options.compile_limit;
    exact.launch_limit = options.launch_limit;
    if (auto ok = fit_bounds(backend, task, suite, context, exact); !ok) return ok.error();
    if (auto ok = keep_sound_tests(backend, task, suite, context, options); !ok) return ok.error();
    if (auto ok = soundness::allow_own_rounding(backend, task, suite, context, options); !ok)
        return ok.error();
    if (auto ok = soundness::allow_rounded_factors(backend, task, suite, context, options); !ok)
        return ok.error();
    expect_copies(task, suite);
    return {};
}

} // namespace detail

} // namespace lkt
