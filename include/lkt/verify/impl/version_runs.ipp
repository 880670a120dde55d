// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/detail/version_runs.hpp>

#include <lkt/verify/detail/launching.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

namespace lkt::detail {

namespace versions {

/// For a run of as many launches as sets of arguments: a seed with which each set has one launch.
std::uint64_t seed_for(std::size_t sets) {
    static auto const seeds = [] {
        std::array<std::uint64_t, most_versions + 1> found{};
        for (std::size_t n = 1; n <= most_versions; ++n)
            for (std::uint64_t seed = 1; found[n] == 0; ++seed) {
                unsigned drawn = 0;
                for (std::size_t k = 0; k < n; ++k)
                    drawn |= 1U << set_of_launch(seed, static_cast<int>(k), n);
                if (drawn + 1 == 1U << n) found[n] = seed;
            }
        return found;
    }();
    return seeds[sets];
}

/// Launches that share a run.
struct shared_run {
    launch_dimensions dimensions;
    std::vector<std::size_t> of; ///< by number
};

bool same_shape(test_case const& a, test_case const& b) {
    return a.unaligned == b.unaligned &&
           std::equal(a.arguments.begin(),
                      a.arguments.end(),
                      b.arguments.begin(),
                      b.arguments.end(),
                      [](argument_data const& x, argument_data const& y) {
                          return x.type == y.type && x.buffer == y.buffer &&
                                 x.bytes.size() == y.bytes.size();
                      });
}

struct version_runner {
    gpu_ref backend;
    std::span<version_run const> wanted;
    test_suite const& suite;
    seconds limit;
    call_context const& context;
    std::vector<std::optional<result<run_outcome>>> all{wanted.size()};

    [[nodiscard]] run_request request_for(shared_run const& run) const {
        test_case const& first = wanted[run.of.front()].test;
        auto request = request_on(first,
                                  suite.directions,
                                  run.dimensions,
                                  static_cast<int>(run.of.size()),
                                  seed_for(run.of.size()),
                                  limit);
        for (std::size_t k = 1; k < run.of.size(); ++k)
            request.ring.push_back({wanted[run.of[k]].test.arguments});
        return request;
    }

    /// Gives launches their outcomes. A back end may have made fewer of them.
    void take(shared_run const& run, run_request const& request, result<run_outcome> ran) {
        test_case const& first = wanted[run.of.front()].test;
        auto outcome = complete(std::move(ran), request, first, suite.directions);
        if (run.of.size() == 1) {
            all[run.of.front()] = std::move(outcome);
            return;
        }
        auto* const report = outcome ? std::get_if<run_report>(&*outcome) : nullptr;
        if (report == nullptr) return;
        for (std::size_t k = 0; k < report->kept.size(); ++k) {
            auto& kept = report->kept[k];
            if (kept.set >= run.of.size() || all[run.of[kept.set]]) continue;
            run_report one;
            if (k < report->samples.size()) one.samples.push_back(report->samples[k]);
            auto& whose = all[run.of[kept.set]];
            kept.launch = 0, kept.set = 0;
            one.kept.push_back(std::move(kept));
            whose = run_outcome(std::move(one));
        }
    }

    /// The launches that were not made.
    std::vector<shared_run> make(std::vector<shared_run> const& runs) {
        std::vector<run_request> requests;
        for (shared_run const& run : runs) requests.push_back(request_for(run));
        std::vector<kernel_run> batch;
        for (std::size_t k = 0; k < runs.size(); ++k)
            batch.push_back({wanted[runs[k].of.front()].kernel, requests[k], false});
        std::vector<shared_run> alone;
        if (batch.empty()) return alone;
        auto made = backend.run_all(batch, context);
        for (std::size_t k = 0; k < runs.size(); ++k) {
            take(runs[k], requests[k], std::move(made[k]));
            for (std::size_t const one : runs[k].of)
                if (!all[one]) alone.push_back({runs[k].dimensions, {one}});
        }
        return alone;
    }
};

} // namespace versions

std::vector<result<run_outcome>> runs_of_versions(gpu_ref backend,
                                                  std::span<version_run const> wanted,
                                                  problem const& task,
                                                  test_suite const& suite,
                                                  seconds limit,
                                                  call_context const& context) {
    using namespace versions;
    version_runner runner{backend, wanted, suite, limit, context};
    std::vector<shared_run> runs;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        auto const& [kernel, test, shared] = wanted[k];
        auto dimensions = task.launch.evaluate(scope_of(test.size, suite.reference_configuration));
        if (!dimensions) {
            runner.all[k] = dimensions.error();
            continue;
        }
        dimensions->shared_bytes *= shared;
        auto const most = versions_at_once(test);
        auto const fits = std::find_if(runs.begin(), runs.end(), [&](shared_run const& r) {
            version_run const& first = wanted[r.of.front()];
            return r.of.size() < most && &first.kernel == &kernel && r.dimensions == *dimensions &&
                   same_shape(first.test, test);
        });
        if (fits != runs.end())
            fits->of.push_back(k);
        else
            runs.push_back({*dimensions, {k}});
    }
    (void)runner.make(runner.make(runs));
    std::vector<result<run_outcome>> all;
    for (auto& one : runner.all) all.push_back(std::move(*one));
    return all;
}

std::vector<std::vector<argument_data>> outputs_of(gpu_ref backend,
                                                   std::span<version_run const> wanted,
                                                   problem const& task,
                                                   test_suite const& suite,
                                                   seconds limit,
                                                   call_context const& context) {
    std::vector<std::vector<argument_data>> outputs;
    for (auto& ran : runs_of_versions(backend, wanted, task, suite, limit, context)) {
        auto& of = outputs.emplace_back();
        if (!ran) continue;
        if (auto* const report = std::get_if<run_report>(&*ran))
            of = std::move(report->kept.front().outputs);
    }
    return outputs;
}

} // namespace lkt::detail
