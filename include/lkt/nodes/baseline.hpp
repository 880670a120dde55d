// SPDX-License-Identifier: BSL-1.0
// What comes before a strategy: tests, what the original makes of them, and how long it takes.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

namespace lkt {

namespace detail {

[[nodiscard]] result<void>
make_tests(state_ref const& s, tools_ref const& tools, gpu_ref gpu, tests_ref generator);
[[nodiscard]] result<void> run_reference(state_ref const& s, tools_ref const& tools, gpu_ref gpu);
[[nodiscard]] result<void> time_baseline(state_ref const& s, tools_ref const& tools, gpu_ref gpu);

} // namespace detail

/// Generates the inputs that every candidate is tested on, with `tools.tests` or, where there is
/// none, from the signature; the device describes itself. Writes `device`, and `tests` unless they
/// are prepared already.
inline constexpr auto make_tests =
    []<tuning_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<void> {
    return detail::make_tests(detail::state_ref(s),
                              detail::tools_ref(tools),
                              gpu_ref(tools.gpu),
                              detail::tests_ref(tools));
};

/// Runs the original on every test; its outputs are correct by definition. Writes the expected
/// outputs into `tests`, unless they are there, and `baseline` except its time. Of a problem
/// without a kernel (`problem::unwritten`) the oracle alone is asked. Errors: an original that does
/// not compile, fails, or computes different outputs each time.
inline constexpr auto run_reference =
    []<tuning_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<void> {
    detail::state_ref const state(s);
    detail::tools_ref const its_tools(tools);
    if (auto ok = its_tools.before_launches(state); !ok) return ok;
    return detail::run_reference(state, its_tools, gpu_ref(tools.gpu));
};

/// Times the original, and runs it in checked mode. On a simulated device a first reading can be
/// off: it is timed twice, with the checked run in between, and where the two disagree beyond their
/// noise a third is taken, and the first dropped. Writes `baseline` and `best`.
inline constexpr auto time_baseline =
    []<tuning_fields S, class Tools>(S& s, Tools& tools) -> result<void> {
    return detail::time_baseline(
        detail::state_ref(s), detail::tools_ref(tools), gpu_ref(tools.gpu));
};

} // namespace lkt
