// SPDX-License-Identifier: BSL-1.0
// A prepared problem on a fake GPU, and the evaluation of a kernel on it.
#pragma once

#include <lkt/evaluate/evaluation.hpp>
#include <lkt/evaluate/standard_checks.hpp>
#include <lkt/kernel/signature.hpp>

#include "../support/prepared_state.hpp"

#include <string>
#include <utility>
#include <variant>

namespace lkt_test {

struct evaluation_scene {
    explicit evaluation_scene(fake_gpu::behave_fn behave) : gpu(std::move(behave)) {}

    lkt::no_model nobody{};
    fake_gpu gpu;
    bare_tools<fake_gpu, lkt::no_model> tools{gpu, nobody};
    lkt::tuning_state s = prepared_state(tunable_problem(), tools);
    lkt::standard_checks checks{};
    lkt::evaluation in{setup()};
    lkt::candidate kernel = s.baseline.kernel;
    lkt::signature declared = s.task.signature;

    [[nodiscard]] lkt::evaluation_setup setup(lkt::evaluation_parts parts = {}) {
        return {.gpu = lkt::gpu_ref(gpu),
                .task = s.task,
                .device = s.device,
                .suite = s.tests,
                .options = {},
                .context = {},
                .checks = lkt::checks_ref(checks),
                .parts = parts};
    }
    [[nodiscard]] lkt::build_outcome build(std::int64_t block, bool checked = false) {
        lkt::configuration const config{{{"BLOCK", block}}};
        return in.build({kernel, declared, config, checked}).value();
    }
    [[nodiscard]] lkt::trial trial(std::int64_t block = 32) {
        return std::get<lkt::trial>(build(block));
    }
};

} // namespace lkt_test
