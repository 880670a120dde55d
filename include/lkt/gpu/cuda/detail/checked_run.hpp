// SPDX-License-Identifier: BSL-1.0
// A kernel in checked mode: on the CPU, and on the device under the sanitizer's tools.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/cuda/detail/sanitizer_run.hpp>
#include <lkt/gpu/detail/stand_in.hpp>
#include <lkt/gpu/device/client.hpp>
#include <lkt/gpu/gpu_backend.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lkt::cuda_detail {

/// A checked kernel, and what its runs need besides.
struct checked_program : device_detail::program {
    bool own_barriers = false;
    std::optional<compiled_kernel> on_cpu;
};

/// Two reasons, either of which may be empty.
[[nodiscard]] std::string also(std::string text, std::string const& more);

/// Whether the second of two runs may be made in the process of the first.
[[nodiscard]] bool go_together(kernel_run const& first, kernel_run const& second);

/// Runs of one checked kernel, an outcome for each: on the CPU, where what cannot be told is not
/// held against the kernel, while the sanitizer's processes start. What the CPU finds is the
/// verdict. `how.own_barriers` is the program's.
[[nodiscard]] std::vector<result<run_outcome>> run_checked(sanitizer_settings how,
                                                           device_detail::stand_in& checker,
                                                           compiled_kernel const& kernel,
                                                           std::span<run_request const> requests,
                                                           call_context const& context);

} // namespace lkt::cuda_detail
