// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/nodes/baseline.hpp>

#include <lkt/core/warning.hpp>
#include <lkt/evaluate/evaluation.hpp>
#include <lkt/evaluate/rebuild.hpp>
#include <lkt/kernel/launch_dimensions.hpp>
#include <lkt/lang/cuda/inline_ptx.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/lang/unread_parameters.hpp>
#include <lkt/nodes/detail/original.hpp>
#include <lkt/nodes/detail/profiling.hpp>
#include <lkt/verify/few_values.hpp>
#include <lkt/verify/large_tests.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/problem_oracle.hpp>
#include <lkt/verify/sound_tests.hpp>

#include <future>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace lkt::detail {

/// On a thread of its own, where there is one.
std::future<result<device_description>>
opened_beside(gpu_ref gpu, ptx_policy ptx, call_context const& context) {
    auto const open = [gpu, ptx, &context] {
        auto device = gpu.device(context);
        // What is not known is left out of prompts and reports.
        if (device && !device->simulated)
            if (auto const peaks = gpu.peaks(context)) device->peaks = *peaks;
        if (device && !device->simulated) device->ptx = ptx_words(ptx, device->architecture);
        return device;
    };
    try {
        return std::async(std::launch::async, open);
    } catch (std::system_error const&) {
        return std::async(std::launch::deferred, open);
    }
}

result<void>
make_tests(state_ref const& s, tools_ref const& tools, gpu_ref gpu, tests_ref generator) {
    call_context const& context = tools.context;
    tools.report_progress(s, activity::testing_reference);
    // A GPU takes seconds to open, and so does drawing inputs by the gigabyte.
    auto opening = opened_beside(gpu, tools.options.static_checks.ptx, context);
    std::optional<result<std::vector<test_case>>> cases;
    if (!s.tests.prepared()) cases = generator.generate(s.task, context);
    auto device = opening.get();
    if (!device) return device.error();
    s.device = std::move(*device);
    if (!cases) return {};
    if (!*cases) return cases->error();
    test_suite suite;
    for (test_case& one : **cases) suite.tests.push_back({std::move(one), {}, {}, {}});
    s.tests = std::move(suite);
    return {};
}

result<void> prepare(state_ref const& s, tools_ref const& tools, gpu_ref gpu) {
    evaluation_options const& options = tools.options;
    std::vector<test_case> cases;
    for (prepared_test& one : s.tests.tests) cases.push_back(std::move(one.test));
    oracle_options how;
    how.seed = options.seed;
    how.compile_limit = options.compile_limit;
    if (options.launch_limit.count() > 0) how.launch_limit = options.launch_limit;
    if (options.verify && options.large_launch.count() > 0 && !s.task.oracle && !s.task.unwritten) {
        auto large = large_tests(gpu,
                                 s.task,
                                 tools.context,
                                 {.launch = options.large_launch,
                                  .seed = options.seed,
                                  .compile_limit = options.compile_limit,
                                  .launch_limit = how.launch_limit});
        if (!large) return large.error();
        for (test_case& one : *large) cases.push_back(std::move(one));
    }
    // The original says what is right, unless the problem names somebody else.
    auto suite = s.task.oracle
                     ? suite_of_problem_oracle(s.task, cases, tools.context, how)
                     : lkt::prepare_suite(gpu, s.task, std::move(cases), tools.context, how);
    if (!suite) {
        // They are still there after an error, and whoever goes on from here needs them.
        s.tests.tests.resize(cases.size());
        for (std::size_t k = 0; k < cases.size(); ++k) s.tests.tests[k].test = std::move(cases[k]);
        return suite.error();
    }
    note_few_values(s.task, *suite);
    soundness_options wanted;
    wanted.seed = options.seed;
    wanted.compile_limit = options.compile_limit;
    if (options.launch_limit.count() > 0) wanted.launch_limit = options.launch_limit;
    auto fitted = s.task.oracle
                      ? result<void>()
                      : lkt::detail::fit_to_original(gpu, s.task, *suite, tools.context, wanted);
    // Prepared again by whoever goes on from the error.
    if (!fitted)
        for (prepared_test& one : suite->tests) one.expected.clear();
    s.tests = std::move(*suite);
    return fitted;
}

/// Where something else says what is right, the original has to compute that.
result<void> agrees_with_oracle(state_ref const& s, tools_ref const& tools, gpu_ref gpu) {
    evaluation e(setup_of(s, tools, gpu));
    auto const declared = find_kernel(s.task.reference, s.task.signature.name);
    if (!declared) return declared.error();
    auto original = rebuild(e, s.baseline, *declared, "the original");
    if (!original) return original.error();
    auto wrong = e.tests.run_first(*original);
    if (wrong && !*wrong) wrong = e.tests.run_rest(*original);
    if (!wrong) return wrong.error();
    if (!*wrong) return {};
    return error{condition::rejected,
                 "lkt.verify.oracle",
                 "the original kernel does not compute what " + s.tests.oracle +
                     " computes: " + describe(**wrong),
                 "Correct one of the two, or give the outputs a tolerance."};
}

result<void> run_reference(state_ref const& s, tools_ref const& tools, gpu_ref gpu) {
    if (!s.tests.prepared())
        if (auto ok = prepare(s, tools, gpu); !ok) return ok.error();
    tuned_kernel original{.kernel = {.source = s.task.reference,
                                     .parameters = s.task.parameters,
                                     .restrictions = s.task.restrictions,
                                     .launch = s.task.launch,
                                     .description = "the original"},
                          .config = s.tests.reference_configuration,
                          .dimensions = {},
                          .time = {}};
    auto const d = s.task.launch.evaluate(scope_of(s.task.size, original.config));
    if (!d) return d.error();
    original.dimensions = *d;
    for (std::string const& note : s.tests.notes) s.notes.push_back(note);
    s.baseline = original;
    s.best = std::move(original);
    return s.tests.oracle.empty() || s.task.unwritten ? result<void>()
                                                      : agrees_with_oracle(s, tools, gpu);
}

result<void> time_baseline(state_ref const& s, tools_ref const& tools, gpu_ref gpu) {
    if (auto ok = tools.before_launches(s); !ok) return ok;
    evaluation e(setup_of(s, tools, gpu));
    auto const declared = find_kernel(s.task.reference, s.task.signature.name);
    if (!declared) return declared.error();
    auto const original = rebuild(e, s.baseline, *declared, "the original");
    if (!original) return original.error();
    checked_part checked;
    double occupancy = 0;
    std::string how; // times were taken
    auto const series = [&](std::size_t number) -> result<measurement> {
        tools.report_progress(s, activity::timing_baseline, number, 2);
        trial c = *original;
        c.time = {};
        seconds one = s.tests.tests.front().reference_time;
        if (!e.setup.drops_slow_ones()) { // one launch says how many more are affordable
            if (auto ok = e.timing.time(c, 1); !ok) return ok.error();
            one = c.time.median();
            c.time = {};
        }
        int const launches = e.timing.launches_a_round(one) * e.timing.rounds();
        if (auto ok = e.timing.time(c, launches); !ok) return ok.error();
        if (c.failed) return lost_kernel(*c.failed, "the original");
        occupancy = c.occupancy;
        how = c.timing;
        return c.time;
    };
    auto first = series(0);
    if (!first) return first.error();
    std::vector<std::string> notes;
    if (!tools.options.verify)
        notes.push_back(warning("nothing was verified (evaluation_options::verify is off): do not "
                                "trust the times and kernels of this run"));
    for (std::string const& name : unread_parameters(
             s.task.reference, s.task.signature.name, s.task.launch, s.task.parameters))
        notes.push_back(warning("nothing reads the parameter `" + name +
                                "`: neither the original's text nor its launch"));
    bool checked_mode = s.checked_mode;
    if (e.setup.options.checked && checked_mode) {
        // Where a kernel fails on a larger test, the original is run on it, too.
        auto found = e.tests.run_checked(*original, checked, seconds{0});
        if (!found) return found.error();
        if (!*found && !checked.left_out.empty())
            notes.push_back("the original was " + checked.left_out);
        if (*found) {
            checked_mode = false;
            checked = {checked_extent::none, "the original itself fails in checked mode"};
            notes.push_back(warning("the original itself fails in checked mode, so candidates are "
                                    "not run in it: " +
                                    describe(**found)));
        }
    }
    measurement time = *first;
    if (!e.setup.drops_slow_ones()) { // elsewhere the confirmation is the second timing
        auto second = series(1);
        if (!second) return second.error();
        if (compare(*first, *second) != comparison::undecided) {
            auto third = series(2);
            if (!third) return third.error();
            notes.push_back(timings_disagree(*first, *second) + "; a third gave " +
                            to_string(*third));
            time = *second;
            second = std::move(third);
        }
        time.samples.insert(time.samples.end(), second->samples.begin(), second->samples.end());
    }
    if (!how.empty()) notes.push_back(how);
    for (std::string const& note : own_notes(original->compiled.notes, s))
        notes.push_back(of_the_original(note));
    for (std::string& note : notes) s.notes.push_back(std::move(note));
    s.checked_mode = checked_mode;
    s.baseline.checked = std::move(checked);
    s.baseline.time = std::move(time);
    s.baseline.resources = original->compiled.resources;
    s.baseline.occupancy = occupancy;
    s.best = s.baseline;
    profile_best(s, tools, gpu);
    s.baseline.profile = s.best.profile;
    return {};
}

} // namespace lkt::detail
