// SPDX-License-Identifier: BSL-1.0
// A compiler that is a library (NVRTC, HIPRTC): what its back end says of it. The library itself is
// loaded by compile workers, never by the program.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/device/detail/kernel_job.hpp>
#include <lkt/process/service.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt::device_detail {

/// What differs between the compilers.
struct compiler_kind {
    std::string_view title;    ///< `NVRTC`
    std::string_view back_end; ///< `cuda`: of the cache's folder, and of errors, `lkt.cuda.*`
    service_key service;       ///< of the worker that compiles
    bool writes_files = false; ///< it makes files and folders while it compiles
    std::string_view probe{};  ///< an option without which it compiles nothing; may be empty
    result<compiler_place> (*find)(std::string const& library) = nullptr;
    /// What distinguishes it from others, and its headers from others: for keys.
    std::string (*identity)(compiler_place const& place) = nullptr;
    std::string (*identity_of_includes)(compiler_place const& place) = nullptr;
    std::uint64_t (*hash_of_headers)() = nullptr; ///< of lkt's own
    /// All that a confined compiler reads besides the user's folders.
    std::vector<std::string> (*files_of)(compiler_place const& place) = nullptr;
    std::variant<prepared_job, failure> (*prepare)(compile_job const& job,
                                                   compiler_place const& place,
                                                   std::vector<std::string> const& user_folders,
                                                   std::string const& standard) = nullptr;
    kernel_resources (*resources)(std::string_view log,
                                  std::string_view entry,
                                  std::string_view image) = nullptr;
    /// In a worker.
    result<void> (*load)(std::string const& library) = nullptr;
    result<compiler_answer> (*compile)(std::string const& library,
                                       compiler_program const& program) = nullptr;
};

} // namespace lkt::device_detail
