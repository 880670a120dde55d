// SPDX-License-Identifier: BSL-1.0
#include "judge.hpp"

#include "../common/backend.hpp"
#include "../common/interrupt.hpp"
#include "../common/output.hpp"
#include "../common/tests.hpp"

#include <lkt/core/plain_text.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/report/kernel_entries.hpp>
#include <lkt/tuner/verifier.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace lkt_store {
namespace {

using namespace lkt_apps;

/// The problem as it is for kernels of this language; nothing where it has none of them.
lkt::result<std::optional<lkt::problem>>
problem_in(options const& o, lkt::stored_kernels const& found, lkt::language language) {
    using wanted = std::optional<lkt::problem>;
    auto problem = lkt::read_problem(o.problem_file);
    if (problem && problem->unwritten) // an operation is for any language
        problem = lkt::read_problem(o.problem_file, language);
    if (!problem) return problem.error();
    bool const any =
        std::any_of(found.entries.begin(), found.entries.end(), [&](lkt::kernel_entry const& e) {
            return e.key.language == language && e.key.operation == problem->signature.name;
        });
    if (!any || problem->reference.language != language) return wanted();
    return wanted(std::move(*problem));
}

/// Judges the accepted kernels of one problem on this device; what failed, if something did.
std::optional<lkt::error> judge(lkt::kernel_store& store,
                                lkt::stored_kernels const& found,
                                lkt::problem const& task,
                                options const& o,
                                interrupt const& signals,
                                judged_kernels& sum) {
    auto back = make_backend({.usage_code = usage_code,
                              .name = o.backend,
                              .device = o.device,
                              .language = task.reference.language,
                              .unconfined_compiler = o.unconfined_compiler},
                             {signals.token(), {}});
    if (signals.requested()) return lkt::cancelled("verifying the store");
    if (!back) return back.error();
    say_choice("lkt-store", *back, true);
    auto const device = back->gpu.device({signals.token(), {}});
    if (!device) return device.error();
    auto const key = lkt::key_of(task, *device);
    if (!key) return key.error();
    auto tests = make_tests({}, lkt::verifier_options{}.evaluation.seed, memory_for_a_test(0));
    if (!tests) return tests.error();
    lkt::verifier verifier{back->gpu, *tests};
    lkt::verifier_options how;
    how.stop = signals.token();
    if (auto ready = verifier.prepare(task, std::move(how)); !ready)
        return signals.requested() ? lkt::cancelled("verifying the store") : ready.error();
    for (lkt::kernel_entry const& e : found.entries) {
        if (e.status != lkt::stored_status::accepted || e.writer != "lkt" ||
            e.key.problem != key->problem)
            continue;
        ++sum.all;
        auto const kernel = lkt::candidate_of(e, task);
        if (!kernel) return kernel.error();
        auto const verdict = verifier.verify(*kernel);
        if (signals.requested()) return lkt::cancelled("verifying the store");
        if (!verdict) return verdict.error();
        if (verdict->accepted()) {
            sum.text += "accepted  " + e.file + "\n";
            continue;
        }
        ++sum.wrong;
        auto const why = describe(*verdict->why);
        sum.text += "REJECTED  " + e.file + ": " + lkt::plain_line(why, 200) + "\n";
        // What is wrong on another device need not be wrong on its own.
        if (e.key == *key)
            if (auto failed = store.reject(e, why)) return failed;
    }
    return std::nullopt;
}

} // namespace

lkt::result<judged_kernels>
judge_all(lkt::kernel_store& store, lkt::stored_kernels const& found, options const& o) {
    interrupt signals;
    judged_kernels sum;
    for (lkt::language const language :
         {lkt::language::cuda, lkt::language::hip, lkt::language::wgsl}) {
        auto const task = problem_in(o, found, language);
        if (!task) return task.error();
        if (!*task) continue;
        if (auto const failed = judge(store, found, **task, o, signals, sum)) return *failed;
    }
    return sum;
}

} // namespace lkt_store
