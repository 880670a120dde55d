// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/kernel/argument_data.hpp>

#include <lkt/core/string_tools.hpp>
#include <lkt/core/units.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

namespace lkt::detail::kernel {

/// Calls `f` with a value of the C++ type that holds the lane: narrow floats arrive as double.
template <class F>
auto with_lane(argument_data const& data, std::size_t lane, F f) {
    switch (data.type.scalar) {
    case scalar_type::boolean:
        return f(data.lane<std::uint8_t>(lane) != 0);
    case scalar_type::int8:
        return f(data.lane<std::int8_t>(lane));
    case scalar_type::uint8:
        return f(data.lane<std::uint8_t>(lane));
    case scalar_type::int16:
        return f(data.lane<std::int16_t>(lane));
    case scalar_type::uint16:
        return f(data.lane<std::uint16_t>(lane));
    case scalar_type::int32:
        return f(data.lane<std::int32_t>(lane));
    case scalar_type::uint32:
        return f(data.lane<std::uint32_t>(lane));
    case scalar_type::int64:
        return f(data.lane<std::int64_t>(lane));
    case scalar_type::uint64:
        return f(data.lane<std::uint64_t>(lane));
    case scalar_type::int4:
    case scalar_type::uint4:
        return f(half_byte(data, lane));
    case scalar_type::float4_e2m1:
        return f(decode_float4_e2m1(static_cast<std::uint8_t>(half_byte(data, lane))));
    case scalar_type::float8_e4m3:
        return f(decode_float8_e4m3(data.lane<std::uint8_t>(lane)));
    case scalar_type::float8_e5m2:
        return f(decode_float8_e5m2(data.lane<std::uint8_t>(lane)));
    case scalar_type::float16:
        return f(decode_float16(data.lane<std::uint16_t>(lane)));
    case scalar_type::bfloat16:
        return f(decode_bfloat16(data.lane<std::uint16_t>(lane)));
    case scalar_type::float32:
        return f(data.lane<float>(lane));
    case scalar_type::float64:
        break;
    }
    return f(data.lane<double>(lane));
}

error value_error(std::string message) {
    return {condition::rejected, "lkt.kernel.value", std::move(message), {}};
}

template <class T>
result<argument_data> integer_argument(scalar_type type, parameter_value const& value) {
    std::string const name(to_string(type));
    T stored{};
    if (auto const* i = std::get_if<std::int64_t>(&value)) {
        bool fits = *i >= 0 || std::is_signed_v<T>;
        if constexpr (sizeof(T) < 8)
            fits = fits && *i >= std::int64_t{std::numeric_limits<T>::min()} &&
                   *i <= std::int64_t{std::numeric_limits<T>::max()};
        if (!fits) return value_error(std::to_string(*i) + " does not fit " + name);
        stored = static_cast<T>(*i);
    } else if (auto const* b = std::get_if<bool>(&value)) {
        stored = static_cast<T>(*b);
    } else if (auto const* d = std::get_if<double>(&value)) {
        double const limit = std::ldexp(1.0, std::numeric_limits<T>::digits); // max + 1, exact
        double const lowest = std::is_signed_v<T> ? -limit : 0.0;
        if (!(*d >= lowest && *d < limit) || std::trunc(*d) != *d)
            return value_error(significant(*d) + " is not a value of " + name);
        stored = static_cast<T>(*d);
    } else {
        return value_error("the text \"" + std::get<std::string>(value) +
                           "\" is not a value of type " + name);
    }
    return make_scalar(type, stored);
}

result<argument_data> floating_argument(scalar_type type, parameter_value const& value) {
    double number = 0;
    if (auto const* d = std::get_if<double>(&value))
        number = *d;
    else if (auto const* i = std::get_if<std::int64_t>(&value))
        number = static_cast<double>(*i);
    else if (auto const* b = std::get_if<bool>(&value))
        number = *b ? 1 : 0;
    else
        return value_error("the text \"" + std::get<std::string>(value) +
                           "\" is not a value of type " + std::string(to_string(type)));
    argument_data data = make_scalar(type, number);
    if (is_float8(type)) {
        bool const e4m3 = type == scalar_type::float8_e4m3;
        auto const bits = e4m3 ? encode_float8_e4m3(number) : encode_float8_e5m2(number);
        data = make_scalar(type, bits);
        // It became the largest value instead, half a step below what rounds to it.
        if (std::fabs(number) >= (e4m3 ? 464 : 61440) && std::isfinite(number))
            return value_error(significant(number) + " does not fit " +
                               std::string(to_string(type)));
    }
    if (type == scalar_type::float16) data = make_scalar(type, encode_float16(number));
    if (type == scalar_type::bfloat16) data = make_scalar(type, encode_bfloat16(number));
    if (type == scalar_type::float32) {
        // Converting a double beyond float's range is undefined; infinity is what IEEE 754 says.
        double const largest = std::numeric_limits<float>::max();
        float const beyond = std::copysign(std::numeric_limits<float>::infinity(),
                                           static_cast<float>(number > 0 ? 1 : -1));
        bool const converts = !(std::fabs(number) > largest);
        data = make_scalar(type, converts ? static_cast<float>(number) : beyond);
    }
    if (std::isfinite(number) && !std::isfinite(lane_as_double(data, 0)))
        return value_error(significant(number) + " does not fit " + std::string(to_string(type)));
    return data;
}

} // namespace lkt::detail::kernel

namespace lkt {

result<argument_data> scalar_argument(scalar_type type, parameter_value const& value) {
    switch (type) {
    case scalar_type::boolean: {
        if (auto const* b = std::get_if<bool>(&value)) return make_scalar(type, *b);
        auto const* i = std::get_if<std::int64_t>(&value);
        if (i != nullptr && (*i == 0 || *i == 1)) return make_scalar(type, *i == 1);
        return detail::kernel::value_error("write a bool as true, false, 1 or 0");
    }
    case scalar_type::int8:
        return detail::kernel::integer_argument<std::int8_t>(type, value);
    case scalar_type::uint8:
        return detail::kernel::integer_argument<std::uint8_t>(type, value);
    case scalar_type::int16:
        return detail::kernel::integer_argument<std::int16_t>(type, value);
    case scalar_type::uint16:
        return detail::kernel::integer_argument<std::uint16_t>(type, value);
    case scalar_type::int32:
        return detail::kernel::integer_argument<std::int32_t>(type, value);
    case scalar_type::uint32:
        return detail::kernel::integer_argument<std::uint32_t>(type, value);
    case scalar_type::int64:
        return detail::kernel::integer_argument<std::int64_t>(type, value);
    case scalar_type::uint64:
        return detail::kernel::integer_argument<std::uint64_t>(type, value);
    case scalar_type::int4:
    case scalar_type::uint4:
    case scalar_type::float4_e2m1:
        return detail::kernel::value_error("half bytes come in buffers only");
    case scalar_type::float8_e4m3:
    case scalar_type::float8_e5m2:
    case scalar_type::float16:
    case scalar_type::bfloat16:
    case scalar_type::float32:
    case scalar_type::float64:
        break;
    }
    return detail::kernel::floating_argument(type, value);
}

int half_byte(argument_data const& data, std::size_t lane) {
    auto const bits = static_cast<int>(data.bytes[lane / 2]) >> (lane % 2 == 0 ? 0 : 4) & 15;
    return data.type.scalar == scalar_type::int4 && bits > 7 ? bits - 16 : bits;
}

double lane_as_double(argument_data const& data, std::size_t lane) {
    return detail::kernel::with_lane(
        data, lane, [](auto value) { return static_cast<double>(value); });
}

std::string lane_text(argument_data const& data, std::size_t lane) {
    return detail::kernel::with_lane(data, lane, [&](auto value) -> std::string {
        using lane_t = decltype(value);
        if constexpr (std::is_same_v<lane_t, bool>) {
            return value ? "true" : "false";
        } else if constexpr (std::is_integral_v<lane_t>) {
            return std::to_string(value);
        } else {
            if (std::isnan(value)) return "nan";
            char text[64];
            // Shortest text that reads back as this value of its own type; narrow ones are exact
            // as float.
            auto const end =
                size_of(data.type.scalar) <= 2
                    ? std::to_chars(text, text + sizeof text, static_cast<float>(value))
                    : std::to_chars(text, text + sizeof text, value);
            return std::string(text, end.ptr);
        }
    });
}

std::string value_text(argument_data const& data, std::size_t index) {
    if (data.type.lanes == 1) return lane_text(data, index);
    std::string text = "(";
    for (unsigned k = 0; k < data.type.lanes; ++k)
        text += (k == 0 ? "" : ", ") + lane_text(data, index * data.type.lanes + k);
    return text + ")";
}

} // namespace lkt
