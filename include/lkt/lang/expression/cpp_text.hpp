// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/lang/expression/expression.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace lkt {

/// A problem size: its name in expressions, and what C++ code calls it.
using cpp_size = std::pair<std::string, std::string>;

/// `e` as a `long long` of C++ that computes what `evaluate_integer` does, over an object `a` of
/// the class `cpp_arithmetic`; the values of `config` are put in. None where C++ has no short text
/// for it: a text that depends on a size, a power of one, `//` and `%` of real numbers.
[[nodiscard]] std::optional<std::string>
cpp_text(expression const& e, configuration const& config, std::span<cpp_size const> sizes);

/// C++11 for host code, standard headers aside: the class `arithmetic`, whose `bad` says that a
/// result would not be what the expression means: a division by zero, a number beyond 62 bits.
[[nodiscard]] std::string_view cpp_arithmetic();

} // namespace lkt
