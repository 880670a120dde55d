// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/fenced_blocks.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>

using lkt::fenced_blocks;

TEST_CASE("backticks and tildes, info strings, and where the blocks lie") {
    std::string const text = "Before\n```cuda\nint a;\n```\nbetween\n~~~~ C++ {.x}\nint b;\n~~~~\n";
    auto const blocks = fenced_blocks(text);
    REQUIRE(blocks.size() == 2);
    CHECK(blocks[0].info == "cuda");
    CHECK(blocks[0].text == "int a;\n");
    CHECK(blocks[0].closed);
    CHECK(text.substr(blocks[0].begin, blocks[0].end - blocks[0].begin) ==
          "```cuda\nint a;\n```\n");
    CHECK(blocks[1].info == "C++ {.x}");
    CHECK(blocks[1].language() == "c++");
    CHECK(blocks[1].text == "int b;\n");
    CHECK(blocks[1].end == text.size());
    CHECK(fenced_blocks("no block at all").empty());
    CHECK(fenced_blocks("").empty());
}

TEST_CASE("the language is the first word of the info string in lower case") {
    auto const language = [](char const* info) {
        return lkt::fenced_block{info, {}, 0, 0, true}.language();
    };
    CHECK(language("CUDA") == "cuda");
    CHECK(language("cpp{.numbers}") == "cpp");
    CHECK(language("json title=a.json") == "json");
    CHECK(language("cuda:kernel.cu") == "cuda");
    CHECK(language("").empty());
}

TEST_CASE("CRLF, and indentation as deep as the fence's") {
    auto const crlf = fenced_blocks("a\r\n```cpp\r\nint a;\r\n  int b;\r\n```\r\nend");
    REQUIRE(crlf.size() == 1);
    CHECK(crlf[0].info == "cpp");
    CHECK(crlf[0].text == "int a;\n  int b;\n");
    auto const list =
        fenced_blocks("1. first\n    ```cpp\n    int a;\n      int b;\n  int c;\n    ```\n");
    REQUIRE(list.size() == 1);
    CHECK(list[0].text == "int a;\n  int b;\nint c;\n");
}

TEST_CASE("a longer fence holds shorter ones, the other mark does not close") {
    auto const blocks = fenced_blocks("````md\n```cuda\nint a;\n```\n~~~\n````\n");
    REQUIRE(blocks.size() == 1);
    CHECK(blocks[0].text == "```cuda\nint a;\n```\n~~~\n");
    CHECK(blocks[0].closed);
    // A closing fence may be longer than the opening one.
    auto const longer = fenced_blocks("```\nint a;\n`````\n```\nint b;\n```\n");
    REQUIRE(longer.size() == 2);
    CHECK(longer[1].text == "int b;\n");
}

TEST_CASE("a missing closing fence: the end of the text or the next opening one ends the block") {
    auto const open = fenced_blocks("```cuda\nint a;\nint b;");
    REQUIRE(open.size() == 1);
    CHECK(open[0].text == "int a;\nint b;\n");
    CHECK_FALSE(open[0].closed);
    auto const forgotten = fenced_blocks("```cuda\nint a;\n```json\n{}\n```\n");
    REQUIRE(forgotten.size() == 2);
    CHECK(forgotten[0].text == "int a;\n");
    CHECK_FALSE(forgotten[0].closed);
    CHECK(forgotten[1].info == "json");
    CHECK(forgotten[1].text == "{}\n");
    CHECK(forgotten[1].closed);
}

TEST_CASE("code within a line is no fence, nor are two marks") {
    CHECK(fenced_blocks("```int a;``` is code\n``\nx\n``\n").empty());
    CHECK(fenced_blocks("text ```\nnot a block\n").empty());
}

TEST_CASE("any text is read to its end: blocks are in order and within the text") {
    std::mt19937 random(7);
    std::string_view const pieces[] = {
        "```", "~~~", "````", "\n", "\r\n", " ", "cuda", "a", "\t", "`", "\xff"};
    std::size_t seen = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (auto n = random() % 40; n > 0; --n) text += pieces[random() % std::size(pieces)];
        std::size_t at = 0;
        for (auto const& block : fenced_blocks(text)) {
            ++seen;
            REQUIRE(block.begin >= at);
            REQUIRE(block.end > block.begin);
            REQUIRE(block.end <= text.size());
            REQUIRE(block.text.find("\r\n") == std::string::npos);
            at = block.end;
        }
    }
    CHECK(seen > 1000);
}
