// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/tuner/run_journal.hpp>

#include <lkt/core/parallel.hpp>
#include <lkt/nodes/baseline.hpp>
#include <lkt/nodes/draft.hpp>
#include <lkt/store/codec.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

namespace detail {

inline constexpr std::string_view asked_fact = "asked", tests_fact = "tests",
                                  summary_fact = "test summary", spent_fact = "time spent";

/// Who was tuned for: what a report names, without what a restart may change.
std::string tuned_for(device_description const& d) {
    return d.name + " (" + d.backend + (d.architecture.empty() ? "" : ", " + d.architecture) + ")";
}

error other_run(journal const& j, std::string what, std::string hint) {
    return {condition::rejected,
            "lkt.journal.other",
            j.name() + " is " + std::move(what),
            std::move(hint)};
}

/// Adds the checksum of each part: by the gigabyte, one thread would take seconds for them.
void add(digest& d, byte_buffer const& bytes) {
    std::vector<std::uint32_t> sums(parts_in(bytes.size(), bytes_in_part));
    auto const one = [&](std::size_t part, std::size_t first, std::size_t last) noexcept {
        sums[part] = crc32c({reinterpret_cast<char const*>(bytes.data()) + first, last - first});
    };
    // Nobody stops it.
    (void)for_each_part(bytes.size(), bytes_in_part, threads_for_bytes(bytes.size()), {}, one);
    for (std::uint32_t const sum : sums) d.add(std::uint64_t{sum});
}

std::string digest_of(test_suite const& suite) {
    digest d;
    for (prepared_test const& one : suite.tests) {
        d.add(one.test.name);
        for (argument_data const& a : one.expected) add(d, a.bytes);
    }
    return encoded(d.value());
}

result<void> begin_problem(journal& j, problem_draft const& asked) {
    auto const mine = encoded(asked);
    auto const kept = j.fact(asked_fact);
    if (!kept) return j.identity() ? result<void>() : j.put_fact(asked_fact, mine);
    if (*kept == mine) return {};
    return other_run(j,
                     "of another problem",
                     "resume it with the problem that it was started with, or start a new journal");
}

test_summary summary_of(test_suite const& tests, problem const& task) {
    test_summary sum;
    for (prepared_test const& t : tests.tests) {
        sum.names.push_back(t.test.name);
        if (std::find(sum.sizes.begin(), sum.sizes.end(), t.test.size) == sum.sizes.end())
            sum.sizes.push_back(t.test.size);
    }
    auto const positions = output_positions(tests.directions);
    for (std::size_t p = 0; !tests.tests.empty() && p < positions.size(); ++p)
        if (!task.arguments[positions[p]].scratch && p < tests.tests.front().bounds.size())
            sum.tolerances.emplace_back(task.signature.arguments[positions[p]].name,
                                        tests.tests.front().bounds[p]);
    return sum;
}

test_summary tests_in(journal const& j) {
    test_summary sum;
    if (auto const kept = j.fact(summary_fact); kept && !decode(*kept, sum)) sum = {};
    return sum;
}

result<void> keep_tests(journal& j, test_suite const& tests, problem const& task) {
    if (j.fact(tests_fact)) return {};
    if (auto ok = j.put_fact(summary_fact, encoded(summary_of(tests, task))); !ok) return ok;
    return j.put_fact(tests_fact, digest_of(tests));
}

time_spent spent_in(journal const& j) {
    time_spent spent;
    if (auto const kept = j.fact(spent_fact); kept && !decode(*kept, spent)) spent = {};
    return spent;
}

result<void> keep_spent(journal& j, time_spent const& spent) {
    return j.put_fact(spent_fact, encoded(spent));
}

result<void>
same_device(journal const& j, state_ref const& s, call_context const& context, gpu_ref gpu) {
    if (s.device.name.empty()) return {}; // nothing has run on it
    auto const device = gpu.device(context);
    if (!device || tuned_for(*device) == tuned_for(s.device)) return {};
    return other_run(j,
                     "of a run on " + tuned_for(s.device) + "; this is " + tuned_for(*device),
                     "resume it on that device: times of two devices cannot be compared");
}

result<void> prepare_again(
    journal& j, state_ref const& s, tools_ref const& tools, gpu_ref gpu, tests_ref generator) {
    if (auto ok = same_device(j, s, tools.context, gpu); !ok) return ok;
    if (!s.tests.tests.empty()) return {};
    tuning_state again;
    again.task = s.task;
    state_ref const fresh(again);
    auto made = make_tests(fresh, tools, gpu, generator);
    if (made) made = run_reference(fresh, tools, gpu);
    if (!made) return made;
    s.tests = std::move(again.tests);
    if (auto const before = j.fact(tests_fact); before && *before != digest_of(s.tests))
        s.notes.push_back("the run was resumed, and the original now computes other outputs on its "
                          "tests than when the run began");
    return {};
}

error no_journalable_state(std::string_view strategy) {
    return {condition::rejected,
            "lkt.journal.state",
            "the strategy " + std::string(strategy) +
                " cannot be journalled: its State has members that it does not list, or that "
                "cannot be encoded as bytes",
            "list them: using state_fields = lkt::fields_of<lkt::tuning_state, &mine::member>;"};
}

} // namespace detail

result<problem_draft> problem_in(journal const& from) {
    problem_draft asked;
    auto const kept = from.fact(detail::asked_fact);
    if (!kept)
        return error{condition::rejected,
                     "lkt.journal.no-problem",
                     from.name() + " contains no tuning run",
                     "start one"};
    if (auto ok = decode(*kept, asked); !ok)
        return detail::undecodable(from.name(), "problem", ok.error());
    return asked;
}

} // namespace lkt
