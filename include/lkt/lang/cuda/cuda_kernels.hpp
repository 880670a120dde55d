// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/signature.hpp>
#include <lkt/kernel/source.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lkt {

/// Types that the text gets from its includes: `{"real", "float"}` gives the meaning of `real`.
using type_names = std::span<std::pair<std::string, std::string> const>;

/// What `kernel_names`, `find_kernel` and `find_kernels` say of CUDA and HIP text.
[[nodiscard]] result<std::vector<std::string>> cuda_kernel_names(kernel_source const& source);
[[nodiscard]] result<signature>
find_cuda_kernel(kernel_source const& source, std::string_view name, type_names types);
[[nodiscard]] result<std::vector<signature>> find_cuda_kernels(kernel_source const& source,
                                                               type_names types);

} // namespace lkt
