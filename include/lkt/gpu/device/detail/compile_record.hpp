// SPDX-License-Identifier: BSL-1.0
// The keys of jobs, and results as the persistent cache keeps them.
#pragma once

#include <lkt/gpu/device/detail/kernel_job.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::device_detail {

/// Equal for jobs that give equal results. The time limit is not in it.
[[nodiscard]] std::string job_key(compile_job const& j);

/// Of what a compiler is given; `headers`: `compiler_kind::hash_of_headers`.
[[nodiscard]] std::string program_key(compiler_program const& p, std::uint64_t headers);

/// What is in the folders that a user's headers come from; nothing where that cannot be told: too
/// much of it, or headers that include from elsewhere.
[[nodiscard]] std::optional<std::string> contents_of(std::vector<std::string> const& folders);

[[nodiscard]] std::string pack_cubin(compiled_cubin const& c);
[[nodiscard]] std::optional<compiled_cubin> unpack_cubin(std::string_view bytes);

/// A private folder for what compilers keep of headers, which their processes remove if they end
/// well. Those of programs that were killed are removed on the way. Empty where none can be made.
[[nodiscard]] std::string make_pch_folder();

} // namespace lkt::device_detail
