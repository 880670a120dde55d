// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/replay.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "scratch.hpp"

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace lkt;
using archetypes::ask;

static_assert(chat_model<replay_model>);

namespace {

bool contains(std::string const& text, std::string const& part) {
    if (text.find(part) != text.npos) return true;
    MESSAGE(text);
    return false;
}

cassette tape_of(std::vector<std::pair<chat_request, result<chat_reply>>> exchanges,
                 replay_match match = replay_match::exact) {
    cassette tape;
    tape.header = {"m", cassette_origin::recorded, match, ""};
    tape.name = "tape";
    for (auto& [request, outcome] : exchanges) {
        cassette_exchange e;
        e.request = std::move(request);
        e.outcome = std::move(outcome);
        e.line = tape.exchanges.size() + 2;
        tape.exchanges.push_back(std::move(e));
    }
    return tape;
}

result<chat_reply> says(char const* text) { return archetypes::reply(text); }

} // namespace

TEST_CASE("exact: by the request, equal requests in the order of recording, errors as recorded") {
    auto warm = ask("a");
    warm.temperature = 0.7;
    replay_model model(tape_of({{ask("a"), says("1")},
                                {ask("b"), says("2")},
                                {ask("a"), says("3")},
                                {warm, says("4")},
                                {ask("c"), error{condition::transient, "test.x.y", "503", ""}}}));
    CHECK(model.complete(ask("b"), {})->text == "2");
    CHECK(model.complete(ask("a"), {})->text == "1");
    CHECK(model.complete(warm, {})->text == "4");
    CHECK(model.complete(ask("a"), {})->text == "3");
    CHECK(model.complete(ask("c"), {}).error().code == "test.x.y");
    CHECK(model.left() == 0);
    auto const over = model.complete(ask("a"), {});
    REQUIRE_FALSE(over.has_value());
    CHECK(over.error().kind == condition::unavailable);
    CHECK(over.error().code == "lkt.replay.used-up");
    CHECK(contains(over.error().message, "was recorded 2 times"));
    CHECK(model.deviations() == 0);
    CHECK(model.description() == "recorded replies of m");
}

TEST_CASE("a request that the cassette lacks: the nearest one and where they differ") {
    auto long_talk = ask("optimise this\nkernel\nmeasured: 4.81 ms a launch");
    long_talk.messages.insert(long_talk.messages.begin(), {role::system, "rules"});
    auto other = ask("something else");
    auto const tape = tape_of({{other, says("1")}, {long_talk, says("2")}});
    auto const message = [&](chat_request const& r) {
        replay_model model(tape);
        auto const reply = model.complete(r, {});
        REQUIRE_FALSE(reply.has_value());
        CHECK(reply.error().kind == condition::unavailable);
        CHECK(reply.error().code == "lkt.replay.unknown-request");
        CHECK(contains(reply.error().hint, "in order"));
        CHECK(model.left() == 2);
        return reply.error().message;
    };
    auto asked = long_talk;
    asked.messages[1].text = "optimise this\nkernel\nmeasured: 5.02 ms a launch";
    CHECK(
        contains(message(asked),
                 "the nearest is that of line 3: message 2 (user) differs from byte 32, in line 3, "
                 "on: recorded `...is\\nkernel\\nmeasured: 4.81 ms a launch`, asked "
                 "`...is\\nkernel\\nmeasured: 5.02 ms a launch`"));
    asked = long_talk;
    asked.messages.push_back({role::assistant, "more"});
    CHECK(contains(message(asked), "it has 2 messages there and 3 here"));
    asked = long_talk;
    asked.messages[1].role = role::assistant;
    CHECK(contains(message(asked), "message 2 is by the user there and by the assistant here"));
    asked = long_talk;
    asked.temperature = 0.5;
    CHECK(contains(message(asked), "the temperature is none there and 0.5"));
    asked = long_talk;
    asked.seed = 4;
    CHECK(contains(message(asked), "the seed is none there and 4 here"));
    asked = long_talk;
    asked.max_tokens = 9;
    CHECK(contains(message(asked), "max_tokens is none there and 9 here"));
    CHECK(contains(message(ask("something entirely different")), "the nearest is that of line 2"));
    replay_model empty(tape_of({}));
    CHECK(contains(empty.complete(ask("a"), {}).error().message, "it is empty"));
}

TEST_CASE("finding the nearest of many huge requests takes no time to speak of") {
    std::vector<std::pair<chat_request, result<chat_reply>>> many;
    std::string const body(1 << 17, 'x');
    for (int i = 0; i < 40; ++i) many.emplace_back(ask(body + std::to_string(i)), says("r"));
    replay_model model(tape_of(std::move(many)));
    auto const start = std::chrono::steady_clock::now();
    auto const reply = model.complete(ask(body + "39b"), {});
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    REQUIRE_FALSE(reply.has_value());
    CHECK(contains(reply.error().message, "line 41"));
    CHECK(reply.error().message.size() < 1000);
}

TEST_CASE("in order: whatever is asked, and the replay says how much that was") {
    auto tape = tape_of({{ask("a"), says("1")}, {ask("b"), says("2")}, {ask("c"), says("3")}},
                        replay_match::in_order);
    replay_model model(tape);
    CHECK(model.match() == replay_match::in_order);
    CHECK(model.complete(ask("a"), {})->text == "1");
    CHECK(model.deviations() == 0);
    CHECK(model.complete(ask("x"), {})->text == "2");
    CHECK(model.description() ==
          "recorded replies of m, replayed in order (1 of 2 to other requests "
          "than recorded)");
    CHECK(model.given() == 2);
    CHECK(model.left() == 1);
    CHECK(model.complete(ask("c"), {})->text == "3");
    auto const over = model.complete(ask("d"), {});
    REQUIRE_FALSE(over.has_value());
    CHECK(over.error().code == "lkt.replay.used-up");
    CHECK(contains(over.error().message, "has 3 replies"));
    // A session that goes on passes over what an earlier one was given.
    replay_model later(tape, {.given_before = 2});
    CHECK(later.left() == 1);
    CHECK(later.complete(ask("c"), {})->text == "3");
    CHECK(later.given() == 1);
    CHECK(contains(later.complete(ask("d"), {}).error().message, "has 3 replies"));
    CHECK(replay_model(tape, {.given_before = 9}).left() == 0);
    // The option is stronger than the header.
    replay_model strict(tape, {.match = replay_match::exact, .given_before = 2});
    CHECK(strict.complete(ask("x"), {}).error().code == "lkt.replay.unknown-request");
    CHECK(strict.complete(ask("c"), {})->text == "3");
}

TEST_CASE("in order: a request that lacks what the exchange expects is refused") {
    cassette tape;
    tape.header = {"", cassette_origin::written_by_hand, replay_match::in_order, ""};
    tape.name = "tape";
    cassette_exchange e;
    e.expect = {"void matmul(", "N = 256"};
    e.outcome = archetypes::reply("kernel");
    tape.exchanges.push_back(e);
    replay_model model(tape);
    auto const refused = model.complete(ask("void scan( with N = 256"), {});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().kind == condition::unavailable);
    CHECK(refused.error().code == "lkt.replay.unexpected");
    CHECK(contains(refused.error().message, "contain `void matmul(`, and request 1 does not"));
    auto split = ask("void matmul(float* a)");
    split.messages.push_back({role::user, "N = 256"});
    CHECK(model.complete(split, {})->text == "kernel");
    CHECK(contains(model.description(), "replies written by hand"));
    // What holds no request cannot be compared with one.
    replay_model exact(tape, {replay_match::exact});
    REQUIRE(exact.defect().has_value());
    CHECK(exact.defect()->code == "lkt.replay.no-request");
    CHECK(exact.complete(split, {}).error().code == "lkt.replay.no-request");
}

TEST_CASE("from a file, from a text; a defect is there before the first call and at each") {
    scratch_folder const folder;
    auto const path = folder.file("tape.jsonl", to_text(tape_of({{ask("a"), says("1")}})));
    replay_model file(path);
    CHECK_FALSE(file.defect().has_value());
    CHECK(file.header().model == "m");
    CHECK(file.complete(ask("a"), {})->text == "1");
    replay_model text(parse_cassette(to_text(tape_of({{ask("a"), says("1")}}))));
    CHECK(text.complete(ask("a"), {})->text == "1");

    replay_model broken("/nonexistent/tape.jsonl");
    REQUIRE(broken.defect().has_value());
    CHECK(broken.defect()->code == "lkt.cassette.unreadable");
    CHECK(broken.complete(ask("a"), {}).error().code == "lkt.cassette.unreadable");
    CHECK(broken.description() == "a cassette that cannot be used");
}

TEST_CASE("text is passed on, a stop request uses nothing up, copies share the state") {
    replay_model model(tape_of({{ask("a"), says("one")}, {ask("a"), says("two")}}));
    std::stop_source stop;
    stop.request_stop();
    CHECK(model.complete(ask("a"), {stop.get_token(), {}}).error().kind == condition::cancelled);
    CHECK(model.left() == 2);
    std::string seen;
    replay_model copy = model;
    CHECK(copy.complete(ask("a"), {{}, [&](std::string_view t) { seen += t; }}).has_value());
    CHECK(seen == "one");
    CHECK(model.complete(ask("a"), {})->text == "two");
}

TEST_CASE("a request with bytes that are not UTF-8 finds its recording") {
    auto const text = to_text(tape_of({{ask("log \xff"), says("1")}}));
    replay_model model(parse_cassette(text));
    CHECK(model.complete(ask("log \xff"), {})->text == "1");
}

TEST_CASE("threads may ask at the same time") {
    std::vector<std::pair<chat_request, result<chat_reply>>> many;
    for (int i = 0; i < 200; ++i) many.emplace_back(ask(std::to_string(i % 50)), says("r"));
    replay_model model(tape_of(std::move(many)));
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([copy = model]() mutable {
                for (int i = 0; i < 50; ++i) (void)copy.complete(ask(std::to_string(i)), {});
            });
    }
    CHECK(model.given() == 200);
}
