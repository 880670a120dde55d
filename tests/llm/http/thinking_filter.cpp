// SPDX-License-Identifier: BSL-1.0
// Reasoning between tags, in a text that arrives in pieces.
#include <lkt/llm/http/detail/thinking_filter.hpp>

#include <lkt/llm/thinking.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using lkt::split_thinking;
using lkt::thinking_tags;
using lkt::detail::http::thinking_filter;

namespace {

std::vector<thinking_tags> const own{
    {"<reasoning>", "</reasoning>"}, {"<<<", ">>>"}, {"<<<why", ">>>why"}, {"«denk»", "«/denk»"}};

std::pair<std::string, std::string> filtered(std::vector<std::string_view> const& pieces) {
    thinking_filter filter(own);
    std::string answer;
    for (auto const piece : pieces) filter.feed(piece, answer);
    filter.finish(answer);
    return {answer, filter.reasoning()};
}

std::pair<std::string, std::string> split(std::string_view text) {
    auto parts = split_thinking(text, own);
    return {std::move(parts.answer), std::move(parts.reasoning)};
}

} // namespace

TEST_CASE("each pair, cut at every byte") {
    std::vector<thinking_tags> all = own;
    all.insert(all.end(),
               {{"<think>", "</think>"},
                {"<THINKING>", "</Thinking>"},
                {"[THINK]", "[/THINK]"},
                {"\u25C1think\u25B7", "\u25C1/think\u25B7"},
                {"<seed:think>", "</seed:think>"},
                {"<|START_THINKING|>", "<|END_THINKING|>"},
                {"<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"},
                {"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"}});
    for (auto const& [open, close] : all) {
        for (std::string const& text :
             {open + "hm" + close + "yes",                                         // plain
              open + "\n1\n" + open + "\n2\n" + close + "\n3\n" + close + "\nyes", // nested
              open + "\n1\n" + open + "\n2" + close + "yes",                       // unbalanced
              "first\n" + open + "hm",                                             // unclosed
              "so " + open + " and " + close + " stay",
              open.substr(0, open.size() - 1) + "... is no tag",
              open + "hm" + close.substr(0, close.size() - 1),
              "```\n" + open + "\n```\nyes"}) {
            CAPTURE(text);
            auto const whole = split(text);
            std::string_view const view = text;
            for (std::size_t i = 0; i <= text.size(); ++i)
                REQUIRE(filtered({view.substr(0, i), view.substr(i)}) == whole);
            std::vector<std::string_view> bytes;
            for (std::size_t i = 0; i < text.size(); ++i) bytes.push_back(view.substr(i, 1));
            REQUIRE(filtered(bytes) == whole);
        }
        CHECK(split(open + "hm" + close + "yes") ==
              std::pair<std::string, std::string>{"yes", "hm"});
    }
}

TEST_CASE("what is no tag is shown as soon as that is known") {
    thinking_filter filter(own);
    std::string shown;
    filter.feed("<reas", shown);
    CHECK(shown.empty());
    filter.feed("ons: two", shown);
    CHECK(shown == "<reasons: two");
    filter.feed("\n\u25C1", shown); // only a whole character
    CHECK(shown == "<reasons: two");
    filter.feed(" left", shown);
    CHECK(shown == "<reasons: two\n\u25C1 left");
}

TEST_CASE("the filter is split_thinking, piece by piece") {
    std::mt19937 random(17);
    std::string_view const parts[] = {"<think>", "</think>",    "<thinking>", "</THINKING>",
                                      "\n",      "```",         " ",          "a",
                                      "<",       "</",          "think>",     "\r\n",
                                      "```c\n",  "~~~\n",       "b\n",        "[THINK]",
                                      "[",       "[/THINK]",    "<<<",        ">>>",
                                      "why",     "<reasoning>", ">",          "</reasoning>",
                                      "«denk»",  "«/denk»",     "\xC2",       "\n<reasoning>",
                                      "\n<<<"};
    int compared = 0;
    for (int round = 0; round < 40000; ++round) {
        std::string text;
        for (auto n = random() % 14; n > 0; --n) text += parts[random() % std::size(parts)];
        auto const in_steps = [&](std::size_t step) {
            std::vector<std::string_view> pieces;
            for (std::size_t at = 0; at < text.size(); at += step)
                pieces.push_back(std::string_view(text).substr(at, step));
            return filtered(pieces);
        };
        INFO(text);
        auto const at_once = in_steps(1000);
        REQUIRE(in_steps(1) == at_once);
        REQUIRE(in_steps(3) == at_once);
        // But for what had been passed on before a tag showed that it should not have been.
        auto const first = [&](std::initializer_list<std::string_view> tags) {
            std::size_t at = text.npos;
            for (auto const tag : tags) at = std::min(at, text.find(tag));
            return at;
        };
        bool const lone =
            first({"</think>", "</THINKING>", "[/THINK]", ">>>", "</reasoning>", "«/denk»"}) <
            first({"<think>", "<thinking>", "[THINK]", "<<<", "<reasoning>", "«denk»"});
        bool const blank = !text.empty() && lkt::is_blank(text.front());
        if (lone || blank) continue;
        ++compared;
        REQUIRE(at_once == split(text));
    }
    CHECK(compared > 10000);
}
