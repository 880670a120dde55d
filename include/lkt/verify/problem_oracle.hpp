// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/oracle.hpp>

#include <vector>

namespace lkt {

/// A suite whose expected outputs come from where the problem says (`problem::oracle`): a Python
/// file or a folder of recorded outputs. Errors: those of `suite_of` with a `script_oracle` or a
/// `recorded_oracle`; `lkt.verify.oracle` (rejected) where the problem names none.
///
/// An operation (`oracle_source::text`) is asked twice: on inputs that are moved by units in the
/// last place, too, so that a default bound is as wide as an honest kernel needs it.
[[nodiscard]] result<test_suite> suite_of_problem_oracle(problem const& task,
                                                         std::vector<test_case> tests,
                                                         call_context const& context,
                                                         oracle_options const& options = {});

} // namespace lkt
