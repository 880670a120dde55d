// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/thinking.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using lkt::split_thinking;
using lkt::thinking_split;
using lkt::thinking_tags;

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

TEST_CASE("the tags of well-known models") {
    std::pair<std::string, std::string> const known[] = {
        {"<think>", "</think>"},
        {"[THINK]", "[/THINK]"},
        {"\u25C1think\u25B7", "\u25C1/think\u25B7"},
        {"<seed:think>", "</seed:think>"},
        {"<|START_THINKING|>", "<|END_THINKING|>"},
        {"<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"},
        {"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"},
        {"<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"}};
    for (auto const& [open, close] : known) {
        CAPTURE(open);
        auto const split = split_thinking(open + "hm" + close + "```\nx\n```");
        CHECK(split.answer == "```\nx\n```");
        CHECK(split.reasoning.starts_with("hm"));
        CHECK((split_thinking(open + "hm") == thinking_split{"", "hm", true}));
        CHECK(split_thinking(open + "\na\n" + open + "\nb\n" + close + "\nc\n" + close + "\nd")
                  .answer == "d");
        std::string const prose = "It writes " + open + " and " + close + " around it.";
        CHECK(lkt::strip_thinking(prose) == prose);
    }
    std::string const lambda = "auto f =\n[think](int i) { return i; };\n";
    CHECK(lkt::strip_thinking(lambda) == lambda);
    CHECK(lkt::strip_thinking("<reasoning>\nkept\n</reasoning>") ==
          "<reasoning>\nkept\n</reasoning>");
}

TEST_CASE("a kind of tag is ended by its own closing one") {
    CHECK((split_thinking("[THINK]not </think> yet[/THINK]a") ==
           thinking_split{"a", "not </think> yet", false}));
    CHECK((split_thinking("[THINK]a[/THINK]b\n<think>c</thinking>d") ==
           thinking_split{"b\nd", "a\nc", false}));
    CHECK(split_thinking("[THINK]\na\n<think>\nb\n[/THINK]\nc").answer == "c");
}

TEST_CASE("tags of one's own") {
    std::vector<thinking_tags> const own{{"<reasoning>", "</reasoning>"}, {"Mull:", "Reply:"}};
    CHECK((split_thinking("<reasoning>hm</reasoning>\nyes", own) ==
           thinking_split{"yes", "hm", false}));
    CHECK((split_thinking("Mull: 2 + 2\nReply: 4\n<think>ok</think>", own) ==
           thinking_split{"4", "2 + 2\nok", false}));
    CHECK((split_thinking("hm\n</reasoning>\nyes", own) == thinking_split{"yes", "hm", false}));
    CHECK((split_thinking("<reasoning>hm", own) == thinking_split{"", "hm", true}));
    CHECK(lkt::strip_thinking("<Reasoning>hm</Reasoning>", own) == "<Reasoning>hm</Reasoning>");
    // One more closing text for an opening one that is known, and the other way round.
    std::vector<thinking_tags> const joined{{"<think>", "[done]"}, {"[plan]", "[done]"}};
    CHECK(split_thinking("<think>a[done]b", joined).answer == "b");
    CHECK(split_thinking("[plan]a</think>b", joined).answer == "b");
    // The longest one counts.
    std::vector<thinking_tags> const longer{{"<<<", ">>>"}, {"<<<why", ">>>why"}};
    CHECK((split_thinking("<<<why a >>> b >>>why c", longer) ==
           thinking_split{"c", "a >>> b", false}));
    CHECK(split_thinking("a", std::vector<thinking_tags>{{"", ""}, {"a", ""}}).answer == "a");
}

TEST_CASE("tags that are none") {
    auto const why = [](std::string opening, std::string closing) {
        std::vector<thinking_tags> const tags{{"<ok>", "</ok>"},
                                              {std::move(opening), std::move(closing)}};
        auto const e = lkt::thinking_defect(tags);
        if (!e) return std::string();
        CHECK(e->code == "lkt.llm.thinking-tags");
        CHECK(e->kind == lkt::condition::rejected);
        CHECK_FALSE(e->hint.empty());
        return e->message;
    };
    CHECK(why("<a>", "</a>") == "");
    CHECK(why("<|channel|>analysis<|message|>", "<|end|>") == "");
    CHECK(why("", "</a>") == "the opening tag of reasoning, ``, is empty");
    CHECK(why("<a>", "") == "the closing tag of reasoning, ``, is empty");
    CHECK(why("<a>", "}").find("shorter than 3 bytes") != std::string::npos);
    CHECK(why("<a>", std::string(101, 'x')).find("longer than 100") != std::string::npos);
    CHECK(why("<a>\xFF", "</a>").find("is not UTF-8") != std::string::npos);
    CHECK(why(" <a>", "</a>").find("white space") != std::string::npos);
    CHECK(why("<a>", "</a>\n").find("white space") != std::string::npos);
    CHECK(why("<a\n>", "</a>").find("`<a\\n>`, is not one line") != std::string::npos);
    CHECK(why("```think", "</a>").find("is a fence") != std::string::npos);
    CHECK(why("<a>", "<a>") == "`<a>` and `<a>` cannot be told apart, though one opens reasoning "
                               "and the other closes it");
    CHECK(why("<a>", "<a>/") != "");
    CHECK(why("</ok>", "<a>") != "");
    CHECK(why("</Think>", "<a>") != "");
    CHECK_FALSE(lkt::thinking_defect({}).has_value());
}

TEST_CASE("any text is split in linear time, and nothing is made up") {
    std::mt19937 random(11);
    std::string_view const pieces[] = {"<think>",
                                       "</think>",
                                       "<thinking>",
                                       "\n",
                                       "```",
                                       " ",
                                       "a",
                                       "<",
                                       "</",
                                       "think>",
                                       "\r\n",
                                       "[THINK]",
                                       "[/THINK]",
                                       "[",
                                       "\u25C1think\u25B7",
                                       "\u25C1"};
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
