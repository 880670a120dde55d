// SPDX-License-Identifier: BSL-1.0
// NVRTC, NVIDIA's compiler as a library: where it is, and what lies beside it. No CUDA header is
// needed to build this. The library itself is loaded by compile workers, never by the program.
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/gpu/device/detail/compiler_kind.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lkt::cuda_detail {

using namespace device_detail;

/// The oldest NVRTC that is used.
inline constexpr int oldest_nvrtc = 12;

using nvrtc_place = device_detail::compiler_place;
using nvrtc_program = device_detail::compiler_program;
using nvrtc_answer = device_detail::compiler_answer;

/// Looks, in this order: at `library` (where not empty, nowhere else), `LKT_NVRTC` (a file; where
/// set, nowhere else), `CUDA_HOME` and `CUDA_PATH`, with the dynamic loader, at /usr/local/cuda*
/// and /opt/cuda, in the site-packages folders that `LKT_CUDA_WHEELS` lists, separated by colons. A
/// first folder with a CUDA older than 12 does not end the search. Error: unavailable,
/// `lkt.cuda.nvrtc`.
[[nodiscard]] result<nvrtc_place> find_nvrtc(std::string const& library = {});

/// What distinguishes this NVRTC from others: files, sizes and times of the library and its
/// built-in functions. Part of the key of everything that is cached.
[[nodiscard]] std::string identity(nvrtc_place const& place);

/// The same of the headers beside it. Walks some thousand files, about 10 ms.
[[nodiscard]] std::string identity_of_includes(nvrtc_place const& place);

/// What kernels are offered of the headers beside it: names for `#include <name>`, each of which
/// compiles by itself.
[[nodiscard]] std::vector<std::string> offered_headers(nvrtc_place const& place);

/// The option that silences what NVRTC says of precompiled headers.
inline constexpr std::string_view precompiling_warnings = "-diag-suppress=20283,630";

/// Loads the library, with its built-in functions, so that compiling opens neither. Errors:
/// unavailable, `lkt.cuda.nvrtc`.
[[nodiscard]] result<void> load_nvrtc(std::string const& library);

/// The files of NVRTC, its headers and files that a C library may open: all that a confined
/// compiler reads besides the user's folders.
[[nodiscard]] std::vector<std::string> files_of(nvrtc_place const& place);

/// Loads the library, the first time, and compiles: in a worker. Errors: unavailable,
/// `lkt.cuda.nvrtc` (it cannot be loaded, or is too old), `lkt.cuda.arch` (it does not know the
/// architecture that an option `-arch=` names); transient, `lkt.cuda.compiler` (out of memory).
[[nodiscard]] result<nvrtc_answer> compile_here(std::string const& library,
                                                nvrtc_program const& program);

} // namespace lkt::cuda_detail
