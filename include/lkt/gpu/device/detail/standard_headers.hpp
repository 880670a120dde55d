// SPDX-License-Identifier: BSL-1.0
// What nvcc and hipcc have of the host's standard library, and NVRTC and HIPRTC have not: a few
// lines for each header, given to them as texts, and of the names that nvcc knows without any
// include those that a text uses. They themselves have printf, assert, memcpy, malloc, size_t and
// the functions of math.h.
#pragma once

#include <lkt/gpu/device/detail/kernel_job.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lkt::device_detail::standard {

struct header {
    std::string_view name; ///< as in `#include <name>`
    std::string_view text;
    bool toolkit_first = false; ///< only where the toolkit's headers lack it
};

/// Part of the key of what is compiled with them.
[[nodiscard]] std::uint64_t hash_of_headers();

/// Whether there is a text for `#include <name>`.
[[nodiscard]] header const* find_header(std::string_view name);

/// Which of them a compiler gets: a folder of the user's that has a file of that name comes first.
[[nodiscard]] std::vector<std::string> headers_for(compiler_place const& place,
                                                   std::vector<std::string> const& user_folders);

/// Lines that declare what the text, the kernel's name or a definition uses without an include,
/// and the text does not declare itself. Empty for most.
[[nodiscard]] std::string prelude(std::string const& text,
                                  std::string const& kernel,
                                  configuration const& definitions,
                                  compiler_place const& place);

} // namespace lkt::device_detail::standard
