// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/describe.hpp>

#include <lkt/llm/any_chat_model.hpp>
#include <lkt/llm/recorded.hpp>
#include <lkt/llm/replay.hpp>
#include <lkt/llm/scripted.hpp>
#include <lkt/llm/with_retry.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "scratch.hpp"

using namespace lkt;

TEST_CASE("a model says what it is, through any number of wrappers") {
    replay_model const replay(
        parse_cassette(R"({"lkt_cassette":1,"origin":"recorded","model":"m"})"));
    CHECK(describe(replay) == "recorded replies of m");
    any_chat_model const erased = with_retry<never{}>(replay);
    CHECK(describe(erased) == "recorded replies of m");
    CHECK(describe(scripted_model{}) == "replies of a script");
    scratch_folder const folder;
    recorded<any_chat_model> const tape{erased, folder.path("tape.jsonl")};
    CHECK(describe(tape) == "recorded replies of m");
}

TEST_CASE("nothing is said for a model that says nothing") {
    CHECK(describe(archetypes::full{}).empty());
    CHECK(describe(any_chat_model(archetypes::full{})).empty());
    CHECK(describe(any_chat_model()).empty());
}
