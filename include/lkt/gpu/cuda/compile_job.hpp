// SPDX-License-Identifier: BSL-1.0
// What goes to NVRTC and what comes back, as texts: jobs, screening, options, logs. Nothing here
// starts a process or reads a file other than headers.
#pragma once

#include <lkt/gpu/cuda/nvrtc.hpp>
#include <lkt/gpu/device/detail/kernel_job.hpp>
#include <lkt/kernel/failure.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt::cuda_detail {

/// Puts the definitions into the text and the options in order. `refused`: a definition or an
/// option that is not allowed, an `#include` or `__has_include` of an absolute path, of one with
/// `..`, or of what only a macro knows, `#embed`, `#import`.
[[nodiscard]] std::variant<prepared_job, failure>
prepare(compile_job const& job,
        nvrtc_place const& place,
        std::vector<std::string> const& user_folders,
        std::string const& standard);

/// What ptxas said of the function `entry`; constants from the cubin where it does not count them.
[[nodiscard]] kernel_resources
resources_in(std::string_view log, std::string_view entry, std::string_view image = {});

} // namespace lkt::cuda_detail
