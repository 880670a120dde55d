// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/tuner/tuning_outcome.hpp>

#include <string>
#include <string_view>

namespace lkt {

/// What a kernel is written as.
enum class kernel_form : unsigned char {
    kernel, ///< its text, with the parameters' values: compiles as it stands
    header  ///< CUDA: for C++ programs, with a function that launches it
};

/// By the name of a file: `.hpp`, `.h` and `.cuh` are headers.
[[nodiscard]] kernel_form kernel_form_of(std::string_view file);

/// The best kernel of a run, ready to be used without lkt. Parameters are definitions (in WGSL the
/// defaults of overrides) of the values that won. A comment and constants say how it is launched,
/// at which size and on which device it was tuned, how much faster it is and what was checked.
/// `read_kernel_note` reads it back.
///
/// A header has all of it in the namespace `lkt_tuned_<kernel>`: `launch(size, stream,
/// arguments...)` for nvcc and the runtime API, and for the driver API, in programs that compile
/// the string `source` with NVRTC, `launch(function, size, stream, arguments...)`. The grid follows
/// from `size`. A header of a kernel in another language than CUDA is its text.
[[nodiscard]] std::string kernel_file(tuning_outcome const& out,
                                      kernel_form form = kernel_form::kernel);

} // namespace lkt
