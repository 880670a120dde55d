// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/json_keys.hpp>

#include <doctest/doctest.h>

#include <string>

using lkt::find_repeated_key;
using lkt::repeated_key;

TEST_CASE("a key that its object had already is found, and where") {
    CHECK(find_repeated_key(R"({"a": 1, "a": 2})") == repeated_key{"a", 9});
    CHECK(find_repeated_key(R"({"x": [{"b": {}, "c": 0, "b": 1}]})") == repeated_key{"b", 25});
    CHECK(find_repeated_key(R"([{"": 1, "": 1}])") == repeated_key{"", 9});
    CHECK(find_repeated_key(R"({"a": {"a": 1}, "b": "a", "a": 3})") == repeated_key{"a", 26});
}

TEST_CASE("keys of different objects, and values, are none") {
    for (std::string const text : {R"({})",
                                   R"([])",
                                   R"("a")",
                                   R"({"a": 1, "b": 2})",
                                   R"({"a": {"a": {"a": 1}}})",
                                   R"([{"a": 1}, {"a": 1}])",
                                   R"({"a": "a", "b": ["a", "a", "b"], "c": {"d": "c"}})",
                                   R"({"a": "\"a\": {", "b": "a\\", "c": "}"})",
                                   R"({"a": 1, "A": 1, "a ": 1, "\u00e4": 1})"})
        CHECK_MESSAGE(!find_repeated_key(text), text);
}

TEST_CASE("escapes are other ways to write the same name") {
    CHECK(find_repeated_key(R"({"ab": 1, "\u0061b": 2})")->name == "ab");
    CHECK(find_repeated_key(R"({"a/b": 1, "a\/b": 2})")->name == "a/b");
    CHECK(find_repeated_key(R"({"\n": 1, "\u000a": 2})")->name == "\n");
    CHECK(find_repeated_key("{\"\xc3\xa4\": 1, \"\\u00E4\": 2}")->name == "\xc3\xa4");
    CHECK(find_repeated_key("{\"\xf0\x9f\x98\x80\": 1, \"\\ud83d\\ude00\": 2}")->name ==
          "\xf0\x9f\x98\x80");
}

TEST_CASE("no text makes it read beyond its end") {
    std::string const text = R"({"a": [{"b\u00e4\\": 1, "c": "\""}], "a": {}})";
    for (std::size_t n = 0; n <= text.size(); ++n) {
        std::string const part = text.substr(0, n); // a block of its own, for sanitizers
        CHECK(find_repeated_key(part).has_value() == (n > text.rfind("\"a\"") + 1));
    }
    for (std::string const odd : {"]]]}", ",\"a\"", "{\"a\\", "{\"\\u12", "\\\"", "{,\"a\",\"a\"}"})
        (void)find_repeated_key(odd);
}

TEST_CASE("a repeated key in words: where, and which") {
    CHECK(lkt::describe_repeated_key("{\"a\": 1,\n \"a\": 2}") ==
          "line 2, column 2: the field a occurs twice in one object");
    CHECK_FALSE(lkt::describe_repeated_key("{\"a\": 1}"));
}

TEST_CASE("a place is a line and a column") {
    CHECK(lkt::line_and_column("ab\ncd", 0) == "line 1, column 1");
    CHECK(lkt::line_and_column("ab\ncd", 4) == "line 2, column 2");
    CHECK(lkt::line_and_column("ab\ncd", 400) == "line 2, column 3");
}
