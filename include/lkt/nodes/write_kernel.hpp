// SPDX-License-Identifier: BSL-1.0
// The first kernel of an operation: asked for, and judged, before there is any to compare it with.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/nodes/draft.hpp>
#include <lkt/nodes/prompts.hpp>
#include <lkt/nodes/propose.hpp>
#include <lkt/nodes/toolbox.hpp>
#include <lkt/nodes/tuning_state.hpp>

#include <string>

namespace lkt {

/// Prompts that ask for a kernel where there is none: the opening says *write*. What is said of a
/// reply that is not good enough is the same as everywhere.
struct first_kernel_prompts : default_prompts {
    using default_prompts::operator();

    [[nodiscard]] std::string system(brief const& b) const;
    [[nodiscard]] std::string task(brief const& b) const;
    [[nodiscard]] std::string operator()(wrong_signature const& f) const;
};

enum class first_judged {
    right, ///< it is the reference and the baseline now
    wrong, ///< see the last of `attempts`
};

namespace detail {
[[nodiscard]] result<first_judged>
judge_first(state_ref const& s, tools_ref const& tools, gpu_ref gpu);
} // namespace detail

/// Whether the problem has a kernel.
inline constexpr auto is_written = []<tuning_fields S>(S& s) -> settled {
    return s.task.unwritten ? settled::no : settled::yes;
};

/// Asks the model for a whole kernel: see `propose`.
inline constexpr propose_fn<first_kernel_prompts> write_kernel{};

/// Judges `proposal` by everything that `certify` asks of a kernel, against the oracle's outputs.
/// One that passes becomes the problem's reference, with its launch and its parameters, and
/// `baseline` and `best`, without times. Writes `history`, and `attempts` where it does not pass.
inline constexpr auto judge_first =
    []<tuning_fields S, tools_with_gpu Tools>(S& s, Tools& tools) -> result<first_judged> {
    return detail::judge_first(detail::state_ref(s), detail::tools_ref(tools), gpu_ref(tools.gpu));
};

/// Makes `kernel` the reference of a problem that has none, with its first configuration that is
/// `config`. Errors: those of `find_kernel`.
[[nodiscard]] result<void>
take_first_kernel(problem& task, candidate const& kernel, configuration const& config);

} // namespace lkt
