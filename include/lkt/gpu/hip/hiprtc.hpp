// SPDX-License-Identifier: BSL-1.0
// HIPRTC, AMD's compiler of HIP text as a library, in workers: whoever includes this can serve it,
// if its main begins with `worker_main`. It is not safe in threads; a worker compiles one text at a
// time.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/device/detail/compiler_kind.hpp>
#include <lkt/gpu/device/detail/compiler_worker.hpp>
#include <lkt/gpu/device/detail/kernel_job.hpp>
#include <lkt/process/service.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt::hip_detail {

using namespace device_detail;

/// Looks at `library` (where not empty, nowhere else), `LKT_HIPRTC`, then `LKT_HIP` (files; where
/// set, nowhere else), and where `rocm_files` does: for libhiprtc.so, and for libamdhip64.so, which
/// it is a part of in older versions. Error: unavailable, `lkt.hip.hiprtc`.
[[nodiscard]] result<compiler_place> find_hiprtc(std::string const& library = {});

/// The job as HIPRTC gets it: as `cuda_detail::prepare`, for HIP text. `#include` of HIP's own
/// headers that HIPRTC has built in is allowed and does nothing. The architecture is one of AMD's
/// (`gfx90a:sramecc+:xnack-`), or, by way of HIP's NVIDIA platform, `sm_90`.
[[nodiscard]] std::variant<prepared_job, failure>
prepare(compile_job const& job,
        compiler_place const& place,
        std::vector<std::string> const& user_folders,
        std::string const& standard);

/// What the code object's note says of `entry`; all zeros where it is none of AMD's.
[[nodiscard]] kernel_resources
resources_in(std::string_view log, std::string_view entry, std::string_view image);

/// What the compile pool has to know of it.
[[nodiscard]] compiler_kind const& hiprtc_compiler();

inline constexpr service_key compile_key{"hip-compile", compiler_layout};

/// `serve_compiler` with HIPRTC. Errors besides its: unavailable, `lkt.hip.hiprtc` (it cannot be
/// loaded), `lkt.hip.arch` (it does not know the architecture).
[[nodiscard]] result<worker_message> serve_compile(worker_message request);

inline service_entry const compile_entry{compile_key, &serve_compile};

} // namespace lkt::hip_detail
