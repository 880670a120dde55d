// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/string_tools.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

TEST_CASE("untrusted text in a message: one line, cut short, without control characters") {
    CHECK(lkt::in_backticks("a\nb\x1b[0m") == "`a b\\x1b[0m`");
    CHECK(lkt::in_backticks("abcdefg", 6) == "`abc...`");
    CHECK(lkt::in_backticks("ab\xc3\xa9ghij", 6) == "`ab...`");
    CHECK(lkt::in_backticks("x\xff") == "`x\xef\xbf\xbd`");
}

TEST_CASE("white space at both ends goes") {
    CHECK(lkt::trimmed(" \t\r\n a b \f\v") == "a b");
    CHECK(lkt::trimmed(" \n").empty());
}

TEST_CASE("a word for a shell is quoted where a shell would split or expand it") {
    CHECK(lkt::shell_word("/tmp/a-b_1.x") == "/tmp/a-b_1.x");
    CHECK(lkt::shell_word("/tmp/jo \xc3\xbc x") == "'/tmp/jo \xc3\xbc x'");
    CHECK(lkt::shell_word("it's") == "'it'\\''s'");
    for (char const* const text : {"", "~", "a$b", "a*", "a;b", "a\"b", "a\\b", "a\nb", "#a", "a&"})
        CHECK(lkt::shell_word(text) == "'" + std::string(text) + "'");
}

TEST_CASE("words are joined by what lies between them") {
    using words = std::vector<std::string>;
    CHECK(lkt::joined(words{"", "a", ""}, ", ") == ", a, ");
    CHECK(lkt::joined(words{"a"}, ", ") == "a");
    CHECK(lkt::joined(words{}, ", ").empty());
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
