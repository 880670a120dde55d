// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/cuda/cuda_kernels.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lkt {

/// The names of all kernels with a body, with their namespaces, in order of appearance. Looks at no
/// types, so it lists what `find_kernel` would refuse. An empty list is not an error.
[[nodiscard]] result<std::vector<std::string>> kernel_names(kernel_source const& source);

/// Every kernel that `source` defines, in order of appearance. Errors: as `find_kernel`, for the
/// first kernel that has one.
[[nodiscard]] result<std::vector<signature>> find_kernels(kernel_source const& source,
                                                          type_names types = {});

/// The kernel called `name`, or the only one when `name` is empty. A template's arguments may
/// belong to the name: `sum<float, 256>`; they must where the arguments' types depend on them.
/// Macros, typedefs and `#if` of the text itself are followed,
/// `#include` is not. In WGSL a kernel is an entry point, and its arguments are the buffers that it
/// uses (`find_wgsl_kernel`). Errors (rejected; they say what to pass explicitly):
/// `lkt.kernel.none`, `.several`, `.unknown`, `.type`, `.template`, `.conditional`, `.macro`,
/// `.text`, `.constant`, `.binding`, `.tensor-map`.
[[nodiscard]] result<signature>
find_kernel(kernel_source const& source, std::string_view name = {}, type_names types = {});

/// How many values each buffer of a kernel has where its text says so (constant memory in CUDA,
/// arrays with a count in WGSL), 0 for all other arguments. `s` is from `find_kernel`.
[[nodiscard]] std::vector<std::uint64_t> fixed_counts(kernel_source const& source,
                                                      signature const& s);

/// `compare_signatures` for a text: a kernel that is not found or not understood is a wrong
/// signature too.
[[nodiscard]] std::optional<wrong_signature>
check_signature(signature const& reference, kernel_source const& candidate, type_names types = {});

} // namespace lkt
