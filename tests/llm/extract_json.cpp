// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/extract_json.hpp>

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <random>
#include <string>
#include <string_view>

namespace {

std::string json_in(std::string_view reply, lkt::json_limits limits = {}) {
    auto const found = lkt::extract_json(reply, limits);
    return found ? boost::json::serialize(*found) : found.error().code;
}

std::string why_not(std::string_view reply) {
    auto const found = lkt::extract_json(reply);
    return found ? "" : found.error().message;
}

} // namespace

TEST_CASE("the last block that is JSON") {
    CHECK(json_in("```json\n{\"a\": 1}\n```\n") == R"({"a":1})");
    CHECK(json_in("```json\n{\"a\": 1}\n```\n```json\n{\"b\": 2}\n```\n") == R"({"b":2})");
    CHECK(json_in("```json\n[1]\n```\n```cuda\n__global__ void f() {}\n```\n") == "[1]");
    CHECK(json_in("```\n{\"a\": 1}\n```\n") == R"({"a":1})");
    CHECK(json_in("```\n{ int x; }\n```\n") == "lkt.extract.no-json");
    CHECK(json_in("```json\n{\"a\": 1}\n") == R"({"a":1})");
    CHECK(json_in("````md\n```json\n{\"a\": 1}\n```\n````\n") == R"({"a":1})");
}

TEST_CASE("JSON without a fence, as the whole answer or beside the blocks") {
    CHECK(json_in(" {\"a\": [1, 2]}\n") == R"({"a":[1,2]})");
    CHECK(json_in("```cuda\nint a;\n```\n{\"a\": 1}\n") == R"({"a":1})");
    CHECK(json_in("The parameters are {\"a\": 1}") == "lkt.extract.no-json");
    CHECK(json_in("") == "lkt.extract.no-json");
}

TEST_CASE("comments and trailing commas pass") {
    CHECK(json_in("```json\n{\n  // tile\n  \"a\": [1, 2,], /* b */\n}\n```\n") ==
          R"({"a":[1,2]})");
    CHECK(json_in("```json\n{\"a\": 1} // that is all\n```\n") == R"({"a":1})");
}

TEST_CASE("reasoning is not searched") {
    CHECK(json_in("<think>\n```json\n{\"draft\": 1}\n```\n</think>\n```json\n{\"a\": 1}\n```\n") ==
          R"({"a":1})");
    CHECK(json_in("<think>\n```json\n{\"draft\": 1}\n```\n") == "lkt.extract.no-json");
}

TEST_CASE("a defect is named with its place") {
    CHECK(why_not("```json\n{\n  \"a\": tru\n}\n```\n").find("at line 2, column 8") !=
          std::string::npos);
    CHECK(why_not("```json\n{'a': 1}\n```\n").find("line 1, column 2, before `'a': 1}`") !=
          std::string::npos);
    CHECK(why_not("```json\n{\"a\": [1, 2\n```\n").find("ends too early") != std::string::npos);
    CHECK(why_not("```json\n{} {}\n```\n").find("extra data at line 1, column 4") !=
          std::string::npos);
    CHECK(why_not("```json\n\n```\n").find("ends too early") != std::string::npos);
    CHECK(why_not("```json\n[1e999]\n```\n").find("too large") != std::string::npos);
    auto const found = lkt::extract_json("```json\n{a: 1}\n```\n");
    REQUIRE_FALSE(found.has_value());
    CHECK(found.error().kind == lkt::condition::rejected);
    CHECK(found.error().code == "lkt.extract.malformed-json");
    CHECK_FALSE(found.error().hint.empty());
}

TEST_CASE("size and depth are limited") {
    std::string const deep = "```json\n" + std::string(40, '[') + std::string(40, ']') + "\n```\n";
    CHECK(json_in(deep) == "lkt.extract.malformed-json");
    CHECK(json_in(deep, {.depth = 50}) == std::string(40, '[') + std::string(40, ']'));
    CHECK(json_in("```json\n[1, 2, 3, 4]\n```\n", {.bytes = 8}) == "lkt.extract.malformed-json");
    std::string const abyss = "```json\n" + std::string(200000, '[') + "\n```\n";
    CHECK(json_in(abyss) == "lkt.extract.malformed-json");
}

TEST_CASE("what is quoted of a defect is UTF-8 and holds no control characters") {
    auto const message = why_not("```json\n{\"a\": \xff\x1b[31m}\n```\n");
    CHECK(message.find('\x1b') == std::string::npos);
    CHECK(message.find("\xEF\xBF\xBD") != std::string::npos);
}

TEST_CASE("any reply is read") {
    std::mt19937 random(17);
    std::string_view const pieces[] = {
        "```json\n", "```\n", "{",  "}",     "[", "]",   "\"a\"", ":",    ",",       "1",   "\n",
        "//",        "/*",    "*/", "1e999", "-", "\\u", "\"",    "true", "<think>", "\xff"};
    int values = 0, defects = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string text = "```json\n";
        for (auto n = random() % 12; n > 0; --n) text += pieces[random() % std::size(pieces)];
        auto const found = lkt::extract_json(text);
        if (found) {
            ++values;
            boost::json::error_code ec;
            (void)boost::json::parse(boost::json::serialize(*found), ec);
            CHECK_FALSE(ec);
        } else {
            ++defects;
            CHECK_FALSE(found.error().message.empty());
        }
    }
    CHECK(values > 50);
    CHECK(defects > 50);
}
