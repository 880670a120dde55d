// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/byte_buffer.hpp>
#include <lkt/core/result.hpp>
#include <lkt/core/units.hpp>
#include <lkt/kernel/float8.hpp>
#include <lkt/kernel/half.hpp>
#include <lkt/kernel/value_type.hpp>
#include <lkt/lang/expression/parameters.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace lkt {

/// The contents of one kernel argument: a value, or a buffer of `count()` values.
struct argument_data {
    value_type type;
    bool buffer = false;
    byte_buffer bytes; ///< little endian, packed; exactly one value unless `buffer`

    /// Values of `type` (a float4 counts once).
    [[nodiscard]] std::size_t count() const { return bytes.size() / type.bytes(); }
    /// Scalars (a float4 counts four times).
    [[nodiscard]] std::size_t lanes() const {
        return is_half_byte(type.scalar) ? 2 * bytes.size() : bytes.size() / size_of(type.scalar);
    }

    /// A copy of one scalar lane; `index` counts lanes. T must have the lane's size; there is none
    /// for half bytes.
    template <class T>
    [[nodiscard]] T lane(std::size_t index) const {
        T value;
        std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
        return value;
    }
    friend bool operator==(argument_data const&, argument_data const&) = default;
};

template <class T>
[[nodiscard]] argument_data make_buffer(value_type type, std::span<T const> lanes) {
    return {type, true, byte_buffer(std::as_bytes(lanes))};
}

template <class T>
[[nodiscard]] argument_data make_scalar(scalar_type type, T value) {
    argument_data data{{type, 1}, false, byte_buffer(sizeof(T))};
    std::memcpy(data.bytes.data(), &value, sizeof(T));
    return data;
}

/// The scalar argument with an expression's value. Errors (rejected, `lkt.kernel.value`): text, a
/// fraction for an integer type, a number outside the type's range.
[[nodiscard]] result<argument_data> scalar_argument(scalar_type type, parameter_value const& value);

/// One lane of half bytes: -8 to 7, or 0 to 15; the bits of a float.
[[nodiscard]] int half_byte(argument_data const& data, std::size_t lane);

/// One lane as a number; 64-bit integers are rounded to 53 bits. `lane` is below `lanes()`.
[[nodiscard]] double lane_as_double(argument_data const& data, std::size_t lane);

/// One lane as text that reads back as the same value: `-7`, `0.1`, `nan`, `true`.
[[nodiscard]] std::string lane_text(argument_data const& data, std::size_t lane);

/// Value `index` as text: one lane, or `(1, 2, 3, 4)` for a vector type.
[[nodiscard]] std::string value_text(argument_data const& data, std::size_t index);

} // namespace lkt
