// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/prices.hpp>

#include <doctest/doctest.h>

#include "scratch.hpp"

#include <string>

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
                             "recorded replies of gpt"}) {
        CAPTURE(name);
        REQUIRE(table.find(name).has_value());
        CHECK((*table.find(name) == token_price{}));
    }
    for (char const* name :
         {"qwen", "qwen at localhost.example.com", "qwen at 10.0.0.1", "gpt-5"}) {
        CAPTURE(name);
        CHECK_FALSE(table.find(name).has_value());
    }
    table.set("qwen", {1, 1, 1});
    CHECK(table.find("qwen at localhost:8080")->input == 1);
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
