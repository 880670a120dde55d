// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/model_usage.hpp>

#include <lkt/llm/prices.hpp>

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("Replies are added up, in all and for each model") {
    lkt::model_usage usage;
    lkt::chat_reply reply;
    reply.model = "m1";
    reply.usage = {100, 20};
    lkt::count_usage(usage, reply, lkt::seconds(2));
    lkt::count_usage(usage, reply, lkt::seconds(3));
    reply.model = "m2";
    reply.source = "m at host";
    reply.requests = 3; // two of them in vain
    lkt::count_usage(usage, reply);
    CHECK(usage.calls == 3);
    CHECK(usage.requests == 5);
    CHECK(usage.tokens == lkt::token_usage{300, 60});
    CHECK(usage.time.count() == doctest::Approx(5));
    CHECK(usage.models == std::vector<lkt::used_model>{{"m1", "", 2, {200, 40}},
                                                       {"m2", "m at host", 1, {100, 20}}});
    lkt::model_usage both = usage;
    lkt::add_usage(both, usage);
    CHECK(both.requests == 10);
    CHECK(both.models == std::vector<lkt::used_model>{{"m1", "", 4, {400, 80}},
                                                      {"m2", "m at host", 2, {200, 40}}});
}

TEST_CASE("Each model costs what its own price says; one without a price leaves the sum open") {
    lkt::price_table prices;
    prices.set("large", {.input = 5, .cached_input = 1, .output = 20});
    prices.set("small", {.input = 1, .cached_input = 1, .output = 2});
    std::vector<lkt::used_model> models{
        {"large-1", "", 1, {.input = 1'000'000, .output = 100'000, .cached = 400'000}},
        {"answers-1", "small at host", 2, {.input = 2'000'000, .output = 500'000}}};
    auto const cost = lkt::cost_of(models, prices);
    REQUIRE(cost.has_value());
    CHECK(cost->usd == doctest::Approx(5.4 + 3));
    CHECK_FALSE(cost->listed);
    models.push_back({"other", "", 1, {1, 1}});
    CHECK_FALSE(lkt::cost_of(models, prices).has_value());
    CHECK(lkt::cost_of(models, prices, "small at host").has_value());
    CHECK(lkt::cost_of({}, prices) == lkt::model_cost{});
}
