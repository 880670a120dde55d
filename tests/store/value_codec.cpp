// SPDX-License-Identifier: BSL-1.0
#include <lkt/store/value_codec.hpp>

#include <doctest/doctest.h>

#include <lkt/store/codec.hpp>

#include <string>
#include <vector>

namespace {

struct part {
    int number = 0;
    std::string text;
    friend bool operator==(part const&, part const&) = default;
};
struct same_members {
    int number = 0;
    std::string text;
};

} // namespace

template <>
struct lkt::value_codec<part> : lkt::compiled_codec<part> {};
extern template struct lkt::compiled_codec<part>;
template struct lkt::compiled_codec<part>;

TEST_CASE("a codec that is compiled in one file writes what others do") {
    CHECK(lkt::encoded(part{3, "x"}) == lkt::encoded(same_members{3, "x"}));
    std::vector<part> back;
    REQUIRE(lkt::decode(lkt::encoded(std::vector{part{1, "a"}, part{2, "b"}}), back).has_value());
    CHECK(back == std::vector{part{1, "a"}, part{2, "b"}});
    CHECK(lkt::value_codec<part>::shape() != lkt::shape_of<int>());
}

TEST_CASE("an expression is its text, and text that is none is refused") {
    auto const e = lkt::expression::parse("ceil_div(N, 2 * BLOCK)").value();
    lkt::expression back;
    REQUIRE(lkt::decode(lkt::encoded(e), back).has_value());
    CHECK(back == e);
    auto const wrong = lkt::decode(lkt::encoded(std::string("N +")), back);
    REQUIRE_FALSE(wrong.has_value());
    CHECK(wrong.error().message.find("a text is not an expression") != std::string::npos);
}
