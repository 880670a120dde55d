// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>

#include <chrono>
#include <string>

namespace lkt {

/// A `torch.nn.Module` in a Python file, as KernelBench writes them: beside the class are
/// `get_inputs()`, the arguments of `forward`, and, where the class needs any,
/// `get_init_inputs()`, those of its constructor.
struct torch_module {
    std::string text;               ///< of the file
    std::string name = "Model";     ///< of the class
    std::string kernel = "module";  ///< what the kernel will be called
    std::string origin = "file.py"; ///< how messages call it
    std::chrono::milliseconds time_limit{120'000};
};

/// A problem file (docs/operations.md, `lkt.operation`) with the module as its function. The inputs
/// are the arguments of `forward`, then the parameters and buffers, with their shapes. If the
/// module computes the same for other numbers of examples, the first extent of the arguments is a
/// size, else there is no other size. Runs the file in a confined process, in evaluation mode.
/// Errors: those of `find_python`; `lkt.verify.torch_module` (rejected) with what is missing in the
/// file, or what of it no kernel can be told.
[[nodiscard]] result<std::string> problem_of_module(torch_module const& module,
                                                    call_context const& context = {});

} // namespace lkt
