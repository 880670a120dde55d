// SPDX-License-Identifier: BSL-1.0
// A kernel in checked mode: each launch once under each of the sanitizer's tools, side by side.
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/gpu/gpu_backend.hpp>
#include <lkt/process/worker_options.hpp>

#include <future>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace lkt::cuda_detail {

struct sanitizer_settings {
    std::string program; ///< its file
    std::vector<std::string> tools;
    std::string device; ///< as cuda_options::device
    worker_options worker;
    /// The kernel synchronises by means that racecheck and synccheck may misunderstand: what they
    /// find is no verdict.
    bool own_barriers = false;
};

/// Whether a text has barriers of its own: named ones, those in shared memory, bulk copies.
[[nodiscard]] bool has_own_barriers(std::string_view text);

/// Each tool's process takes seconds to start, and a launch itself hardly any time. All of them
/// have the arguments on the device, so only where these are small.
[[nodiscard]] bool side_by_side(std::span<run_request const> requests);

/// On a thread of its own, or when it is asked for.
template <class Run>
[[nodiscard]] std::future<std::invoke_result_t<Run&>> started(bool now, Run run) {
    try {
        if (now) return std::async(std::launch::async, run);
    } catch (std::system_error const&) { // there is no thread for it
    }
    return std::async(std::launch::deferred, run);
}

/// An outcome for each request. What the first of the tools finds is the outcome; where they find
/// nothing, it is the report of one launch, and `unchecked` names the tools that could not do their
/// work. All launches are made in one process for each tool; where something is found, which they
/// do not say of which launch, or no tool comes to its end, each is made again in processes of its
/// own. Errors:
/// `lkt.cuda.sanitizer` (unavailable) where no tool could; `lkt.cuda.request`, `lkt.cancelled`.
[[nodiscard]] std::vector<result<run_outcome>> run_sanitized(sanitizer_settings const& how,
                                                             compiled_kernel const& kernel,
                                                             std::span<run_request const> requests,
                                                             call_context const& context);

} // namespace lkt::cuda_detail
