// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/lang/expression/parameters.hpp>
#include <lkt/lang/wgsl/wgsl_cpp.hpp>

#include <string_view>

namespace lkt {

/// Translates an entry point and everything that it uses. Names get a prefix, so that no name of
/// the text has a meaning in C++. `definitions` are the values of overrides. Statements are read
/// only as far as the translation needs: for a text that no WGSL compiler accepts, the translation
/// may not compile. Errors (rejected): those of `reflect_wgsl` and `find_wgsl_kernel`;
/// `lkt.kernel.untranslated`, with line and column, for constructs that are not translated.
[[nodiscard]] result<wgsl_cpp> wgsl_as_cpp(kernel_source const& source,
                                           std::string_view entry_point,
                                           configuration const& definitions);

} // namespace lkt
