// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/budgeted.hpp>

#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"

#include <atomic>
#include <chrono>
#include <latch>
#include <string>
#include <thread>
#include <vector>

using namespace lkt;
using archetypes::ask;

static_assert(chat_model<budgeted<scripted_model>>);
static_assert(!batch_chat_model<budgeted<scripted_model>>);
static_assert(batch_chat_model<budgeted<archetypes::full>>);
static_assert(chat_model<budgeted<archetypes::minimal&>>);

namespace {

/// Each reply takes as many tokens.
struct spender {
    std::int64_t input = 0, output = 0;
    std::string name = "big-4";
    std::atomic<int>* running = nullptr;
    std::atomic<int>* most = nullptr;

    result<chat_reply> complete(chat_request const&, call_context const&) {
        if (running) {
            int const now = ++*running;
            for (int seen = *most; now > seen && !most->compare_exchange_weak(seen, now);) {
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            --*running;
        }
        auto r = archetypes::reply("x");
        r.model = name;
        r.usage.input = input;
        r.usage.output = output;
        return r;
    }
    std::vector<result<chat_reply>> complete_all(std::span<chat_request const> rs,
                                                 call_context const& c) {
        std::vector<result<chat_reply>> all;
        for (auto const& r : rs) all.push_back(complete(r, c));
        return all;
    }
    [[nodiscard]] std::string description() const { return name; }
};

chat_request short_one(int max_tokens) {
    auto r = ask("q");
    r.max_tokens = max_tokens;
    return r;
}

} // namespace

TEST_CASE("it obeys the laws") {
    budgeted model{archetypes::full{}, {.tokens = 1'000'000}};
    obeys_the_laws(model);
    budgeted plain{scripted_model(std::vector<scripted_turn>(answers_needed, "a")), {.calls = 100}};
    obeys_the_laws(plain);
}

TEST_CASE("tokens: the call that reaches the limit is the last one") {
    budgeted model{spender{100, 200}, {.tokens = 900}};
    auto copy = model;
    for (int i = 0; i < 3; ++i) CHECK(model.complete(short_one(200), {}).has_value());
    auto const refused = copy.complete(short_one(200), {});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().kind == condition::exhausted);
    CHECK(refused.error().code == "lkt.budget.tokens");
    CHECK(refused.error().message.find("3 calls, 900 tokens") != std::string::npos);
    CHECK(model.spent().tokens() == 900);
    CHECK(model.spent().calls == 3);
}

TEST_CASE("many threads: the limit is passed by one call at most") {
    for (int const said : {250, 400}) { // what a reply may have; it has 250
        std::atomic<int> running = 0, most = 0;
        budgeted model{spender{0, 250, "big-4", &running, &most}, {.tokens = 10'000}};
        std::atomic<int> answered = 0;
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < 20; ++i)
                    answered += model.complete(short_one(said), {}).has_value();
            });
        threads.clear();
        CHECK(model.spent().tokens() >= 10'000);
        CHECK(model.spent().tokens() <= 10'000 + 250);
        CHECK(answered * 250 == model.spent().tokens());
        CHECK(most > 1); // and yet they ran side by side
    }
}

TEST_CASE("money: by the price table, cached input for less") {
    budget_limits limits{.usd = 1.0};
    limits.prices.set("big-4", {10, 1, 100});
    budgeted model{spender{10'000, 3000}, limits};
    CHECK(model.complete(short_one(3000), {}).has_value()); // 0.1 + 0.3
    CHECK(model.complete(short_one(3000), {}).has_value());
    CHECK(model.spent().usd == doctest::Approx(0.8));
    CHECK(model.complete(short_one(3000), {}).has_value()); // the one past the limit
    auto const refused = model.complete(short_one(3000), {});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == "lkt.budget.money");
    CHECK(refused.error().message.find("1.2 USD") != std::string::npos);

    budgeted broke{spender{1, 1}, {.usd = 0.0, .prices = limits.prices}};
    CHECK(broke.complete(ask("q"), {}).error().code == "lkt.budget.money");
    budgeted local{scripted_model{"free"}, {.usd = 0.0}};
    CHECK(local.complete(ask("q"), {}).has_value());
}

TEST_CASE(
    "an unknown model is an error before the call where money is limited, else it is counted") {
    scripted_model script{"x"};
    budgeted strict{script, {.usd = 5.0, .prices = price_table()}};
    auto const refused = strict.complete(ask("q"), {});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == "lkt.budget.no-price");
    CHECK(refused.error().kind == condition::rejected);
    CHECK(refused.error().message.find("replies of a script") != std::string::npos);
    CHECK(script.left() == 1);
    CHECK(strict.spent().calls == 0);

    budgeted loose{spender{1, 1, "mystery"}, {.tokens = 1000}};
    CHECK(loose.complete(short_one(1), {}).has_value());
    CHECK(loose.spent().without_price == 1);
    CHECK(to_string(loose.spent()).find("without the price of 1 calls") != std::string::npos);
}

TEST_CASE("the reply's model is the one that is paid") {
    price_table prices;
    prices.set("planned", {0, 0, 1}).set("other", {0, 0, 1000});
    budgeted model{spender{0, 1000, "other"}, {.usd = 100.0, .prices = prices}, "planned"};
    CHECK(model.complete(short_one(1), {}).has_value());
    CHECK(model.spent().usd == doctest::Approx(1.0));
    budgeted alias{spender{0, 1000, "unheard of"}, {.usd = 100.0, .prices = prices}, "planned"};
    CHECK(alias.complete(short_one(1), {}).has_value());
    CHECK(alias.spent().usd == doctest::Approx(0.001));
    CHECK(alias.spent().without_price == 0);
}

TEST_CASE(
    "the library's prices are there unless others are given, and are named where they count") {
    // 2.5 and 10 USD for a million tokens.
    budgeted model{
        spender{100'000, 5000, "gpt-4o-2024-11-20"}, {.usd = 1.0}, "gpt-4o at api.openai.com"};
    CHECK(model.complete(short_one(5000), {}).has_value());
    CHECK(model.spent().usd == doctest::Approx(0.3));
    CHECK(model.spent().listed == 1);
    auto const said = to_string(model.spent());
    CHECK(said.find("0.3 USD") != std::string::npos);
    CHECK(said.find("prices of " + std::string(price_table::month())) != std::string::npos);
    CHECK(said.find(std::string(price_table::source())) != std::string::npos);

    budget_limits limits{.usd = 1.0};
    limits.prices.set("gpt-4o", {0, 0, 1});
    budgeted discounted{
        spender{100'000, 5000, "gpt-4o-2024-11-20"}, limits, "gpt-4o at api.openai.com"};
    CHECK(discounted.complete(short_one(5000), {}).has_value());
    CHECK(discounted.spent().usd == doctest::Approx(0.005));
    CHECK(discounted.spent().listed == 0);
    CHECK(to_string(discounted.spent()).find("prices of") == std::string::npos);

    // One name, another server: nobody knows what that asks for.
    budgeted elsewhere{spender{1, 1}, {.usd = 1.0}, "gpt-4o at gateway.example.com"};
    CHECK(elsewhere.complete(ask("q"), {}).error().code == "lkt.budget.no-price");
    budgeted here{spender{1000, 1000, "gpt-4o"}, {.usd = 0.0}, "gpt-4o at 127.0.0.1:8080"};
    CHECK(here.complete(ask("q"), {}).has_value());
    CHECK(here.spent().usd == 0);
    // Of two models the second one is on this machine: that makes the first one no cheaper.
    budgeted either{
        spender{1, 1}, {.usd = 1.0}, "gpt-9 at api.openai.com, else qwen at localhost:8080"};
    CHECK(either.complete(ask("q"), {}).error().code == "lkt.budget.no-price");
}

TEST_CASE("calls and time") {
    auto const clock = time_source::manual();
    error const busy{condition::transient, "lkt.http.status", "503", ""};
    budgeted model{scripted_model{"a", busy, "b", "c"}, {.calls = 3, .clock = clock}};
    CHECK(model.complete(ask("q"), {}).has_value());
    CHECK_FALSE(model.complete(ask("q"), {}).has_value());
    CHECK(model.complete(ask("q"), {}).has_value());
    CHECK(model.complete(ask("q"), {}).error().code == "lkt.budget.calls");
    CHECK(model.spent().failed == 1);
    CHECK(model.spent().estimated == 2);

    budgeted timed{scripted_model{"a", "b"}, {.time = seconds(60), .clock = clock}};
    CHECK(timed.complete(ask("q"), {}).has_value());
    clock.advance(std::chrono::seconds(61));
    auto const late = timed.complete(ask("q"), {});
    CHECK(late.error().code == "lkt.budget.time");
    CHECK(late.error().kind == condition::exhausted);
    CHECK(timed.spent().time.count() == doctest::Approx(61));
}

TEST_CASE("what no server counted is estimated") {
    budgeted model{scripted_model{std::string(400, 'x')}, {}};
    CHECK(model.complete(ask(std::string(800, 'y')), {}).has_value());
    CHECK(model.spent().output == 100);
    CHECK(model.spent().input >= 200);
    CHECK(model.spent().input < 220);
    CHECK(model.spent().estimated == 1);
}

TEST_CASE("a wait for calls in flight ends on a stop request") {
    struct blocked {
        std::stop_source release;
        std::latch begun{1};
        result<chat_reply> complete(chat_request const&, call_context const&) {
            begun.count_down();
            while (!release.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return archetypes::reply("x");
        }
    } inner;
    budgeted<blocked&> model(inner, {.tokens = 1000});
    std::jthread const first([&] { CHECK(model.complete(short_one(900), {}).has_value()); });
    std::stop_source stop;
    std::jthread const stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        stop.request_stop();
    });
    inner.begun.wait();
    auto const second = model.complete(short_one(900), {stop.get_token(), {}});
    inner.release.request_stop();
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().kind == condition::cancelled);
}

TEST_CASE("a batch keeps to the limit; several models share a budget") {
    budget const shared({.tokens = 1000});
    budgeted model{spender{0, 100}, shared};
    budgeted other{spender{0, 100}, shared};
    std::vector<chat_request> const asked(20, short_one(100));
    auto const replies = model.complete_all(asked, {});
    REQUIRE(replies.size() == 20);
    int answered = 0;
    for (auto const& reply : replies)
        if (reply)
            ++answered;
        else
            CHECK(reply.error().code == "lkt.budget.tokens");
    CHECK(answered == 10);
    CHECK(other.complete(ask("q"), {}).error().code == "lkt.budget.tokens");
    CHECK(shared.spent().calls == 10);
}
