// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument_data.hpp>
#include <lkt/kernel/value_type.hpp>
#include <lkt/verify/npy.hpp>

#include <cstddef>
#include <string>
#include <variant>

namespace lkt::detail {

/// Which conversions are allowed: between floats, all of them round or only float64 to float32 and
/// what NumPy has no type for; any other one must keep every value.
enum class rounding : unsigned char { floats, float64_to_float32 };

/// `array` as `count` values of `type`, or what is wrong with it, to follow the array's name: `has
/// the shape (3, 4), which is 12 numbers instead of 16`. Any shape of the right size will do.
[[nodiscard]] std::variant<argument_data, std::string>
convert_array(npy_array&& array, value_type type, bool buffer, std::size_t count, rounding allowed);

/// The shape under which an argument travels: its count, and the lanes of a vector type.
[[nodiscard]] std::vector<std::uint64_t> shape_of(argument_data const& data);

} // namespace lkt::detail
