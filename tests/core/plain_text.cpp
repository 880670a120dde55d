// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/plain_text.hpp>

#include <doctest/doctest.h>

#include <string>

using lkt::plain_json;
using lkt::plain_line;
using lkt::plain_text;

TEST_CASE("Plain text is as it was") {
    for (std::string const text : {"",
                                   "a",
                                   "two\nlines\tand a tab\n",
                                   "gr\u00fc\u00df, \u4f60\u597d, \U0001F600",
                                   "\u2018quoted\u2019 \u250c\u2500 kernel:3:7",
                                   "\\x1b[31m in ASCII"}) {
        CHECK(plain_text(text) == text);
        CHECK(lkt::well_formed_utf8(text) == text);
        CHECK(plain_json(text) == text);
    }
}

TEST_CASE("What steers a terminal, or is not seen, becomes words") {
    CHECK(plain_text("\x1b[2Jgone\x07") == "\\x1b[2Jgone\\x07");
    CHECK(plain_text(std::string_view("a\0b", 3)) == "a\\x00b");
    CHECK(plain_text("a\rb\r\nc\r") == "a\\x0db\nc\\x0d");
    CHECK(plain_text("\x7f\u009b31m") == "\\x7f\\u009b31m");
    CHECK(plain_text("x\u202e;)(\u2069\u200b\ufeff\u00ad") ==
          "x\\u202e;)(\\u2069\\u200b\\ufeff\\u00ad");
    CHECK(plain_text("a\U000E0041b\U000E0101") == "a\\U000e0041b\\U000e0101");
    CHECK(plain_text("a\u2028b") == "a\\u2028b");
    CHECK(plain_line("two\nlines\tand\r\n") == "two lines and ");
}

TEST_CASE("Bytes that are not UTF-8 are replaced, one by one") {
    CHECK(plain_text("\xff\xfe") == "\ufffd\ufffd");
    CHECK(plain_text("a\xc3") == "a\ufffd");
    CHECK(plain_text("\xe2\x80") == "\ufffd\ufffd");
    CHECK(plain_text("\xc0\x80") == "\ufffd\ufffd");           // too long
    CHECK(plain_text("\xed\xa0\x80") == "\ufffd\ufffd\ufffd"); // a surrogate
    CHECK(plain_text("\xf4\x90\x80\x80") == "\ufffd\ufffd\ufffd\ufffd");
    // One byte is CSI for a terminal that does not read UTF-8.
    CHECK(plain_text("\x9b"
                     "31m") == "\ufffd31m");
    CHECK(lkt::well_formed_utf8("\x1b\xff\u202e") == "\x1b\ufffd\u202e");
}

TEST_CASE("What is too long is cut between characters") {
    CHECK(plain_text("abcdef", 6) == "abcdef");
    CHECK(plain_text("abcdefg", 6) == "abc...");
    CHECK(plain_text("abcdefg", 2) == "..");
    CHECK(plain_text("abcdefg", 0).empty());
    CHECK(plain_text("ab\u20ac\u20ac\u20ac", 7) == "ab...");
    CHECK(plain_text("ab\u20ac\u20ac\u20ac", 8) == "ab\u20ac...");
    CHECK(plain_text("abc\x1b\x1b\x1b", 9) == "abc...");
    CHECK(lkt::cut_at_character("ab\u20ac", 4) == "ab");
    CHECK(lkt::cut_at_character("ab\u20ac", 5) == "ab\u20ac");
    CHECK(lkt::cut_at_character("a\U0001F600", 4) == "a");
    for (std::size_t most = 0; most < 40; ++most) {
        std::string const text = plain_text("a\xff\x1b\u20ac\U0001F600\u202e and more of it", most);
        CHECK(text.size() <= most);
        CHECK(plain_text(text, most) == text);
    }
}

TEST_CASE("JSON holds the same values, and nothing that is hidden") {
    CHECK(plain_json("{\"a\":\"\u202e\x7f\u009b\"}\n") == "{\"a\":\"\\u202e\\u007f\\u009b\"}\n");
    CHECK(plain_json("\"\U000E0041\"") == "\"\\udb40\\udc41\"");
    CHECK(plain_json("\"\xff gr\u00fc\u00df\"") == "\"\ufffd gr\u00fc\u00df\"");
    CHECK(plain_json("[1,\n2]") == "[1,\n2]");
}
