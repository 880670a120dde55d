// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

using namespace lkt;

static_assert(chat_model<scripted_model>);

namespace {
chat_request ask(std::string text) {
    chat_request r;
    r.messages.push_back({role::user, std::move(text)});
    return r;
}
} // namespace

TEST_CASE("turns come in order, and requests are kept") {
    chat_reply full;
    full.text = "two";
    full.model = "m";
    full.usage = {3, 4};
    scripted_model model{"one", full, error{condition::transient, "test.a.b", "later", ""}};
    auto const first = model.complete(ask("a"), {});
    REQUIRE(first.has_value());
    CHECK(first->text == "one");
    CHECK(first->model == "scripted");
    CHECK(first->finish == finish::stop);
    CHECK((model.complete(ask("b"), {}).value() == full));
    auto const third = model.complete(ask("c"), {});
    REQUIRE_FALSE(third.has_value());
    CHECK(third.error().code == "test.a.b");
    CHECK(model.left() == 0);
    REQUIRE(model.requests().size() == 3);
    CHECK((model.requests()[1] == ask("b")));
}

TEST_CASE("the end of the script is an error that says so") {
    scripted_model model{"one"};
    (void)model.complete(ask("a"), {});
    auto const over = model.complete(ask("b"), {});
    REQUIRE_FALSE(over.has_value());
    CHECK(over.error().kind == condition::unavailable);
    CHECK(over.error().code == "lkt.script.over");
    CHECK(over.error().message.find("request 2") != std::string::npos);
    CHECK(model.requests().size() == 2);
}

TEST_CASE("text is passed on, and a stop request is obeyed without using up a turn") {
    scripted_model model{"some text"};
    std::stop_source stop;
    stop.request_stop();
    auto const stopped = model.complete(ask("a"), {stop.get_token(), {}});
    REQUIRE_FALSE(stopped.has_value());
    CHECK(stopped.error().kind == condition::cancelled);
    CHECK(model.left() == 1);
    std::string seen;
    CHECK(model.complete(ask("a"), {{}, [&](std::string_view t) { seen += t; }}).has_value());
    CHECK(seen == "some text");
}

TEST_CASE("copies share script and record; threads may ask at the same time") {
    scripted_model model(std::vector<scripted_turn>(200, scripted_turn("x")));
    auto copy = model;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([copy]() mutable {
                for (int i = 0; i < 50; ++i) (void)copy.complete(ask("q"), {});
            });
    }
    CHECK(model.left() == 0);
    CHECK(model.requests().size() == 200);
}
