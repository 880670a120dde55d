// SPDX-License-Identifier: BSL-1.0
// How a kernel travels in a file of its own: behind a comment that says how it is launched, so that
// the file compiles for others and reads back here. <lkt/report/kernel_file.hpp> writes whole
// files.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/candidate.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/lang/tuned_text.hpp>

#include <optional>
#include <string>

namespace lkt {

/// The line `// lkt-kernel {...}` with the parameters and the launch, for the top of a file.
[[nodiscard]] std::string kernel_note(configuration const& config, launch_formula const& launch);

/// The text behind its definitions, between two lines that no line of it can be taken for.
[[nodiscard]] std::string between_marks(tuned_text const& kernel);

/// The kernel of a file with such a line: its text alone, each parameter with the one value that
/// the text's definitions (or else the line) give it, and the launch. None where no line says so.
/// Errors (rejected): `lkt.kernel.note`, the line or its marks are damaged.
[[nodiscard]] result<std::optional<candidate>> read_kernel_note(kernel_source const& file);

} // namespace lkt
