// SPDX-License-Identifier: BSL-1.0
// A run with an attempt of every kind, and the comparison with golden files.
#pragma once

#include <lkt/tuner/tuning_outcome.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace lkt_test {

inline lkt::measurement around(double s) {
    lkt::measurement m;
    for (int i = 0; i < 11; ++i) m.samples.emplace_back(s * (1 + (i % 5) / 512.0));
    return m;
}

inline lkt::configuration tile(std::int64_t t) { return {{{"TILE", t}}}; }

inline lkt::tried_configuration timed(std::int64_t t, double s) {
    lkt::launch_dimensions d;
    d.grid = {16, 16, 1};
    d.block = {static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(t), 1};
    return {tile(t), d, around(s)};
}

inline lkt::tuning_outcome sample_outcome() {
    lkt::tuning_outcome out;
    out.task.signature.name = "matmul";
    out.task.reference = {lkt::language::cuda, "__global__ void matmul() {}\n", "matmul.cu"};
    out.task.size = {{"N", 256}};
    out.device.name = "host CPU (2 threads)";
    out.device.backend = "host";
    out.device.driver = "g++ 12.2.0";
    out.device.simulated = true;
    out.strategy = "one_prompt";
    out.terminal = "tuned";
    out.tests = {"N=256", "N=100"};
    out.sizes = {{{"N", 256}}, {{"N", 100}}};
    out.tolerances = {{"C", {1e-5, 1e-6}}};
    out.seed = 7;
    out.baseline.kernel.source = out.task.reference;
    out.baseline.dimensions = {{16, 16, 1}, {16, 16, 1}, 0};
    out.baseline.time = around(48e-3);
    out.best.kernel.source = {
        lkt::language::cuda, "// tiled\n__global__ void matmul() {}\n", "reply"};
    out.best.kernel.parameters = {{"TILE", {std::int64_t{8}, std::int64_t{16}}}};
    out.best.kernel.description = "tiles";
    out.best.config = tile(16);
    out.best.dimensions = {{16, 16, 1}, {16, 16, 1}, 2048};
    out.best.time = around(12e-3);
    out.best.checked = {lkt::checked_extent::partial, "checked on the CPU only: no sanitizer"};
    out.confirmed = true;
    out.usage.calls = 4;
    out.usage.requests = 5;
    out.usage.tokens = {5200, 1300};
    out.usage.time = lkt::seconds(31);
    out.model = {"model-1", "recorded", "recorded replies of model-1, replayed in order"};
    out.wall_time = lkt::seconds(42.5);
    out.total_time = lkt::seconds(142.5);
    out.sessions = 3;
    out.notes = {"two timings of the original disagree: 48 ms and 51 ms",
                 "warning: nothing reads the parameter `UNROLL`: neither the original's text nor "
                 "its launch",
                 "the original: compiler: g++ 12.2.0"};

    auto const add = [&](lkt::attempt_outcome outcome, char const* description) {
        auto& a = out.history.emplace_back();
        a.model = "model-1";
        a.reply = "a reply";
        a.outcome = std::move(outcome);
        a.proposal.description = description;
        a.proposal.source.text = "kernel";
        a.thinking = lkt::seconds(8);
        a.testing = lkt::seconds(1.5);
        return &a;
    };
    add(lkt::failure(lkt::no_code{"the reply is empty"}), "")->proposal = {};
    add(lkt::failure(lkt::compile_failed{"3:5: error: expected ';'\n  a b\n    ^\nmore\n", {3, 5}}),
        "unrolled");
    lkt::wrong_output wrong;
    wrong.test = "N=100";
    wrong.argument = "C";
    wrong.index = 99;
    wrong.expected = "1.5";
    wrong.got = "0";
    wrong.wrong = 100;
    wrong.total = 10000;
    wrong.pattern = "the last column";
    auto* w = add(lkt::failure(wrong), "no guard");
    w->context = "Configuration: TILE=16.";
    w->configurations = {{tile(16), lkt::launch_dimensions{}, lkt::failure(wrong)},
                         {tile(32), lkt::launch_dimensions{}, lkt::failure(wrong)}};
    lkt::no_improvement slower;
    slower.verdict = lkt::comparison::slower;
    slower.best = around(48e-3);
    slower.got = around(60e-3);
    add(slower, "shared memory")->configurations = {{{}, lkt::launch_dimensions{}, around(60e-3)}};
    auto* good = add(lkt::improvement{around(48e-3), around(12e-3)}, "tiles");
    good->context = "Configuration: TILE=16.";
    good->configurations = {timed(8, 15e-3),
                            timed(16, 12e-3),
                            {tile(64), {}, lkt::failure(lkt::launch_failed{"4096 threads"})},
                            {tile(128), {}, lkt::failure(lkt::launch_failed{"4096 threads"})}};
    good->configurations[1].in_finals = around(12e-3);
    good->space = 40;
    good->notes = {"the field `x` of the json block was ignored",
                   "warning: the budget ended the search after 4 of 40 configurations"};
    good->parent = 4;
    good->round = 2;
    add(lkt::not_evaluated{}, "the last one");
    return out;
}

/// Compares with tests/report/golden/NAME; LKT_REFRESH_GOLDEN=1 writes it instead.
inline void check_golden(std::string const& name, std::string const& text) {
    std::string const path = std::string(LKT_TEST_SOURCE_DIR) + "/report/golden/" + name;
    if (char const* refresh = std::getenv("LKT_REFRESH_GOLDEN"); refresh && *refresh == '1') {
        std::ofstream(path) << text;
        MESSAGE("wrote " << path);
    }
    std::ifstream file(path);
    REQUIRE_MESSAGE(file.good(), path << " is missing: run with LKT_REFRESH_GOLDEN=1");
    std::string const golden{std::istreambuf_iterator<char>(file), {}};
    CHECK_MESSAGE(text == golden,
                  "differs from " << path
                                  << "; look at it, then refresh with "
                                     "LKT_REFRESH_GOLDEN=1. Got:\n"
                                  << text);
}

} // namespace lkt_test
