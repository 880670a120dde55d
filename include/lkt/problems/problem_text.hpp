// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/problem.hpp>

#include <string>

namespace lkt {

/// `task` as the text of a problem file in `folder`, so that a person can read and change it. It
/// reads back as the same problem, with these differences: each buffer says how it flows, and the
/// bounds of a domain are written out.
///
/// Errors (rejected): `lkt.problem.file`, the kernel's or the oracle's file is not in `folder`;
/// `lkt.problem.unwritable` if a problem file cannot express the problem, for example a timed input
/// that is normally distributed.
[[nodiscard]] result<std::string> problem_text(problem const& task, std::string const& folder);

} // namespace lkt
