// SPDX-License-Identifier: BSL-1.0
// From a kernel's text to what a device needs to know of it.
#pragma once

#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/gpu/webgpu/device_service.hpp>
#include <lkt/lang/wgsl/wgsl.hpp>

#include <string>
#include <variant>

namespace lkt::webgpu_detail {

/// What the text says of its buffers and its workgroup, for the device. `text` is the one to
/// compile, in which lkt may have written; `module` and `kernel` are read from the request's.
[[nodiscard]] std::variant<wgsl_program, refused> program_of(compile_request const& request,
                                                             wgsl_module const& module,
                                                             wgsl_kernel const& kernel,
                                                             std::string text);

} // namespace lkt::webgpu_detail
