// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/mailbox.hpp>

#include "conformance.hpp"
#include "scratch.hpp"

#include <lkt/llm/request_key.hpp>

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

lkt::chat_request question(std::string text) {
    lkt::chat_request r;
    r.messages = {{lkt::role::system, "You tune kernels."}, {lkt::role::user, std::move(text)}};
    return r;
}

} // namespace

TEST_CASE("mailbox: a question without a reply ends the run, and a later one goes on from there") {
    scratch_folder const scratch;
    auto const request = question("make it faster");
    auto const key = lkt::request_key(request);
    {
        lkt::mailbox_model first(scratch.path("box"));
        auto const reply = first.complete(request, {});
        REQUIRE(reply.has_error());
        CHECK(reply.error().kind == lkt::condition::suspended);
        CHECK(reply.error().code == "lkt.mailbox.waiting");
        CHECK(reply.error().hint.find(key + ".reply.md") != std::string::npos);
        // Asked again before there is an answer, it is still the same question.
        CHECK(first.complete(request, {}).error().hint == reply.error().hint);
    }
    auto const text = scratch.text("box/" + key + ".request.md");
    CHECK(text.find("<<<<<<<< system\nYou tune kernels.\n") != std::string::npos);
    CHECK(text.find("<<<<<<<< user\nmake it faster\n") != std::string::npos);

    (void)scratch.file("box/" + key + ".reply.md", "use shared memory");
    lkt::mailbox_model second(scratch.path("box"), {.model = "a person"});
    std::string streamed;
    auto const reply =
        second.complete(request, {{}, [&](std::string_view part) { streamed += part; }});
    REQUIRE(reply.has_value());
    CHECK(reply->text == "use shared memory");
    CHECK(reply->model == "a person");
    CHECK(streamed == reply->text);
}

TEST_CASE("mailbox: whoever answers is told the form of a structured answer") {
    scratch_folder const scratch;
    auto request = question("plan");
    request.format = lkt::answer_format{lkt::answer_kind::json_schema, "p", {}, "{\"type\": 1}"};
    lkt::mailbox_model model(scratch.path(""));
    CHECK(model.complete(request, {}).has_error());
    auto const text = scratch.text(lkt::request_key(request) + ".request.md");
    CHECK(text.find("follows this JSON Schema:\n{\"type\": 1}\n") != std::string::npos);
    request.format = lkt::answer_format{lkt::answer_kind::json_object, {}, {}, {}};
    CHECK(model.complete(request, {}).has_error());
    CHECK(scratch.text(lkt::request_key(request) + ".request.md")
              .ends_with("One JSON object, and nothing else.\n"));
}

TEST_CASE("mailbox: several samples of one prompt are several questions") {
    scratch_folder const scratch;
    auto const request = question("again");
    auto const key = lkt::request_key(request);
    (void)scratch.file(key + ".reply.md", "one");
    (void)scratch.file(key + "-2.reply.md", "two");
    lkt::mailbox_model model(scratch.path(""));
    CHECK(model.complete(request, {})->text == "one");
    CHECK(model.complete(request, {})->text == "two");
    CHECK(model.complete(request, {}).error().hint.find(key + "-3.reply.md") != std::string::npos);
}

TEST_CASE("mailbox: by order, a reply belongs to the turn, not to the words") {
    scratch_folder const scratch;
    (void)scratch.file("1.reply.md", "first");
    (void)scratch.file("2.reply.md", "second");
    lkt::mailbox_model model(scratch.path(""), {.by_order = true});
    CHECK(model.complete(question("it took 3 ms"), {})->text == "first");
    CHECK(model.complete(question("it took 4 ms"), {})->text == "second");
    CHECK(model.complete(question("it took 5 ms"), {}).error().hint.find("3.request.md") !=
          std::string::npos);
}

TEST_CASE("mailbox: whoever waits takes the reply when it is there") {
    scratch_folder const scratch;
    auto const request = question("wait");
    auto const file = lkt::request_key(request) + ".reply.md";
    lkt::mailbox_model model(scratch.path(""), {.suspend = false, .poll = lkt::seconds{0.01}});
    std::jthread const person([&] {
        std::this_thread::sleep_for(50ms);
        (void)scratch.file(file, "");
        std::this_thread::sleep_for(50ms);
        (void)scratch.file(file, "patience");
    });
    CHECK(model.complete(request, {})->text == "patience");
}

TEST_CASE("mailbox: a wait ends with the stop token, and with the patience") {
    scratch_folder const scratch;
    lkt::mailbox_model model(scratch.path(""), {.suspend = false});
    std::stop_source stop;
    std::jthread const user([&] {
        std::this_thread::sleep_for(30ms);
        stop.request_stop();
    });
    auto const begin = std::chrono::steady_clock::now();
    CHECK(model.complete(question("never"), {stop.get_token(), {}}).error().kind ==
          lkt::condition::cancelled);
    CHECK(std::chrono::steady_clock::now() - begin < 5s);

    lkt::mailbox_model hasty(
        scratch.path(""),
        {.suspend = false, .poll = lkt::seconds{0.01}, .patience = lkt::seconds{0.05}});
    CHECK(hasty.complete(question("never"), {}).error().code == "lkt.mailbox.patience");
}

TEST_CASE("mailbox: what is no folder, and what is no text, is said") {
    scratch_folder const scratch;
    auto const file = scratch.file("file", "x");
    CHECK(lkt::mailbox_model(file).complete(question("q"), {}).error().code ==
          "lkt.mailbox.folder");
    auto const request = question("bytes");
    (void)scratch.file(lkt::request_key(request) + ".reply.md", "\xff\xfe");
    CHECK(lkt::mailbox_model(scratch.path("")).complete(request, {}).error().code ==
          "lkt.mailbox.text");
}

TEST_CASE("mailbox: a question keeps its file when other times were measured, and says which") {
    scratch_folder const scratch;
    std::vector<std::string> told;
    lkt::mailbox_options options;
    options.on_question = [&](std::string const& asked, std::string const& reply) {
        told.push_back(asked);
        told.push_back(reply);
    };
    lkt::mailbox_model first(scratch.path(""), options), again(scratch.path(""), options);
    CHECK_FALSE(first.complete(question("The best takes 793.4 us +- 203 us."), {}));
    CHECK_FALSE(again.complete(question("The best takes 1.2 ms +- 0.01 ms."), {}));
    REQUIRE(told.size() == 4);
    CHECK(told[0].ends_with(".request.md"));
    CHECK(told[1].ends_with(".reply.md"));
    CHECK(told[2] == told[0]);
    // Another number is another question.
    CHECK_FALSE(again.complete(question("Use 32 threads."), {}));
    CHECK_FALSE(again.complete(question("Use 64 threads."), {}));
    CHECK(told[4] != told[6]);
}
