// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/cuda/tokens.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

std::string joined(std::string_view text) {
    auto const tokens = lkt::tokenize(text);
    if (!tokens) return "error: " + tokens.error().message;
    std::string all;
    for (lkt::token const& t : *tokens) all += (all.empty() ? "" : "|") + t.text;
    return all;
}

lkt::token only(std::string_view text) {
    auto const tokens = lkt::tokenize(text);
    REQUIRE(tokens.has_value());
    REQUIRE(tokens->size() == 1);
    return tokens->front();
}

} // namespace

TEST_CASE("names, numbers and punctuators") {
    CHECK(joined("out[i] += 0x1p-3f*a->b;") == "out|[|i|]|+=|0x1p-3f|*|a|->|b|;");
    CHECK(joined("k<<<g,b>>>(x)") == "k|<<<|g|,|b|>>|>|(|x|)");
    CHECK(joined("1'000u 1e+5f .5 1..2") == "1'000u|1e+5f|.5|1..2");
    CHECK(joined("a<::b> c") == "a|<|::|b|>|c");
    CHECK(joined("") == "");
}

TEST_CASE("comments and white space leave no token") {
    CHECK(joined("a/*b*/c//d\ne") == "a|c|e");
    CHECK(joined("a//b\\\nc\nd") == "a|d");
    CHECK(joined("a/\\\n*b*\\\n/c") == "a|c");
    CHECK(joined("/**/x/***/y") == "x|y");
    CHECK(joined("\"/*\" '//' x") == "\"/*\"|'//'|x");
}

TEST_CASE("an unfinished comment or raw string is an error with its line") {
    auto const open = lkt::tokenize("int a;\n  /* never");
    REQUIRE(open.has_error());
    CHECK(open.error().kind == lkt::condition::rejected);
    CHECK(open.error().code == "lkt.kernel.text");
    CHECK(open.error().message == "line 2, column 3: this comment is never closed; end it with */");
    CHECK(joined("R\"x(abc)\"") == "error: line 1, column 1: this raw string is never closed");
    CHECK(joined("R\"abc") == "error: line 1, column 1: this raw string is never closed");
    CHECK(joined("/*").starts_with("error: line 1, column 1"));
}

TEST_CASE("strings") {
    CHECK(only("\"a\\\"b\"").kind == lkt::token_kind::string);
    CHECK(only("u8\"x\"_suffix").text == "u8\"x\"_suffix");
    CHECK(only("'\\''").kind == lkt::token_kind::character);
    CHECK(only("R\"--(a\n)\" )--\"").text == "R\"--(a\n)\" )--\"");
    // A raw string keeps what would be a line splice elsewhere.
    CHECK(only("R\"(a\\\nb)\"").text == "R\"(a\\\nb)\"");
    CHECK(only("\"never").kind == lkt::token_kind::other);
    CHECK(joined("#error don't\nint x;") == "#|error|don|'t|int|x|;");
    CHECK_FALSE(only("\"if\"").is("\"if\""));
}

TEST_CASE("disguises are undone and marked") {
    lkt::token const spliced = only("sys\\\ntem");
    CHECK(spliced.text == "system");
    CHECK(spliced.disguised);
    CHECK(spliced.end == 8);
    CHECK(only("sys\\  \r\ntem").text == "system");
    CHECK(only("<%").text == "{");
    CHECK(only("<%").disguised);
    CHECK(only("a\\u00e9").disguised);
    CHECK_FALSE(only("plain").disguised);
    auto const line = lkt::tokenize("%:define A <:");
    REQUIRE(line.has_value());
    CHECK(line->front().directive);
    CHECK(line->front().text == "#");
}

TEST_CASE("directives") {
    auto const r = lkt::tokenize("#include <a b.h>\n#define F(x) \\\n  x + 1\nint y = 1; # not\n");
    REQUIRE(r.has_value());
    std::vector<lkt::token> const& t = *r;
    REQUIRE(t.size() == 19);
    CHECK(t[2].kind == lkt::token_kind::header_name);
    CHECK(t[2].text == "<a b.h>");
    CHECK(t[11].text == "1");
    CHECK(t[11].directive);
    CHECK(t[11].where == lkt::text_location{3, 7});
    CHECK(t[12].text == "int");
    CHECK_FALSE(t[12].directive);
    CHECK(t[12].first);
    CHECK_FALSE(t[17].directive); // a # in the middle of a line begins no directive
    CHECK(joined("#include <never\nx") == "#|include|<never|x");
    CHECK(joined("a < b > c") == "a|<|b|>|c");
}

TEST_CASE("places") {
    auto const t = lkt::tokenize("a\r\n  bc /* \n */ d");
    REQUIRE(t.has_value());
    REQUIRE(t->size() == 3);
    CHECK((*t)[1].where == lkt::text_location{2, 3});
    CHECK((*t)[1].begin == 5);
    CHECK((*t)[1].end == 7);
    CHECK((*t)[2].where == lkt::text_location{3, 5});
}

TEST_CASE("junk is refused or marked") {
    CHECK(joined(std::string_view("a\0b", 3)).find("NUL") != std::string::npos);
    CHECK(only("\x01").kind == lkt::token_kind::other);
    CHECK(only("@").kind == lkt::token_kind::other);
    CHECK(only("\\").kind == lkt::token_kind::other);
    CHECK(only("\xff\xfe").kind == lkt::token_kind::identifier);
    std::string const large(lkt::max_kernel_bytes + 1, 'x');
    CHECK(joined(large).find("bytes; the limit is") != std::string::npos);
}

TEST_CASE("long runs of line splices take linear time") {
    std::string text = "a";
    for (int i = 0; i < 20000; ++i) text += "\\\n";
    text += "b";
    CHECK(joined(text) == "ab");
    std::string comment = "/*";
    for (int i = 0; i < 20000; ++i) comment += "\\\n";
    CHECK(joined(comment + "*/x") == "x");
}
