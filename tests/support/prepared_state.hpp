// SPDX-License-Identifier: BSL-1.0
// A state as a strategy finds it: tests, expected outputs and the baseline are there.
#pragma once

#include <lkt/nodes/baseline.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/search/exhaustive.hpp>
#include <lkt/verify/problem_tests.hpp>

#include "fake_gpu.hpp"

#include <utility>

namespace lkt_test {

template <class Tools>
lkt::tuning_state prepared_state(lkt::problem task, Tools& tools) {
    lkt::tuning_state s;
    s.task = std::move(task);
    lkt::make_tests(s, tools).value();
    lkt::run_reference(s, tools).value();
    lkt::time_baseline(s, tools).value();
    return s;
}

/// The least that tools can be.
template <class Gpu, class Llm>
struct bare_tools {
    Gpu& gpu;
    Llm& llm;
};
template <class Gpu, class Llm>
bare_tools(Gpu&, Llm&) -> bare_tools<Gpu, Llm>;

} // namespace lkt_test
