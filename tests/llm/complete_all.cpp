// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/complete_all.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace lkt;

namespace {

std::vector<chat_request> questions(int n) {
    std::vector<chat_request> all;
    for (int i = 0; i < n; ++i) all.push_back(archetypes::ask(std::to_string(i)));
    return all;
}

/// Takes a moment for each call, and knows how many were in flight at the same time.
struct slow {
    std::atomic<int> running = 0, most = 0, calls = 0;

    result<chat_reply> complete(chat_request const& r, call_context const& c) {
        ++calls;
        int const now = ++running;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        --running;
        auto const& text = r.messages.back().text;
        if (c.on_text) c.on_text(text + ";");
        if (text == "3") return error{condition::transient, "test.b.c", "three", ""};
        return archetypes::reply("re: " + text);
    }
};

} // namespace

TEST_CASE("replies are in the order of the requests, and one failure ends nothing else") {
    slow model;
    auto const asked = questions(20);
    std::string seen;
    auto const replies =
        complete_all(model, asked, {{}, [&](std::string_view t) { seen += t; }}, {.threads = 4});
    REQUIRE(replies.size() == 20);
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (i == 3)
            CHECK(replies[i].error().code == "test.b.c");
        else
            CHECK(replies[i].value().text == "re: " + std::to_string(i));
    }
    CHECK(model.most <= 4);
    CHECK(model.most > 1);
    // Each piece of text came whole: calls of on_text exclude one another.
    CHECK(seen.size() == 10 * 2 + 10 * 3);
}

TEST_CASE("one thread asks one after the other") {
    slow model;
    auto const replies = complete_all(model, questions(4), {}, {.threads = 1});
    CHECK(replies.size() == 4);
    CHECK(model.most == 1);
    CHECK(complete_all(model, questions(0)).empty());
    CHECK(complete_all(model, questions(2), {}, {.threads = 0}).size() == 2);
}

TEST_CASE("a batch model is asked once") {
    int batches = 0;
    archetypes::full model{&batches};
    auto const replies = complete_all(model, questions(3));
    CHECK(batches == 1);
    REQUIRE(replies.size() == 3);
    CHECK(replies[2].value().text == "re: 2");
}

TEST_CASE("after a stop request nothing more is sent") {
    struct stopping : slow {
        std::stop_source stop;
        result<chat_reply> complete(chat_request const& r, call_context const& c) {
            if (calls == 5) stop.request_stop();
            return slow::complete(r, c);
        }
    } model;
    auto const replies =
        complete_all(model, questions(200), {model.stop.get_token(), {}}, {.threads = 2});
    REQUIRE(replies.size() == 200);
    CHECK(model.calls < 20);
    CHECK(replies.back().error().kind == condition::cancelled);
}

TEST_CASE("an exception of the model passes through when all calls have ended") {
    struct buggy : slow {
        result<chat_reply> complete(chat_request const& r, call_context const& c) {
            if (r.messages.back().text == "2") throw std::logic_error("a bug");
            return slow::complete(r, c);
        }
    } model;
    CHECK_THROWS_WITH_AS(
        (void)complete_all(model, questions(50), {}, {.threads = 3}), "a bug", std::logic_error);
    CHECK(model.running == 0);
}
