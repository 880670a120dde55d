// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/printable.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("untrusted text in a message: cut short, without control characters") {
    CHECK(lkt::printable("a\nb\x1b[0m") == "a b\\x1b[0m");
    CHECK(lkt::printable("abcdef", 3) == "abc...");
    CHECK(lkt::printable("ab\xc3\xa9", 3) == "ab...");
    CHECK(lkt::in_backticks("x y") == "`x y`");
}

TEST_CASE("a real number reads back as one") {
    CHECK(lkt::real_text(2) == "2.0");
    CHECK(lkt::real_text(0.1) == "0.1");
    CHECK(lkt::real_text(1e300) == "1e+300");
}

TEST_CASE("identifiers are ASCII and begin with no digit") {
    CHECK(lkt::is_identifier("_a1"));
    CHECK_FALSE(lkt::is_identifier("1a"));
    CHECK_FALSE(lkt::is_identifier(""));
    CHECK_FALSE(lkt::is_identifier("a-b"));
    CHECK_FALSE(lkt::is_identifier("\xc3\xa9"));
}
