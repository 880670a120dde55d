// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/argument_data.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>

using lkt::scalar_type;

namespace {

std::string text_of(scalar_type type, lkt::parameter_value const& value) {
    auto const data = scalar_argument(type, value);
    return data ? lane_text(*data, 0) : "error: " + data.error().message;
}

} // namespace

TEST_CASE("buffers count values and lanes") {
    std::array<float, 8> const lanes{0, 1, 2, 3, 4, 5, 6, 7};
    auto const data = lkt::make_buffer<float>({scalar_type::float32, 4}, lanes);
    CHECK(data.buffer);
    CHECK(data.count() == 2);
    CHECK(data.lanes() == 8);
    CHECK(data.lane<float>(5) == 5);
    CHECK(lane_as_double(data, 7) == 7);
    CHECK(value_text(data, 1) == "(4, 5, 6, 7)");
    CHECK(lkt::make_buffer<float>({}, {}).count() == 0);
}

TEST_CASE("half bytes are lanes of their own, the lower bits first") {
    std::array<std::uint8_t, 2> const bytes{0x8f, 0x70};
    auto const data = lkt::make_buffer<std::uint8_t>({scalar_type::int4, 2}, bytes);
    CHECK(data.count() == 2);
    CHECK(data.lanes() == 4);
    CHECK(value_text(data, 0) == "(-1, -8)");
    CHECK(lane_as_double(data, 3) == 7);
    auto const positive = lkt::make_buffer<std::uint8_t>({scalar_type::uint4, 2}, bytes);
    CHECK(value_text(positive, 0) == "(15, 8)");
    auto const reals = lkt::make_buffer<std::uint8_t>({scalar_type::float4_e2m1, 2}, bytes);
    CHECK(value_text(reals, 0) == "(-6, -0)");
    CHECK(lane_as_double(reals, 3) == 6);
    CHECK(text_of(scalar_type::float4_e2m1, 1.5).starts_with("error"));
    CHECK(text_of(scalar_type::int4, std::int64_t{1}).starts_with("error"));
}

TEST_CASE("every scalar type is printed as its own value") {
    CHECK(text_of(scalar_type::boolean, true) == "true");
    CHECK(text_of(scalar_type::boolean, std::int64_t{0}) == "false");
    CHECK(text_of(scalar_type::int8, std::int64_t{-128}) == "-128");
    CHECK(text_of(scalar_type::uint8, std::int64_t{255}) == "255");
    CHECK(text_of(scalar_type::int16, std::int64_t{-5}) == "-5");
    CHECK(text_of(scalar_type::uint16, 65535.0) == "65535");
    CHECK(text_of(scalar_type::int32, std::int64_t{7}) == "7");
    CHECK(text_of(scalar_type::uint32, std::int64_t{4294967295}) == "4294967295");
    CHECK(text_of(scalar_type::int64, std::numeric_limits<std::int64_t>::min()) ==
          "-9223372036854775808");
    CHECK(text_of(scalar_type::uint64, 9223372036854775808.0) == "9223372036854775808");
    CHECK(text_of(scalar_type::float16, 0.1) == "0.099975586");
    CHECK(text_of(scalar_type::bfloat16, std::int64_t{3}) == "3");
    CHECK(text_of(scalar_type::float8_e4m3, 0.1) == "0.1015625");
    CHECK(text_of(scalar_type::float8_e5m2, 50000.0) == "49152");
    CHECK(text_of(scalar_type::float32, 0.1) == "0.1");
    CHECK(text_of(scalar_type::float64, 0.1) == "0.1");
    CHECK(text_of(scalar_type::float64, std::numeric_limits<double>::quiet_NaN()) == "nan");
    CHECK(text_of(scalar_type::float32, -std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("a value that its type cannot hold is an error") {
    CHECK(text_of(scalar_type::int8, std::int64_t{128}) == "error: 128 does not fit int8");
    CHECK(text_of(scalar_type::uint32, std::int64_t{-1}) == "error: -1 does not fit uint32");
    CHECK(text_of(scalar_type::uint64, std::int64_t{-1}) == "error: -1 does not fit uint64");
    CHECK(text_of(scalar_type::int32, 1.5) == "error: 1.5 is not a value of int32");
    CHECK(text_of(scalar_type::int64, 9223372036854775808.0).starts_with("error"));
    CHECK(text_of(scalar_type::int32, std::numeric_limits<double>::quiet_NaN()).starts_with("err"));
    CHECK(text_of(scalar_type::boolean, std::int64_t{2}).starts_with("error"));
    CHECK(text_of(scalar_type::float16, 1e6) == "error: 1e+06 does not fit float16");
    CHECK(text_of(scalar_type::float8_e4m3, 464.0) == "error: 464 does not fit float8_e4m3fn");
    CHECK(text_of(scalar_type::float8_e4m3, 463.0) == "448");
    CHECK(text_of(scalar_type::float8_e5m2, 61440.0) ==
          "error: 6.144e+04 does not fit float8_e5m2");
    CHECK(text_of(scalar_type::float32, 1e300) == "error: 1e+300 does not fit float32");
    CHECK(text_of(scalar_type::float32, std::string("x")) ==
          "error: the text \"x\" is not a value of type float32");
    CHECK(text_of(scalar_type::int16, std::string("x")) ==
          "error: the text \"x\" is not a value of type int16");
}
