// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/rate_limited.hpp>

#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"

#include <atomic>
#include <chrono>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace lkt;
using archetypes::ask;
using std::chrono::milliseconds;

static_assert(chat_model<rate_limited<scripted_model>>);
static_assert(!batch_chat_model<rate_limited<scripted_model>>);
static_assert(batch_chat_model<rate_limited<archetypes::full>>);
static_assert(chat_model<rate_limited<archetypes::minimal&>>);

namespace {

seconds since(time_source const& clock, time_source::time_point start) {
    return clock.now() - start;
}

/// Says how many tokens it used.
struct counting {
    std::int64_t tokens = 0;
    result<chat_reply> complete(chat_request const&, call_context const&) {
        auto r = archetypes::reply("x");
        r.usage.output = tokens;
        return r;
    }
};

} // namespace

TEST_CASE("it obeys the laws") {
    rate_limited plain{archetypes::full{}, {.in_flight = 2}};
    obeys_the_laws(plain);
    rate_limited one{scripted_model(std::vector<scripted_turn>(answers_needed, "a")), {}};
    obeys_the_laws(one);
}

TEST_CASE("requests a minute: a burst, then evenly") {
    auto const clock = time_source::manual();
    auto const start = clock.now();
    rate_limited model{counting{1},
                       {.requests_per_minute = 60, .burst = seconds(5), .clock = clock}};
    for (int i = 0; i < 5; ++i) CHECK(model.complete(ask("q"), {}).has_value());
    CHECK(since(clock, start).count() == 0);
    for (int i = 0; i < 60; ++i) CHECK(model.complete(ask("q"), {}).has_value());
    CHECK(since(clock, start).count() == doctest::Approx(60).epsilon(0.001));
    // A pause gives no more than the burst back.
    clock.advance(std::chrono::hours(1));
    auto const later = clock.now();
    for (int i = 0; i < 6; ++i) CHECK(model.complete(ask("q"), {}).has_value());
    CHECK(since(clock, later).count() == doctest::Approx(1).epsilon(0.001));
}

TEST_CASE("tokens a minute: estimated before, corrected after") {
    auto const clock = time_source::manual();
    auto const start = clock.now();
    rate_limited model{
        counting{50},
        {.tokens_per_minute = 6000, .burst = seconds(10), .expected_output = 980, .clock = clock}};
    // About 1000 tokens are expected and 50 used, which is what counts: 20 calls in ten seconds.
    for (int i = 0; i < 19; ++i) CHECK(model.complete(ask("q"), {}).has_value());
    CHECK(since(clock, start).count() > 8);
    CHECK(since(clock, start).count() < 19);

    // What uses more than was expected is paid off by the next one.
    rate_limited hungry{
        counting{7000},
        {.tokens_per_minute = 6000, .burst = seconds(10), .expected_output = 10, .clock = clock}};
    auto const before = clock.now();
    CHECK(hungry.complete(ask("q"), {}).has_value());
    CHECK(since(clock, before).count() == 0);
    CHECK(hungry.complete(ask("q"), {}).has_value());
    CHECK(since(clock, before).count() == doctest::Approx(60).epsilon(0.02));
    // A call larger than the burst is let through when there is all that there can be.
    chat_request large = ask("q");
    large.max_tokens = 1'000'000;
    CHECK(hungry.complete(large, {}).has_value());
}

TEST_CASE("a server that says when holds all back; a wait that is too long fails at once") {
    auto const clock = time_source::manual();
    error busy{condition::transient, "lkt.http.status", "429", ""};
    busy.retry_after = milliseconds(30'000);
    error hours = busy;
    hours.retry_after = std::chrono::hours(2);
    scripted_model script{busy, "after", hours, "never asked for"};
    rate_limited model{script, {.clock = clock}};
    auto copy = model;
    auto const start = clock.now();
    CHECK_FALSE(model.complete(ask("q"), {}).has_value());
    CHECK(copy.complete(ask("q"), {})->text == "after");
    CHECK(since(clock, start).count() == doctest::Approx(30).epsilon(0.001));

    CHECK_FALSE(model.complete(ask("q"), {}).has_value());
    auto const refused = copy.complete(ask("q"), {});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == "lkt.rate.busy");
    CHECK(refused.error().kind == condition::transient);
    CHECK(refused.error().retry_after == std::chrono::hours(2));
    CHECK(script.left() == 1);
    clock.advance(std::chrono::hours(2));
    CHECK(copy.complete(ask("q"), {})->text == "never asked for");
}

TEST_CASE("failures that are not the server's hold nobody back and cost no tokens") {
    auto const clock = time_source::manual();
    error wrong{condition::rejected, "lkt.http.status", "400", ""};
    wrong.retry_after = milliseconds(60'000);
    rate_limited model{scripted_model{wrong, wrong, "x"},
                       {.tokens_per_minute = 600, .burst = seconds(1), .clock = clock}};
    auto const start = clock.now();
    for (int i = 0; i < 2; ++i) CHECK_FALSE(model.complete(ask("q"), {}).has_value());
    CHECK(model.complete(ask("q"), {}).has_value());
    CHECK(since(clock, start).count() < 1);
}

TEST_CASE("no more calls at once than allowed, in the order of their arrival") {
    struct gated {
        std::atomic<int> running = 0, most = 0;
        std::vector<std::string> order{};
        std::latch go{1};
        result<chat_reply> complete(chat_request const& r, call_context const&) {
            int const now = ++running;
            if (now > most) most = now;
            if (r.messages.back().text == "first") go.wait();
            order.push_back(r.messages.back().text); // one at a time: the limit is 1
            --running;
            return archetypes::reply("x");
        }
    } inner;
    rate_limited<gated&> model(inner, {.in_flight = 1});
    std::vector<std::jthread> threads;
    for (std::string const name : {"first", "1", "2", "3", "4", "5"}) {
        std::latch started{1};
        threads.emplace_back([&model, &started, name] {
            auto const request = ask(name);
            started.count_down();
            CHECK(model.complete(request, {}).has_value());
        });
        // Each is in the queue, or in the call, before the next one starts.
        started.wait();
        std::this_thread::sleep_for(milliseconds(40));
    }
    inner.go.count_down();
    threads.clear();
    CHECK(inner.most == 1);
    CHECK(inner.order == std::vector<std::string>{"first", "1", "2", "3", "4", "5"});
}

TEST_CASE("a stop request ends a wait at once, and the one behind goes on") {
    rate_limited model{counting{1}, {.requests_per_minute = 0.2, .burst = seconds(0)}};
    CHECK(model.complete(ask("q"), {}).has_value()); // the next one is due in five minutes
    std::stop_source stop, other;
    auto const start = std::chrono::steady_clock::now();
    std::jthread const stopper([&] {
        std::this_thread::sleep_for(milliseconds(20));
        stop.request_stop();
        std::this_thread::sleep_for(milliseconds(20));
        other.request_stop();
    });
    std::jthread const behind([&] {
        std::this_thread::sleep_for(milliseconds(10));
        CHECK(model.complete(ask("q"), {other.get_token(), {}}).error().kind ==
              condition::cancelled);
    });
    auto const reply = model.complete(ask("q"), {stop.get_token(), {}});
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().kind == condition::cancelled);
}

TEST_CASE("an exception gives the place back") {
    struct buggy {
        bool wrong = true;
        result<chat_reply> complete(chat_request const&, call_context const&) {
            if (std::exchange(wrong, false)) throw std::logic_error("a bug");
            return archetypes::reply("x");
        }
    };
    rate_limited model{buggy{}, {.in_flight = 1}};
    CHECK_THROWS_AS((void)model.complete(ask("q"), {}), std::logic_error);
    CHECK(model.complete(ask("q"), {}).has_value());
}

TEST_CASE("a batch is sent in parts; several models share an account") {
    int batches = 0;
    auto const clock = time_source::manual();
    auto const start = clock.now();
    rate_limiter const account({.requests_per_minute = 60, .in_flight = 4, .clock = clock});
    rate_limited model{archetypes::full{&batches}, account};
    rate_limited other{archetypes::full{}, account};
    std::vector<chat_request> asked;
    for (int i = 0; i < 10; ++i) asked.push_back(ask(std::to_string(i)));
    auto const replies = model.complete_all(asked, {});
    REQUIRE(replies.size() == 10);
    for (std::size_t i = 0; i < 10; ++i)
        CHECK(replies[i].value().text == "re: " + std::to_string(i));
    CHECK(batches >= 3);
    CHECK(since(clock, start).count() == doctest::Approx(4).epsilon(0.01)); // six went at once
    CHECK(other.complete(ask("q"), {}).has_value());
    CHECK(since(clock, start).count() == doctest::Approx(5).epsilon(0.01));
}
