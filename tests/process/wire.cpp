// SPDX-License-Identifier: BSL-1.0
#include <lkt/process/wire.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

enum class colour : std::uint8_t { red = 3 };

} // namespace

TEST_CASE("what is packed is read back") {
    lkt::packer out;
    out.put(42).put(std::uint64_t{1} << 60).put(2.5).put(true).put(colour::red);
    out.put("text").put(std::string{"a\0b", 3}).put(std::vector<std::string>{"x", ""});
    out.put(std::vector<float>{1.5F, -2.0F});
    lkt::unpacker in{out.bytes()};
    CHECK(in.get<int>() == 42);
    CHECK(in.get<std::uint64_t>() == std::uint64_t{1} << 60);
    CHECK(in.get<double>() == 2.5);
    CHECK(in.get<bool>());
    CHECK(in.get<colour>() == colour::red);
    CHECK(in.text() == "text");
    CHECK(in.text() == std::string_view{"a\0b", 3});
    REQUIRE(in.count() == 2);
    CHECK(in.text() == "x");
    CHECK(in.text().empty());
    REQUIRE(in.count(sizeof(float)) == 2);
    CHECK(in.get<float>() == 1.5F);
    CHECK(in.get<float>() == -2.0F);
    CHECK(in.complete());
}

TEST_CASE("every truncation is noticed") {
    lkt::packer out;
    out.put(7).put("hello").put(1.0);
    auto const& whole = out.bytes();
    for (std::size_t n = 0; n < whole.size(); ++n) {
        lkt::unpacker in{std::string_view{whole}.substr(0, n)};
        (void)in.get<int>();
        (void)in.text();
        (void)in.get<double>();
        CHECK_FALSE(in.good());
        CHECK(in.get<int>() == 0); // and stays so
    }
}

TEST_CASE("sizes that cannot be are refused before anything is allocated") {
    lkt::packer out;
    out.put(std::numeric_limits<std::uint64_t>::max()).put("x");
    CHECK(lkt::unpacker{out.bytes()}.text().empty());
    lkt::unpacker in{out.bytes()};
    CHECK(in.count(8) == 0);
    CHECK_FALSE(in.good());
}

TEST_CASE("bytes left over are not complete, unless taken as the rest") {
    lkt::packer out;
    out.put(1).put(2);
    lkt::unpacker in{out.bytes()};
    (void)in.get<int>();
    CHECK(in.good());
    CHECK_FALSE(in.complete());
    CHECK(in.rest().size() == sizeof(int));
    CHECK(in.complete());
    in.fail();
    CHECK_FALSE(in.complete());
}

TEST_CASE("any byte is a valid bool") {
    for (char const c : {'\0', '\1', '\2', '\xff'}) {
        std::string const bytes(1, c);
        lkt::unpacker in{bytes};
        CHECK(in.get<bool>() == (c != '\0'));
    }
}
