// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/with_timeout.hpp>

#include <lkt/core/wait.hpp>
#include <lkt/llm/complete_all.hpp>
#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace lkt;
using archetypes::ask;
using std::chrono::milliseconds;

static_assert(chat_model<time_limited<scripted_model>>);
static_assert(!batch_chat_model<time_limited<scripted_model>>);
static_assert(batch_chat_model<time_limited<archetypes::full>>);
static_assert(chat_model<time_limited<archetypes::minimal&>>);

namespace {

/// Answers after a time, unless it is stopped.
struct slow {
    milliseconds takes{60'000};
    result<chat_reply> complete(chat_request const&, call_context const& c) {
        if (!blocking_waiter::wait(takes, c.stop)) return cancelled("the slow model's reply");
        return archetypes::reply("at last");
    }
    std::vector<result<chat_reply>> complete_all(std::span<chat_request const> rs,
                                                 call_context const& c) {
        std::vector<result<chat_reply>> all;
        for (auto const& r : rs) all.push_back(complete(r, c));
        return all;
    }
};

} // namespace

TEST_CASE("it obeys the laws") {
    auto model = with_timeout(archetypes::full{}, seconds(60));
    obeys_the_laws(model);
    auto plain =
        with_timeout(scripted_model(std::vector<scripted_turn>(answers_needed, "a")), seconds(0));
    obeys_the_laws(plain);
}

TEST_CASE("a call ends in time") {
    auto model = with_timeout(slow{}, seconds(0.05));
    auto const start = std::chrono::steady_clock::now();
    auto const late = model.complete(ask("q"), {});
    auto const took = std::chrono::steady_clock::now() - start;
    REQUIRE_FALSE(late.has_value());
    CHECK(late.error().code == "lkt.timeout");
    CHECK(late.error().kind == condition::transient);
    CHECK(late.error().message == "the model did not answer within 50 ms");
    CHECK(took >= milliseconds(50));
    CHECK(took < std::chrono::seconds(10)); // a busy machine; alone it is 51 ms
    CHECK(model.complete(ask("q"), {}).error().code == "lkt.timeout");
}

TEST_CASE("what is quicker is left alone, and a limit of 0 is none") {
    auto model = with_timeout(slow{milliseconds(1)}, seconds(30));
    CHECK(model.complete(ask("q"), {})->text == "at last");
    auto endless = with_timeout(slow{milliseconds(30)}, seconds(0));
    CHECK(endless.complete(ask("q"), {})->text == "at last");
    auto huge = with_timeout(slow{milliseconds(1)}, seconds(1e300));
    CHECK(huge.complete(ask("q"), {})->text == "at last");
}

TEST_CASE("a stop request of the caller stays one") {
    auto model = with_timeout(slow{}, seconds(60));
    std::stop_source stop;
    std::jthread const stopper([&] {
        std::this_thread::sleep_for(milliseconds(20));
        stop.request_stop();
    });
    auto const start = std::chrono::steady_clock::now();
    CHECK(model.complete(ask("q"), {stop.get_token(), {}}).error().kind == condition::cancelled);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("other failures keep their names, also those that come late") {
    struct stubborn {
        result<chat_reply> complete(chat_request const&, call_context const& c) {
            while (!c.stop.stop_requested()) std::this_thread::sleep_for(milliseconds(1));
            return error{condition::unavailable, "test.own", "its own", ""};
        }
    };
    auto model = with_timeout(stubborn{}, seconds(0.02));
    CHECK(model.complete(ask("q"), {}).error().code == "test.own");
}

TEST_CASE("many calls at once, each with its own time") {
    auto model = with_timeout(slow{}, seconds(0.02));
    auto copy = model;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 5; ++k) {
                auto const reply = copy.complete(ask("q"), {});
                CHECK(reply.error().code == "lkt.timeout");
            }
        });
    threads.clear();
    std::vector<chat_request> const three(3, ask("q"));
    for (auto const& reply : model.complete_all(three, {}))
        CHECK(reply.error().code == "lkt.timeout");
}
