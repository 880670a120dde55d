// SPDX-License-Identifier: BSL-1.0
// What a compile worker is asked and answers, whichever compiler it holds.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/device/detail/compiler_kind.hpp>
#include <lkt/gpu/device/detail/kernel_job.hpp>
#include <lkt/process/sandbox.hpp>
#include <lkt/process/service.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::device_detail {

struct service_request {
    std::string library;
    compiler_program program;
    std::uint64_t memory_limit = 0; ///< bytes of address space; 0: none
    std::string pch_folder;         ///< empty: none
    /// What a compiler may read, the same in all requests of a worker: it is confined with the
    /// first. `precompile`: keep what is made of this text's first headers in the folder.
    std::vector<std::string> readable{};
    bool precompile = false;
    bool unconfined_allowed = false;
    process_detail::kernel_lack lack = process_detail::kernel_lack::nothing;
};
[[nodiscard]] std::string pack(service_request const& request);
[[nodiscard]] std::string pack(compiler_answer const& answer);
[[nodiscard]] bool unpack(std::string_view bytes, service_request& request);
[[nodiscard]] bool unpack(std::string_view bytes, compiler_answer& answer);

inline constexpr std::uint64_t compiler_layout =
    layout_hash("4: library text kernel options headers memory pch readable precompile unconfined "
                "lack -> compiled log image entry major minor confined refused");

/// In a worker: hands the text to a fork that has loaded the compiler, has an empty folder, limited
/// memory and no environment, and was confined before it saw a text.
[[nodiscard]] result<worker_message> serve_compiler(compiler_kind const& kind,
                                                    worker_message request);

} // namespace lkt::device_detail
