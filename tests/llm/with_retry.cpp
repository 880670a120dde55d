// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/with_retry.hpp>

#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace lkt;
using archetypes::ask;
using std::chrono::milliseconds;

namespace {

error const busy{condition::transient, "lkt.http.status", "503", ""};
error const refused{condition::rejected, "lkt.http.status", "400", ""};

/// Takes note of the delays, and waits for none of them.
struct noting {
    std::vector<milliseconds>* delays;
    int stop_after = 1000;
    bool wait(milliseconds delay, std::stop_token const&) {
        delays->push_back(delay);
        return --stop_after > 0;
    }
};

template <auto Policy, class M>
auto noted(M model, std::vector<milliseconds>& delays, int stop_after = 1000) {
    return retried<Policy, M, noting>(std::move(model), {&delays, stop_after});
}

/// Fails the first time that it sees a request, and again where the text says "hopeless".
struct moody {
    std::vector<std::size_t>* batches;
    std::vector<std::string> seen{};

    result<chat_reply> complete(chat_request const& r, call_context const&) {
        auto const& text = r.messages.back().text;
        if (text == "wrong") return refused;
        bool const known = std::find(seen.begin(), seen.end(), text) != seen.end();
        seen.push_back(text);
        if (text == "hopeless" || !known) return busy;
        return archetypes::reply("re: " + text);
    }
    std::vector<result<chat_reply>> complete_all(std::span<chat_request const> rs,
                                                 call_context const& c) {
        batches->push_back(rs.size());
        std::vector<result<chat_reply>> all;
        for (auto const& r : rs) all.push_back(complete(r, c));
        return all;
    }
};

} // namespace

static_assert(chat_model<retried<never{}, scripted_model>>);
static_assert(!batch_chat_model<retried<never{}, scripted_model>>);
static_assert(batch_chat_model<retried<never{}, archetypes::full>>);
static_assert(chat_model<retried<never{}, archetypes::minimal&>>);

TEST_CASE("transient failures are tried again after the policy's delays") {
    std::vector<milliseconds> delays;
    scripted_model script{busy, busy, "at last"};
    auto model = noted<backoff{.attempts = 5, .first_ms = 100}>(script, delays);
    CHECK(model.complete(ask("a"), {})->text == "at last");
    CHECK(delays == std::vector{milliseconds(100), milliseconds(200)});
    REQUIRE(script.requests().size() == 3);
    CHECK((script.requests()[2] == ask("a")));
}

TEST_CASE("a server that says when is not asked before") {
    std::vector<milliseconds> delays;
    error later = busy;
    later.retry_after = milliseconds(700);
    auto model = noted<backoff{.attempts = 5, .first_ms = 100}>(
        scripted_model{later, busy, "at last"}, delays);
    CHECK(model.complete(ask("a"), {})->text == "at last");
    CHECK(delays == std::vector{milliseconds(700), milliseconds(200)});
}

TEST_CASE("calls that fail together do not ask again together, unless the policy names a seed") {
    std::vector<milliseconds> delays;
    std::vector<scripted_turn> turns;
    for (int i = 0; i < 50; ++i) turns.insert(turns.end(), {busy, "x"});
    auto drawn =
        noted<backoff{.first_ms = 1000, .full_jitter = true}>(scripted_model(turns), delays);
    for (int i = 0; i < 50; ++i) CHECK(drawn.complete(ask("a"), {}).has_value());
    std::sort(delays.begin(), delays.end());
    CHECK(delays.size() == 50);
    CHECK(delays.front() < milliseconds(300));
    CHECK(delays.back() > milliseconds(700));
    CHECK(delays.back() <= milliseconds(1000));

    delays.clear();
    auto fixed_seed = noted<backoff{.first_ms = 1000, .full_jitter = true, .seed = 4}>(
        scripted_model(turns), delays);
    for (int i = 0; i < 50; ++i) CHECK(fixed_seed.complete(ask("a"), {}).has_value());
    CHECK(std::count(delays.begin(), delays.end(), delays.front()) == 50);
}

TEST_CASE("other failures are not, and the attempts are counted in the last one's message") {
    std::vector<milliseconds> delays;
    auto model = noted<fixed{.attempts = 3, .delay_ms = 5}>(
        scripted_model{refused, busy, busy, busy}, delays);
    CHECK((model.complete(ask("a"), {}).error() == refused));
    CHECK(delays.empty());
    auto const given_up = model.complete(ask("a"), {});
    REQUIRE_FALSE(given_up.has_value());
    CHECK(given_up.error().kind == condition::transient);
    CHECK(given_up.error().message == "503 (after 3 attempts)");
    CHECK(delays.size() == 2);
}

TEST_CASE("a stop request ends the wait at once") {
    scripted_model script{busy, "never asked for"};
    auto model = with_retry<fixed{.attempts = 2, .delay_ms = 60'000}>(script);
    std::stop_source stop;
    std::jthread const stopper([&] {
        std::this_thread::sleep_for(milliseconds(20));
        stop.request_stop();
    });
    auto const start = std::chrono::steady_clock::now();
    auto const reply = model.complete(ask("a"), {stop.get_token(), {}});
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().kind == condition::cancelled);
    CHECK(script.left() == 1);
}

TEST_CASE("a policy of one's own; a model by reference") {
    static constexpr auto model_of = [](auto& m) {
        return retried<never{}, archetypes::minimal&>(m);
    };
    archetypes::minimal minimal(0);
    auto model = model_of(minimal);
    CHECK(model.complete(ask("a"), {})->text == "re: a");
    std::vector<milliseconds> delays;
    auto once = noted<never{}>(scripted_model{busy, "x"}, delays);
    CHECK((once.complete(ask("a"), {}).error() == busy));
}

TEST_CASE("of a batch only what failed is sent again") {
    std::vector<milliseconds> delays;
    std::vector<std::size_t> batches;
    auto model = noted<backoff{.attempts = 3, .first_ms = 10}>(moody{&batches}, delays);
    std::vector<chat_request> const asked{ask("a"), ask("wrong"), ask("hopeless"), ask("b")};
    auto const replies = model.complete_all(asked, {});
    CHECK(batches == std::vector<std::size_t>{4, 3, 1});
    CHECK(delays == std::vector{milliseconds(10), milliseconds(20)});
    REQUIRE(replies.size() == 4);
    CHECK(replies[0].value().text == "re: a");
    CHECK((replies[1].error() == refused));
    CHECK(replies[2].error().message == "503 (after 3 attempts)");
    CHECK(replies[3].value().text == "re: b");
}

TEST_CASE("a stop request during a batch's wait cancels what is still open") {
    std::vector<milliseconds> delays;
    std::vector<std::size_t> batches;
    auto model = noted<backoff{.attempts = 3, .first_ms = 10}>(moody{&batches}, delays, 1);
    std::vector<chat_request> const asked{ask("a"), ask("wrong")};
    auto const replies = model.complete_all(asked, {});
    CHECK(replies[0].error().kind == condition::cancelled);
    CHECK((replies[1].error() == refused));
    CHECK(batches.size() == 1);
}

TEST_CASE("the attempts of two layers share one number, and the requests are counted") {
    std::vector<milliseconds> inner_delays, delays;
    std::vector<scripted_turn> turns(20, busy);
    scripted_model script(turns);
    auto inner = noted<fixed{.attempts = 4, .delay_ms = 1}>(script, inner_delays);
    auto model = noted<fixed{.attempts = 3, .delay_ms = 7}>(inner, delays);
    auto const e = model.complete(ask("a"), {}).error();
    CHECK(script.requests().size() == 4); // 12 where they multiply
    CHECK(e.attempts == 4);
    CHECK(e.message == "503 (after 4 attempts)");
    CHECK(delays.empty());

    // More of them outside go on where the inner ones ended.
    scripted_model long_script(turns);
    auto more = noted<fixed{.attempts = 10, .delay_ms = 7}>(
        noted<fixed{.attempts = 4, .delay_ms = 1}>(long_script, inner_delays), delays);
    auto const later = more.complete(ask("a"), {}).error();
    CHECK(later.attempts == 12);
    CHECK(later.message == "503 (after 12 attempts)");
    CHECK(long_script.requests().size() == 12);
    CHECK(delays.size() == 2);

    auto last = noted<fixed{.attempts = 3}>(scripted_model{busy, busy, "at last"}, delays);
    CHECK(last.complete(ask("a"), {})->requests == 3);
    auto first = noted<fixed{.attempts = 3}>(scripted_model{"at once"}, delays);
    CHECK(first.complete(ask("a"), {})->requests == 1);
}

TEST_CASE("in a batch each call has its own number of attempts and requests") {
    std::vector<milliseconds> delays;
    std::vector<std::size_t> batches;
    auto model = noted<fixed{.attempts = 3}>(moody{&batches}, delays);
    auto const replies =
        model.complete_all(std::vector{ask("a"), ask("wrong"), ask("hopeless")}, {});
    CHECK(replies[0]->requests == 2);
    CHECK(replies[1].error().attempts == 1);
    CHECK(replies[2].error().attempts == 3);
    CHECK(replies[2].error().message == "503 (after 3 attempts)");
}

TEST_CASE("a server that asks for too long a wait is not asked again") {
    std::vector<milliseconds> delays;
    error later = busy;
    later.retry_after = std::chrono::hours(3);
    for (auto const& e :
         {noted<fixed{.attempts = 5}>(scripted_model{later, "x"}, delays).complete(ask("a"), {}),
          noted<backoff{.attempts = 5}>(scripted_model{later, "x"}, delays).complete(ask("a"), {})})
        CHECK(e.error().attempts == 1);
    CHECK(delays.empty());
}
