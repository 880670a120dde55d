// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/diagnostics/own_text.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("A message keeps the words of the text and of compilers, and no others") {
    lkt::own_text const own("float f(float);\nvoid k() { tile[3] = 1e30f; } // gr\u00fc\u00df\n",
                            {{{"BLOCK", std::int64_t{128}}}});
    CHECK(own.lines() == 2);
    CHECK(own.line(1) == "float f(float);");
    CHECK(own.line(0).empty());
    CHECK(own.line(3).empty());
    CHECK(own.own_words("\u2018tile\u2019 was not declared in this scope") ==
          "'tile' was not declared in this scope");
    CHECK(own.own_words("unknown type name 'CANARY_7f3a9'") == "unknown type name '...'");
    CHECK(own.own_words("CANARY_1 CANARY_2 CANARY_3 expected") == "... expected");
    CHECK(own.own_words("BLOCK is 128, gr\u00fc\u00df and pi\u00e8ce") ==
          "BLOCK is 128, gr\u00fc\u00df and ...");
    CHECK(own.own_words("no member in '(anonymous namespace)::tile'") == "no member in 'tile'");
    CHECK(own.own_words("_Z1kv and _Z6canaryv") == "_Z1kv and ...");
    CHECK(own.own_words("(3, 0x1f, 12) [44] 17, 1") == "(3, 0x1f, 12) [44] ..., 1");
    CHECK(own.own_words("\x1b[31mtile\xff") == "\\...[...");
    CHECK(own.own_words(std::string(100'000, 'x') + " error").size() <= 400);
    CHECK(own.own_words("123456 error") == "... error");
    std::string const many(100'000, '.');
    CHECK(own.own_words(many).size() <= 400);
}

TEST_CASE("A line is unchanged where the compiler saw it as it is") {
    lkt::own_text const own(
        "one\ntwo\r\nthree", {}, "#define X\n#line 1 \"kernel\"\none\nTWO\nthree");
    CHECK(own.line(2) == "two");
    CHECK(own.unchanged(1));
    CHECK_FALSE(own.unchanged(2));
    CHECK(own.unchanged(3));
    CHECK_FALSE(own.unchanged(4));
    CHECK_FALSE(own.unchanged(0));
}
