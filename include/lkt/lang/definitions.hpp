// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/result.hpp>
#include <lkt/kernel/failure.hpp>
#include <lkt/kernel/source.hpp>
#include <lkt/kernel/tensor_map.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lkt {

/// The CUDA or HIP text with the configuration's values as preprocessor definitions in front of it,
/// and a `#line` that keeps the compiler's messages on the text's own lines.
///
/// A `#define` or `#undef` of the same name in the text is dropped (its line stays empty); one
/// after `#ifndef NAME` would be skipped anyway. A template parameter of the same name gets its
/// value as a template argument, so no macro is made of it. Any other declaration of that name
/// (`constexpr int BLOCK = 16;`) is a `refused`: the macro would change it into `constexpr int 32`.
/// WGSL's text stays as it is, and `override_values_of` gives the values; a name that it does not
/// declare as an override is `refused`. Errors (rejected): a name that is not an identifier
/// (`lkt.parameter.name`), a value that is not one line of text (`lkt.parameter.text`), a text that
/// is not read (`lkt.kernel.text`).
[[nodiscard]] result<std::variant<std::string, refused>>
with_definitions(kernel_source const& source, configuration const& config);

/// What the expressions of a text's tensor maps may name besides its arguments: the configuration,
/// and whole numbers of the text as that configuration leaves them (macros, constants).
[[nodiscard]] configuration names_of_maps(kernel_source const& source,
                                          std::vector<tensor_map> const& maps,
                                          configuration const& config);

/// CUDA or HIP text without the `#define` and `#undef` of these names, however they are written (`#
/// define`, over several lines); every line keeps its number. Comments, strings and all other
/// definitions stay. A text that cannot be read is returned unchanged.
[[nodiscard]] std::string without_definitions(std::string_view text,
                                              std::vector<std::string> const& names);

} // namespace lkt
