// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/prices.hpp>

#include <lkt/llm/detail/price_list.hpp>

#include <doctest/doctest.h>

#include "scratch.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

using namespace lkt;

TEST_CASE("what a call costs: input, the cached part of it, and output") {
    constexpr token_price price{2, 0.5, 8};
    token_usage used;
    used.input = 1'000'000;
    used.cached = 400'000;
    used.output = 250'000;
    CHECK(cost(price, used) == doctest::Approx(0.6 * 2 + 0.4 * 0.5 + 0.25 * 8));
    CHECK(cost(price, {}) == 0);
}

TEST_CASE("a model is found by the longest beginning of its name that ends with a part of it") {
    price_table table;
    table.set("big-4", {1, 1, 1}).set("big-4-mini", {2, 2, 2}).set("house:", {3, 3, 3});
    CHECK(table.find("big-4")->input == 1);
    CHECK(table.find("big-4-2026-01-31")->input == 1);
    CHECK(table.find("big-4 at api.example.com")->input == 1);
    CHECK(table.find("big-4-mini-2")->input == 2);
    CHECK(table.find("house:anything")->input == 3);
    CHECK_FALSE(table.find("big-4.1").has_value());
    CHECK_FALSE(table.find("big-4o").has_value());
    CHECK_FALSE(table.find("big").has_value());
    CHECK_FALSE(table.find("").has_value());
    table.set("big-4", {9, 9, 9});
    CHECK(table.find("big-4")->input == 9);
}

TEST_CASE("models of this machine cost nothing, unless the table says so") {
    CHECK_FALSE(price_table().find("qwen at localhost:8080").has_value());
    auto table = price_table::local();
    for (char const* name : {"qwen at localhost:8080",
                             "qwen at 127.0.0.1:11434",
                             "qwen at [::1]:80",
                             "scripted",
                             "replies of a script",
                             "replies written by hand",
                             "recorded replies of gpt"}) {
        CAPTURE(name);
        REQUIRE(table.find(name).has_value());
        CHECK((*table.find(name) == token_price{}));
    }
    for (char const* name : {"qwen",
                             "qwen at localhost.example.com",
                             "qwen at 10.0.0.1",
                             "gpt-9",
                             "gpt-9 at api.openai.com, else qwen at localhost:8080"}) {
        CAPTURE(name);
        CHECK_FALSE(table.find(name).has_value());
    }
    table.set("qwen", {1, 1, 1});
    CHECK(table.find("qwen at localhost:8080")->input == 1);
}

TEST_CASE("the library's list is well-formed") {
    std::set<std::string_view> hosts;
    std::size_t models = 0;
    for (auto const& server : detail::price_list::servers) {
        CAPTURE(server.host);
        CHECK(hosts.insert(server.host).second);
        CHECK(server.host.find('.') != server.host.npos);
        CHECK(server.models.size() > 0);
        std::string_view last;
        for (auto const& [name, price] : server.models) {
            CAPTURE(name);
            ++models;
            CHECK(last < name); // sorted, so that each is there once
            last = name;
            CHECK(name.find(" at ") == name.npos);
            CHECK(price.input >= 0.01);
            CHECK(price.output >= price.input);
            CHECK(price.output <= 1000); // for a million tokens, not for one
            CHECK(price.cached_input > 0);
            CHECK(price.cached_input <= price.input);
        }
    }
    CHECK(hosts.size() >= 6);
    CHECK(models >= 100);
    CHECK(price_table::month().size() == 7);
    CHECK(price_table::source().starts_with("litellm "));
}

TEST_CASE("each model of the list gets its own price, and so does its version of some date") {
    auto const table = price_table::built_in();
    for (auto const& server : detail::price_list::servers)
        for (auto const& [name, price] : server.models) {
            auto const at = " at " + std::string(server.host);
            for (char const* date : {"", "-20990131", "-2099-01-31"}) {
                auto const model = std::string(name) + date + at;
                CAPTURE(model);
                auto const found = table.look_up(model);
                REQUIRE(found.has_value());
                CHECK(found->listed);
                CHECK((found->price == price));
            }
            // Not a date: another model, or a version that may have another price.
            for (char const* other :
                 {"-turbo", "-2411", "-2099", "-20990131-mini", ".1", "x", ":free"})
                CHECK_MESSAGE(
                    !table.find(std::string(name) + other + "-unheard-of" + at), name, other);
        }
}

TEST_CASE("a name is not taken for its family's") {
    auto const table = price_table::built_in();
    auto const input = [&](std::string const& name) {
        auto const found = table.find(name + " at api.openai.com");
        return found ? found->input : -1;
    };
    CHECK(input("gpt-4o") == 2.5);
    CHECK(input("gpt-4o-mini") == 0.15);
    CHECK(input("gpt-4o-mini-2024-07-18") == 0.15);
    CHECK(input("gpt-4o-2024-08-06") == 2.5);
    CHECK(input("gpt-4o-2024-05-13") == 5); // that one cost more
    CHECK(input("gpt-4") == 30);
    CHECK(input("gpt-4.1") == 2);
    for (char const* unknown :
         {"gpt-4o-max", "gpt-5-femto", "gpt-4-32k", "gpt", "gpt-4o-", "GPT-4o"})
        CHECK_MESSAGE(input(unknown) == -1, unknown);
    // The versions of a family are models of their own, whatever they begin with.
    CHECK_FALSE(table.find("claude-opus-4-51 at api.anthropic.com").has_value());
    CHECK_FALSE(table.find("claude-opus-4 at api.anthropic.com").has_value());
    CHECK(table.find("claude-opus-4-5-20251101 at api.anthropic.com")->output == 25);
    // Where a long prompt costs more, every prompt is taken for one.
    CHECK((*table.find("gemini-2.5-pro at generativelanguage.googleapis.com") ==
           token_price{2.5, 0.25, 15}));
}

TEST_CASE("the library's prices are for the servers of the list, unless a name says none") {
    auto const table = price_table::built_in();
    CHECK(table.find("gpt-4o").has_value());
    CHECK(table.find("openai/gpt-oss-120b at api.groq.com").has_value());
    for (char const* model : {"gpt-4o at gateway.example.com",
                              "gpt-4o at api.openai.com.example.com",
                              "gpt-4o at api.anthropic.com",
                              "openai/gpt-oss-120b at openrouter.ai",
                              "one of gpt-4o at api.openai.com, gpt-9 at api.openai.com"})
        CHECK_MESSAGE(!table.find(model).has_value(), model);
    for (char const* local : {"gpt-4o at localhost:8080", "recorded replies of gpt-4o"}) {
        CHECK((*table.find(local) == token_price{}));
        CHECK((*table.find(local, "gpt-4o") == token_price{})); // whoever it says it is
        CHECK_FALSE(table.look_up(local)->listed);
    }
    CHECK_FALSE(price_table::local().find("gpt-4o").has_value());
    CHECK_FALSE(price_table().find("gpt-4o").has_value());
}

TEST_CASE("who answers is asked for before who was asked") {
    auto const table = price_table::built_in();
    CHECK(table.find("gpt-4o at api.openai.com", "gpt-4o-2024-05-13")->input == 5);
    CHECK(table.find("alias at api.openai.com", "gpt-4o")->input == 2.5);
    CHECK(table.find("gpt-4o at api.openai.com", "unheard of")->input == 2.5);
    CHECK_FALSE(table.find("alias at api.openai.com", "claude-opus-4-5").has_value());
}

TEST_CASE("a table of one's own goes before the library's, model by model") {
    auto table = price_table::built_in();
    REQUIRE(table.add_json(R"({"models": {"gpt-4o": {"input": 1, "output": 2}}})").has_value());
    CHECK(table.find("gpt-4o at api.openai.com")->input == 1);
    CHECK(table.find("gpt-4o at gateway.example.com")->input == 1);
    CHECK_FALSE(table.look_up("gpt-4o at api.openai.com")->listed);
    // One's own beginning of a name counts, even if the list has more of it.
    CHECK(table.find("gpt-4o-mini at api.openai.com")->input == 1);
    CHECK(table.find("gpt-4.1 at api.openai.com")->input == 2);
    CHECK(table.look_up("gpt-4.1 at api.openai.com")->listed);
}

TEST_CASE("a table is read from JSON") {
    price_table table;
    table.set("kept", {7, 7, 7});
    REQUIRE(table
                .add_json(R"({"note": "read on a Sunday", "models": {
        "a": {"input": 1.25, "cached_input": 0.125, "output": 10},
        "b": {"input": 1, "output": 2}}})")
                .has_value());
    CHECK((*table.find("a") == token_price{1.25, 0.125, 10}));
    CHECK((*table.find("b") == token_price{1, 1, 2}));
    CHECK(table.find("kept")->input == 7);

    scratch_folder const folder;
    auto const path = folder.file("prices.json", R"({"models": {"c": {"input": 3, "output": 4}}})");
    REQUIRE(table.add_file(path).has_value());
    CHECK(table.find("c")->output == 4);
    CHECK(table.add_file(folder.path("none")).error().code == "lkt.file.missing");
}

TEST_CASE("defects are named, and change nothing") {
    struct defect {
        char const* text;
        char const* says;
    };
    for (auto const& [text, says] :
         {defect{"{", "not valid JSON"},
          defect{"[]", "not a JSON object"},
          defect{"{}", "\"models\" is missing"},
          defect{R"({"models": 3})", "\"models\""},
          defect{R"({"modles": {}})", "\"models\" is missing"},
          defect{R"({"models": {}, "x": 1})", "unknown field `x`"},
          defect{R"({"models": {"a": 1}})", "\"a\" is not a JSON object"},
          defect{R"({"models": {"a": {"output": 1}}})", "\"input\" of \"a\" is missing"},
          defect{R"({"models": {"a": {"input": -1, "output": 1}}})",
                 "\"input\" of \"a\" is negative"},
          defect{R"({"models": {"a": {"input": "1", "output": 1}}})", "not a number"},
          defect{R"({"models": {"a": {"input": 1, "output": 1, "z": 1}}})", "unknown field `z`"}}) {
        CAPTURE(text);
        price_table table;
        auto const read = table.add_json(text, "mine.json");
        REQUIRE_FALSE(read.has_value());
        CHECK(read.error().code == "lkt.prices.malformed");
        CHECK(read.error().kind == condition::rejected);
        INFO(read.error().message);
        CHECK(read.error().message.find(says) != std::string::npos);
        CHECK(read.error().message.starts_with("mine.json: "));
        CHECK_FALSE(table.find("a").has_value());
    }
}
