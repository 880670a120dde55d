// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/chat_model.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <stop_token>
#include <string>

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
