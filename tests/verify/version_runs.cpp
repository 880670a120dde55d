// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/detail/version_runs.hpp>

#include <doctest/doctest.h>

#include <lkt/gpu/gpu_ref.hpp>

#include "fake_backend.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace {

/// y = x times the kernel's digest. A run fails where one of its launches has a negative x.
struct sets_backend {
    bool uses_sets = true;
    std::vector<std::size_t> launched; ///< the launches of each run

    lkt::result<lkt::device_description> device(lkt::call_context const&) {
        return lkt::device_description{};
    }
    lkt::result<lkt::compile_outcome> compile(lkt::compile_request const&,
                                              lkt::call_context const&) {
        return lkt::compile_outcome(lkt::compiled_kernel{});
    }
    lkt::result<lkt::run_outcome> run(lkt::compiled_kernel const& kernel,
                                      lkt::run_request const& request,
                                      lkt::call_context const&) {
        launched.push_back(static_cast<std::size_t>(request.launches));
        lkt::run_report report;
        report.sets = uses_sets ? 1 + request.ring.size() : 1;
        for (int launch = 0; launch < request.launches; ++launch) {
            auto const set = lkt::set_of_launch(request.poison_seed, launch, report.sets);
            auto const now = set == 0 ? request.arguments : request.ring[set - 1].arguments;
            lkt::argument_data y = now[1];
            for (std::size_t lane = 0; lane < y.lanes(); ++lane) {
                auto const x = now[0].lane<float>(lane);
                if (x < 0) return lkt::run_outcome(lkt::failure(lkt::launch_failed{"negative"}));
                float const made = x * static_cast<float>(kernel.digest);
                std::memcpy(y.bytes.data() + lane * sizeof made, &made, sizeof made);
            }
            report.samples.emplace_back(1e-3);
            report.kept.push_back({launch, false, {y}, set});
        }
        return lkt::run_outcome(std::move(report));
    }
};
static_assert(lkt::gpu_backend<sets_backend>);

lkt::test_case test_of(std::int64_t n, float x) {
    lkt::argument_data floats{{lkt::scalar_type::float32, 1}, true, {}};
    floats.bytes.resize(static_cast<std::size_t>(n) * sizeof x);
    lkt::test_case test;
    test.size = {{"N", n}};
    test.arguments = {floats, floats, {{lkt::scalar_type::int32, 1}, false, {}}};
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k)
        std::memcpy(test.arguments[0].bytes.data() + k * sizeof x, &x, sizeof x);
    auto const count = static_cast<std::int32_t>(n);
    test.arguments[2].bytes.resize(sizeof count);
    std::memcpy(test.arguments[2].bytes.data(), &count, sizeof count);
    return test;
}

/// What launches of two kernels leave in y[0], in turns: nothing where they fail.
std::vector<std::optional<float>> made_of(sets_backend& gpu,
                                          std::deque<lkt::test_case> const& all) {
    // A back end need not have handles: kernels are told apart all the same.
    lkt::compiled_kernel twice, thrice;
    twice.digest = 2, thrice.digest = 3;
    std::vector<lkt::detail::version_run> runs;
    for (std::size_t k = 0; k < all.size(); ++k)
        runs.push_back({k % 2 == 0 ? twice : thrice, all[k], 1});
    lkt::test_suite suite;
    suite.directions = {lkt::direction::in, lkt::direction::out, lkt::direction::in};
    auto const task = test::doubling_problem();
    auto const outputs =
        lkt::detail::outputs_of(lkt::gpu_ref{gpu}, runs, task, suite, lkt::seconds{1}, {});
    std::vector<std::optional<float>> made;
    for (auto const& of : outputs)
        made.push_back(of.empty() ? std::nullopt : std::optional<float>(of.front().lane<float>(0)));
    return made;
}

using values = std::vector<std::optional<float>>;

} // namespace

TEST_CASE("Launches of one kernel at one size share a run, and each has its own outputs") {
    sets_backend gpu;
    auto const made = made_of(gpu,
                              {test_of(64, 1),
                               test_of(64, 2),
                               test_of(64, 3),
                               test_of(64, 4),
                               test_of(32, 5),
                               test_of(64, 6),
                               test_of(64, 7)});
    CHECK(made == values{2, 6, 6, 12, 10, 18, 14});
    CHECK(gpu.launched == std::vector<std::size_t>{3, 3, 1});
}

TEST_CASE("More launches than a run has sets take several runs") {
    sets_backend gpu;
    std::deque<lkt::test_case> tests;
    values expected;
    for (int k = 0; k < 20; ++k) {
        tests.push_back(test_of(64, static_cast<float>(k)));
        expected.emplace_back(static_cast<float>(k * (k % 2 == 0 ? 2 : 3)));
    }
    CHECK(made_of(gpu, tests) == expected);
    CHECK(gpu.launched == std::vector<std::size_t>{8, 8, 2, 2});
}

TEST_CASE("A launch that fails takes none with it that shares its run") {
    sets_backend gpu;
    auto const made = made_of(
        gpu, {test_of(64, 1), test_of(64, 1), test_of(64, -1), test_of(64, 2), test_of(64, 3)});
    CHECK(made == values{2, 3, std::nullopt, 6, 6});
    CHECK(gpu.launched == std::vector<std::size_t>{3, 2, 1, 1, 1});
}

TEST_CASE("A back end that uses one set of arguments makes the other launches alone") {
    sets_backend gpu{.uses_sets = false, .launched = {}};
    auto const made = made_of(
        gpu, {test_of(64, 1), test_of(64, 1), test_of(64, 2), test_of(64, 2), test_of(64, 3)});
    CHECK(made == values{2, 3, 4, 6, 6});
    CHECK(gpu.launched == std::vector<std::size_t>{3, 2, 1, 1, 1});
}
