// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/any_chat_model.hpp>

#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace lkt;

static_assert(batch_chat_model<any_chat_model>);
static_assert(!std::is_constructible_v<any_chat_model, archetypes::broken::plain_reply>);
static_assert(!std::is_constructible_v<any_chat_model, int>);

TEST_CASE("one type for any model, which can be exchanged") {
    any_chat_model model = scripted_model{"from the script"};
    CHECK(model.complete(archetypes::ask("a"), {})->text == "from the script");
    model = archetypes::moved_only{};
    CHECK(model.complete(archetypes::ask("a"), {})->text == "re: a");
    CHECK(model.target<archetypes::moved_only>() != nullptr);
    CHECK(model.target<scripted_model>() == nullptr);
}

TEST_CASE("copies share the model, moves hand it over") {
    scripted_model script{"one", "two"};
    any_chat_model first = script;
    any_chat_model second = first;
    CHECK(first.complete(archetypes::ask("a"), {})->text == "one");
    CHECK(second.complete(archetypes::ask("b"), {})->text == "two");
    CHECK(script.requests().size() == 2);
    any_chat_model third = std::move(first);
    CHECK(static_cast<bool>(third));
    CHECK(third.complete(archetypes::ask("c"), {}).error().code == "lkt.script.over");
}

TEST_CASE("an empty one answers with an error") {
    any_chat_model none;
    CHECK_FALSE(static_cast<bool>(none));
    auto const reply = none.complete(archetypes::ask("a"), {});
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().code == "lkt.llm.no-model");
    CHECK(reply.error().kind == condition::unavailable);
    std::vector<chat_request> const two(2, archetypes::ask("a"));
    auto const replies = none.complete_all(two, {});
    REQUIRE(replies.size() == 2);
    CHECK(replies[1].error().code == "lkt.llm.no-model");
}

TEST_CASE("options of complete_all reach what is inside: one thread asks in the order given") {
    std::string order;
    std::thread::id const here = std::this_thread::get_id();
    struct watching {
        std::string& order;
        std::thread::id here;
        result<chat_reply> complete(chat_request const& r, call_context const&) {
            CHECK(std::this_thread::get_id() == here);
            order += r.messages.back().text;
            return archetypes::reply("re");
        }
    };
    any_chat_model one = watching{order, here};
    std::vector<chat_request> asked;
    for (char const* text : {"a", "b", "c", "d", "e", "f"}) asked.push_back(archetypes::ask(text));
    CHECK(complete_all(one, asked, {}, {.threads = 1}).size() == 6);
    CHECK(order == "abcdef");
}

TEST_CASE(
    "a batch model's complete_all is kept, another's is made up for; context passes through") {
    int batches = 0;
    std::vector<chat_request> const asked{archetypes::ask("a"), archetypes::ask("b")};
    any_chat_model batch = archetypes::full{&batches};
    CHECK(batch.complete_all(asked, {})[1].value().text == "re: b");
    CHECK(batches == 1);
    any_chat_model plain = archetypes::moved_only{};
    CHECK(complete_all(plain, asked)[1].value().text == "re: b");

    std::string seen;
    CHECK(batch.complete(asked[0], {{}, [&](std::string_view t) { seen += t; }}).has_value());
    CHECK(seen == "re: a");
    std::stop_source stop;
    stop.request_stop();
    CHECK(batch.complete(asked[0], {stop.get_token(), {}}).error().kind == condition::cancelled);
}
