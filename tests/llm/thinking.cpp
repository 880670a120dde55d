// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/thinking.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <string>
#include <string_view>

using lkt::split_thinking;
using lkt::thinking_split;

TEST_CASE("a text without tags is left as it is") {
    CHECK((split_thinking("  an answer\n") == thinking_split{"  an answer\n", "", false}));
    CHECK((split_thinking("") == thinking_split{"", "", false}));
    CHECK(lkt::strip_thinking("a < b, think > c") == "a < b, think > c");
}

TEST_CASE("reasoning is taken out and kept") {
    CHECK((split_thinking("<think>\nlet me see\n</think>\n\nThe answer") ==
           thinking_split{"The answer", "let me see", false}));
    CHECK((split_thinking("<THINKING>a</THINKING>b") == thinking_split{"b", "a", false}));
    CHECK((split_thinking("<think>a</think>b\n<think>c</think>d") ==
           thinking_split{"b\nd", "a\nc", false}));
    CHECK((split_thinking("<think></think>b") == thinking_split{"b", "", false}));
}

TEST_CASE("nested tags are counted; the last closing one ends what does not balance") {
    CHECK(split_thinking("<think>\na\n<think>\nb\n</think>\nc\n</think>\nd").answer == "d");
    CHECK(split_thinking("<think>\na\n<think>\nb\n</think>\nd").answer == "d");
    // Reasoning that speaks of the tag.
    CHECK(split_thinking("<think>no <think> here</think>\nd").answer == "d");
}

TEST_CASE("an unclosed tag takes the rest, a tag without its opening one all before it") {
    CHECK((split_thinking("<think>I wonder") == thinking_split{"", "I wonder", true}));
    CHECK(split_thinking("first\n<think>I wonder").answer == "first");
    CHECK((split_thinking("I wonder\n</think>\n\nanswer") ==
           thinking_split{"answer", "I wonder", false}));
}

TEST_CASE("an answer may speak of the tag") {
    std::string const prose = "Do not write <think> or </think> tags.";
    CHECK(lkt::strip_thinking(prose) == prose);
    std::string const code = "```html\n<think>\nno reasoning\n```\nend";
    CHECK(lkt::strip_thinking(code) == code);
    // A fence within the reasoning hides nothing that comes after it.
    CHECK(lkt::strip_thinking("<think>\n```\nx\n</think>\n<think>y</think>answer") == "answer");
}

TEST_CASE("any text is split in linear time, and nothing is made up") {
    std::mt19937 random(11);
    std::string_view const pieces[] = {
        "<think>", "</think>", "<thinking>", "\n", "```", " ", "a", "<", "</", "think>", "\r\n"};
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (auto n = random() % 30; n > 0; --n) text += pieces[random() % std::size(pieces)];
        auto const split = split_thinking(text);
        REQUIRE(split.answer.size() + split.reasoning.size() <= text.size() + 30);
    }
    std::string many;
    for (int i = 0; i < 200000; ++i) many += "<think>\n";
    auto const start = std::chrono::steady_clock::now();
    CHECK(split_thinking(many).cut_off);
    CHECK(split_thinking(std::string(2000000, '<')).answer.size() == 2000000);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}
