// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/any_gpu_backend.hpp>
#include <lkt/kernel/source.hpp>

#include <optional>
#include <string>

namespace lkt_apps {

/// What `--backend` may name, for the help.
inline constexpr char const* backend_help =
    "host: CUDA text on the CPU; cuda: an NVIDIA GPU; webgpu: WGSL on any GPU, or in software. "
    "Default: webgpu for WGSL, else host";
inline constexpr char const* device_help =
    "cuda: an index, or a UUID as nvidia-smi -L prints it; webgpu: an index, a part of its name, "
    "discrete, integrated or software";

/// Help of `--unconfined-compiler`.
inline constexpr char const* unconfined_help =
    "compile even if this system has neither Landlock nor mount namespaces to keep the compiler "
    "from your files; use it only if you have read every kernel";

/// A usage error, under the program's own code.
[[nodiscard]] lkt::error usage_error(std::string code, std::string message, std::string hint);

/// An unknown name of a back end, or a device of the host, which has one alone.
[[nodiscard]] std::optional<lkt::error>
backend_fault(std::string const& code, std::string const& name, std::string const& device);

/// The back end called `name` (empty: what kernels in `language` need) on `device` (empty: the
/// first). `unconfined_compiler`: compile where the kernel can keep no compiler from other files.
/// `sanitize`: CUDA has a checked mode, where compute-sanitizer is. Errors: `code` where a
/// device is named and the host has to do.
[[nodiscard]] lkt::result<lkt::any_gpu_backend> make_backend(std::string const& code,
                                                             std::string const& name,
                                                             std::string const& device,
                                                             lkt::language language,
                                                             bool sanitize = false,
                                                             bool unconfined_compiler = false);

} // namespace lkt_apps
