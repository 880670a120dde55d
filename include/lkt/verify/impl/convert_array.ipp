// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/verify/detail/convert_array.hpp>

#include <lkt/verify/detail/scalars.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

namespace lkt::detail {

namespace convert_parts {

/// An integer of any type: its bits, extended by its sign.
struct integer {
    std::uint64_t bits = 0;
    bool negative = false;
};

integer integer_in(argument_data const& data, std::size_t k) {
    auto const of = [](auto value) {
        return integer{static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), value < 0};
    };
    switch (data.type.scalar) {
    case scalar_type::int8:
        return of(data.lane<std::int8_t>(k));
    case scalar_type::int16:
        return of(data.lane<std::int16_t>(k));
    case scalar_type::int32:
        return of(data.lane<std::int32_t>(k));
    case scalar_type::int64:
        return of(data.lane<std::int64_t>(k));
    case scalar_type::uint16:
        return {data.lane<std::uint16_t>(k), false};
    case scalar_type::uint32:
        return {data.lane<std::uint32_t>(k), false};
    case scalar_type::uint64:
        return {data.lane<std::uint64_t>(k), false};
    default: // bool and uint8
        return {data.lane<std::uint8_t>(k), false};
    }
}

/// A float's value as an integer, if it is one.
std::optional<integer> whole(double value) {
    if (!(std::fabs(value) < 0x1p63) || std::trunc(value) != value) return std::nullopt;
    auto const n = static_cast<std::int64_t>(value);
    return integer{static_cast<std::uint64_t>(n), n < 0};
}

bool fits(integer value, scalar_type type) {
    auto const limits = limits_of(type);
    if (!value.negative) return value.bits <= limits.high;
    return static_cast<std::int64_t>(value.bits) >= limits.low;
}

bool put_integer(argument_data& to, std::size_t k, argument_data const& from) {
    auto const value = is_floating(from.type.scalar) ? whole(lane_as_double(from, k))
                                                     : std::optional<integer>(integer_in(from, k));
    if (!value || !fits(*value, to.type.scalar)) return false;
    store_integer(to, k, value->bits);
    return true;
}

/// False: the value changes where it may not.
bool put_real(argument_data& to, std::size_t k, argument_data const& from, bool may_round) {
    double const value = lane_as_double(from, k);
    double const kept = rounded_to(to.type.scalar, value);
    if (to.type.scalar == scalar_type::float32) {
        auto const narrow = static_cast<float>(kept); // infinite already where it is out of range
        std::memcpy(to.bytes.data() + k * sizeof narrow, &narrow, sizeof narrow);
    } else {
        store_real(to, k, value);
    }
    if (may_round || std::isnan(value)) return true;
    return kept == value && (is_floating(from.type.scalar) || std::fabs(value) <= 0x1p53);
}

std::string shape_text(npy_array const& array) {
    std::string text = "(";
    for (std::uint64_t const extent : array.shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
    return text + (array.shape.size() == 1 ? ",)" : ")");
}

} // namespace convert_parts

std::vector<std::uint64_t> shape_of(argument_data const& data) {
    std::vector<std::uint64_t> shape;
    if (data.buffer) shape.push_back(data.count());
    if (data.type.lanes > 1) shape.push_back(data.type.lanes);
    return shape;
}

std::variant<argument_data, std::string> convert_array(
    npy_array&& array, value_type type, bool buffer, std::size_t count, rounding allowed) {
    using namespace convert_parts;
    // Half bytes may come two in a byte, as the kernel reads them.
    bool const packed = is_half_byte(type.scalar) && size_of(array.type) == 1 &&
                        !is_floating(array.type) && array.bytes.size() == count * type.bytes();
    if (packed) return argument_data{type, buffer, std::move(array.bytes)};
    if (array.count() != count * type.lanes)
        return "has the shape " + shape_text(array) + ", which is " +
               std::to_string(array.count()) + " numbers instead of " +
               std::to_string(count * type.lanes);
    if (array.type == type.scalar) return argument_data{type, buffer, std::move(array.bytes)};
    argument_data const from{{array.type, 1}, true, std::move(array.bytes)};
    argument_data to{type, buffer, byte_buffer(count * type.bytes())};
    bool const may_round =
        is_floating(array.type) &&
        (allowed == rounding::floats || npy_type(type.scalar) != type.scalar ||
         (array.type == scalar_type::float64 && type.scalar == scalar_type::float32));
    for (std::size_t k = 0; k < to.lanes(); ++k) {
        bool const ok =
            is_floating(type.scalar) ? put_real(to, k, from, may_round) : put_integer(to, k, from);
        if (!ok)
            return "has the dtype " + std::string(to_string(array.type)) + ", and its element " +
                   std::to_string(k) + ", " + lane_text(from, k) + ", is not a value of type " +
                   std::string(to_string(type.scalar));
    }
    return to;
}

} // namespace lkt::detail
