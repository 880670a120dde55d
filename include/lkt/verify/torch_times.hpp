// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/context.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/measurement.hpp>
#include <lkt/kernel/problem.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace lkt {

/// What a user would call instead of a kernel, and how long it takes on the same device.
struct alternative_time {
    std::string name; ///< `torch 2.11.0, eager`
    measurement time; ///< empty: there is none
    std::string why;  ///< there is none
};

/// Where and how often torch is timed.
struct torch_times_options {
    std::string device = "cuda:0"; ///< as torch names it (`cpu`), or the UUID of a CUDA device
    std::size_t launches = 25;     ///< of each, at most
    std::chrono::milliseconds time_limit{600'000}; ///< of all: torch.compile may take minutes
};

/// The function of an operation, or the module (docs/operations.md), on the device, at the timed
/// size, in the types of the kernel's arguments: as it is, and as torch.compile makes it, where it
/// does. Both are called in turns, with nothing of their arguments in caches: 256 MiB are written
/// before each call (64 MiB on a CPU).
///
/// The operation's Python runs as an ordinary program, with this user's rights: torch.compile
/// starts compilers and writes files, which a confined process cannot. So only for texts that the
/// user trusts.
///
/// Errors: those of `find_python`; `lkt.verify.torch_times` (rejected) where the operation is not
/// torch's, or with what torch says; `cancelled`.
[[nodiscard]] result<std::vector<alternative_time>> time_torch(
    problem const& task, torch_times_options const& options = {}, call_context const& context = {});

} // namespace lkt
