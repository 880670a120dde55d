// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/value_type.hpp>

#include <doctest/doctest.h>

#include <set>

TEST_CASE("each scalar type has a size and a name of its own") {
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(lkt::scalar_type::float64); ++i) {
        auto const type = static_cast<lkt::scalar_type>(i);
        CHECK(lkt::size_of(type) >= 1);
        CHECK(names.insert(to_string(type)).second);
        // The digits in the name are the bits.
        std::string_view const name = to_string(type);
        auto const digits = name.find_first_of("123456789");
        if (digits != name.npos)
            CHECK(std::stoul(std::string(name.substr(digits))) ==
                  (lkt::is_half_byte(type) ? 4 : 8 * lkt::size_of(type)));
    }
    CHECK(names.size() == 18);
    CHECK(lkt::is_floating(lkt::scalar_type::bfloat16));
    CHECK_FALSE(lkt::is_floating(lkt::scalar_type::uint64));
}

TEST_CASE("vectors are packed") {
    CHECK(lkt::value_type{lkt::scalar_type::float32, 3}.bytes() == 12);
    CHECK(to_string(lkt::value_type{lkt::scalar_type::float32, 4}) == "float32x4");
    CHECK(to_string(lkt::value_type{}) == "float32");
    CHECK(lkt::value_type{lkt::scalar_type::int4, 2}.bytes() == 1);
    CHECK(lkt::value_type{lkt::scalar_type::uint4, 8}.bytes() == 4);
}

TEST_CASE("integers may be the bytes of narrower types") {
    using lkt::scalar_type;
    CHECK(lkt::same_bytes({scalar_type::uint8, 1}, {scalar_type::float8_e4m3, 1}));
    CHECK(lkt::same_bytes({scalar_type::int4, 2}, {scalar_type::int8, 1}));
    CHECK(lkt::same_bytes({scalar_type::uint32, 1}, {scalar_type::uint4, 8}));
    CHECK(lkt::same_bytes({scalar_type::uint16, 1}, {scalar_type::float4_e2m1, 4}));
    CHECK(lkt::same_bytes({scalar_type::float8_e5m2, 4}, {scalar_type::uint32, 1}));
    CHECK_FALSE(lkt::same_bytes({scalar_type::uint8, 1}, {scalar_type::int8, 1}));
    CHECK_FALSE(lkt::same_bytes({scalar_type::uint16, 1}, {scalar_type::float16, 1}));
    CHECK_FALSE(lkt::same_bytes({scalar_type::uint8, 4}, {scalar_type::float8_e4m3, 4}));
    CHECK_FALSE(lkt::same_bytes({scalar_type::float8_e4m3, 1}, {scalar_type::float8_e5m2, 1}));
}
