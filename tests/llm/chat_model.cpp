// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/chat_model.hpp>

#include <lkt/llm/any_chat_model.hpp>
#include <lkt/llm/recorded.hpp>
#include <lkt/llm/replay.hpp>
#include <lkt/llm/scripted.hpp>
#include <lkt/llm/with_retry.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"
#include "scratch.hpp"

#include <stop_token>
#include <string>
#include <vector>

using namespace lkt;

static_assert(chat_model<archetypes::minimal> && !batch_chat_model<archetypes::minimal>);
static_assert(chat_model<archetypes::moved_only>);
static_assert(chat_model<archetypes::full> && batch_chat_model<archetypes::full>);
static_assert(!chat_model<archetypes::broken::no_complete>);
static_assert(!chat_model<archetypes::broken::without_context>);
static_assert(!chat_model<archetypes::broken::plain_reply>);
static_assert(!chat_model<archetypes::broken::text_only>);
static_assert(!chat_model<archetypes::broken::takes_over_the_request>);
static_assert(!chat_model<archetypes::broken::hidden>);
static_assert(!chat_model<archetypes::broken::batch_only>);
static_assert(!batch_chat_model<archetypes::broken::batch_only>);
static_assert(chat_model<archetypes::broken::batch_of_one_result>);
static_assert(!batch_chat_model<archetypes::broken::batch_of_one_result>);

TEST_CASE("the minimal archetype answers") {
    archetypes::minimal model(0);
    CHECK(model.complete(archetypes::ask("hello"), {})->text == "re: hello");
}

TEST_CASE("the full archetype streams what it returns, and ends within a reply when stopped") {
    archetypes::full model;
    std::string seen;
    std::stop_source stop;
    call_context const context{stop.get_token(), [&](std::string_view t) { seen += t; }};
    CHECK(model.complete(archetypes::ask("one two"), context)->text == "re: one two");
    CHECK(seen == "re: one two");

    seen.clear();
    call_context const stopping{stop.get_token(), [&](std::string_view t) {
                                    seen += t;
                                    if (seen.ends_with("one ")) stop.request_stop();
                                }};
    auto const stopped = model.complete(archetypes::ask("one two"), stopping);
    REQUIRE_FALSE(stopped.has_value());
    CHECK(stopped.error().kind == condition::cancelled);
    CHECK(seen == "re: one ");
}

TEST_CASE("reasons for the end of a reply have names") {
    CHECK(to_string(finish::stop) == "stop");
    CHECK(to_string(finish::length) == "length");
    CHECK(to_string(finish::filtered) == "filtered");
    CHECK(to_string(finish::unknown) == "unknown");
}

TEST_CASE("requests and replies compare by value") {
    auto a = archetypes::ask("x"), b = a;
    CHECK((a == b));
    b.temperature = 0.5;
    CHECK_FALSE((a == b));
    auto r = archetypes::reply("y"), s = r;
    CHECK((r == s));
    s.usage.output = 1;
    CHECK_FALSE((r == s));
}

TEST_CASE("every model of the library obeys the laws of the concept") {
    scripted_model const script(std::vector<scripted_turn>(answers_needed, "an answer"));
    cassette tape;
    tape.header.model = "m";
    for (std::size_t i = 0; i < answers_needed; ++i) {
        cassette_exchange e;
        e.request = archetypes::ask("q");
        e.outcome = archetypes::reply("an answer");
        tape.exchanges.push_back(std::move(e));
    }
    scratch_folder const folder;
    SUBCASE("the archetype") {
        archetypes::full model;
        obeys_the_laws(model);
    }
    SUBCASE("scripted") {
        auto model = script;
        obeys_the_laws(model);
    }
    SUBCASE("replay, exact and in order") {
        for (auto const match : {replay_match::exact, replay_match::in_order}) {
            replay_model model(tape, {match});
            obeys_the_laws(model);
        }
    }
    SUBCASE("recorded, over a plain and a batch model") {
        recorded plain{script, folder.path("plain.jsonl")};
        obeys_the_laws(plain);
        recorded batch{archetypes::full{}, folder.path("batch.jsonl")};
        obeys_the_laws(batch);
        // All that was answered, and nothing else.
        CHECK(read_cassette(folder.path("plain.jsonl"))->exchanges.size() == 5);
        CHECK(read_cassette(folder.path("batch.jsonl"))->exchanges.size() == 5);
    }
    SUBCASE("with retries, over a plain and a batch model") {
        auto plain = with_retry<backoff{}>(script);
        obeys_the_laws(plain);
        auto batch = with_retry<backoff{}>(archetypes::full{});
        obeys_the_laws(batch);
    }
    SUBCASE("erased, in several wrappers") {
        any_chat_model model = with_retry<backoff{}>(
            recorded<any_chat_model>{any_chat_model(script), folder.path("tape.jsonl")});
        obeys_the_laws(model);
    }
}
