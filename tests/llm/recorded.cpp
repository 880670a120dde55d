// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/recorded.hpp>

#include <lkt/llm/any_chat_model.hpp>
#include <lkt/llm/replay.hpp>
#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "scratch.hpp"

#include <csignal>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace lkt;
using archetypes::ask;

static_assert(chat_model<recorded<scripted_model>>);
static_assert(!batch_chat_model<recorded<scripted_model>>);
static_assert(batch_chat_model<recorded<archetypes::full>>);
static_assert(chat_model<recorded<archetypes::minimal&>>);

namespace {

bool contains(std::string const& text, std::string const& part) {
    if (text.find(part) != text.npos) return true;
    MESSAGE(text);
    return false;
}

chat_reply by(std::string model, std::string text) {
    chat_reply r;
    r.text = std::move(text);
    r.model = std::move(model);
    return r;
}

} // namespace

TEST_CASE("what was recorded is replayed, replies and failures") {
    scratch_folder const folder;
    auto const path = folder.path("tape.jsonl");
    scripted_model script{by("m-1", "one"),
                          error{condition::transient, "lkt.http.status", "503", "later"},
                          by("m-1", "two")};
    recorded model{script, path};
    CHECK_FALSE(model.defect().has_value());
    CHECK(model.complete(ask("a"), {})->text == "one");
    CHECK(read_cassette(path)->exchanges.size() == 1); // there before the next call
    CHECK(model.complete(ask("b"), {}).error().code == "lkt.http.status");
    CHECK(read_cassette(path)->exchanges.size() == 2);
    CHECK(model.complete(ask("b"), {})->text == "two");

    replay_model replay(path);
    CHECK(replay.header().model == "m-1");
    CHECK(replay.header().origin == cassette_origin::recorded);
    CHECK(replay.complete(ask("b"), {}).error().kind == condition::transient);
    CHECK(replay.complete(ask("b"), {})->text == "two");
    CHECK((replay.complete(ask("a"), {}).value() == by("m-1", "one")));
}

TEST_CASE("the header's name, match and note come from the options") {
    scratch_folder const folder;
    auto const path = folder.path("tape.jsonl");
    recorded model{scripted_model{by("m-1-2026", "one")},
                   path,
                   {.model = "m-1", .match = replay_match::in_order, .note = "demo"}};
    CHECK(model.complete(ask("a"), {}).has_value());
    auto const tape = read_cassette(path);
    REQUIRE(tape.has_value());
    CHECK((tape->header ==
           cassette_header{"m-1", cassette_origin::recorded, replay_match::in_order, "demo"}));
    CHECK(tape->exchanges[0].outcome->model == "m-1-2026");
}

TEST_CASE("under a name from the options several models may answer") {
    scratch_folder const folder;
    auto const path = folder.path("tape.jsonl");
    for (int session = 0; session < 2; ++session) {
        recorded model{
            scripted_model{by("one", "a"), by("two", "b")}, path, {.model = "one, else two"}};
        for (char const* text : {"a", "b"}) CHECK(model.complete(ask(text), {}).has_value());
    }
    CHECK(read_cassette(path)->exchanges.size() == 4);
}

TEST_CASE("failures before the first reply wait for the model's name") {
    scratch_folder const folder;
    auto const path = folder.path("tape.jsonl");
    recorded model{scripted_model{error{condition::transient, "a.b.c", "busy", ""}, by("m", "one")},
                   path};
    CHECK_FALSE(model.complete(ask("a"), {}).has_value());
    CHECK(folder.text("tape.jsonl").empty());
    CHECK(model.complete(ask("a"), {}).has_value());
    auto const tape = read_cassette(path);
    REQUIRE(tape.has_value());
    REQUIRE(tape->exchanges.size() == 2);
    CHECK(tape->exchanges[0].outcome.error().code == "a.b.c");
}

TEST_CASE("cancelled calls are not recorded; text is passed through") {
    scratch_folder const folder;
    recorded model{archetypes::full{}, folder.path("tape.jsonl")};
    std::stop_source stop;
    stop.request_stop();
    CHECK(model.complete(ask("a"), {stop.get_token(), {}}).error().kind == condition::cancelled);
    std::string seen;
    CHECK(model.complete(ask("a"), {{}, [&](std::string_view t) { seen += t; }}).has_value());
    CHECK(seen == "re: a");
    CHECK(read_cassette(folder.path("tape.jsonl"))->exchanges.size() == 1);
}

TEST_CASE("a second recording of the same model goes on in the file") {
    scratch_folder const folder;
    auto const path = folder.path("tape.jsonl");
    for (char const* text : {"one", "two"}) {
        recorded model{scripted_model{by("m", text)}, path, {.model = "m"}};
        CHECK(model.complete(ask("a"), {}).has_value());
    }
    recorded unnamed{scripted_model{by("m", "three")}, path};
    CHECK(unnamed.complete(ask("a"), {}).has_value());
    CHECK(read_cassette(path)->exchanges.size() == 3);
    // A file that an editor left without its last line end.
    auto text = folder.text("tape.jsonl");
    text.pop_back();
    (void)folder.file("tape.jsonl", text);
    recorded after{scripted_model{by("m", "four")}, path};
    CHECK(after.complete(ask("a"), {}).has_value());
    CHECK(read_cassette(path)->exchanges.size() == 4);
}

TEST_CASE("what a killed run asks again when it is continued is in the file once") {
    scratch_folder const folder;
    auto const path = folder.path("tape.jsonl");
    auto const size = [&] { return read_cassette(path).value().exchanges.size(); };
    recorded first{scripted_model{by("m", "one"), by("m", "two")}, path};
    CHECK(first.complete(ask("a"), {}).has_value());
    CHECK(first.complete(ask("b"), {}).has_value());
    recorded second{scripted_model{by("m", "two"), by("m", "two"), by("m", "one")}, path};
    CHECK(second.complete(ask("b"), {}).has_value());
    CHECK(size() == 2);
    CHECK(second.complete(ask("b"), {}).has_value()); // asked for twice
    CHECK(size() == 3);
    CHECK(second.complete(ask("a"), {}).has_value());
    CHECK(size() == 4);
    recorded third{scripted_model{by("m", "other")}, path}; // another reply
    CHECK(third.complete(ask("a"), {}).has_value());
    CHECK(size() == 5);
}

TEST_CASE("the cassette of another model is refused before the call, or replaced if asked for") {
    scratch_folder const folder;
    auto const path = folder.path("tape.jsonl");
    CHECK(recorded{scripted_model{by("old", "one")}, path}.complete(ask("a"), {}).has_value());
    auto const before = folder.text("tape.jsonl");

    scripted_model script{by("new", "two"), by("new", "three")};
    recorded refused{script, path, {.model = "new"}};
    REQUIRE(refused.defect().has_value());
    CHECK(refused.defect()->kind == condition::rejected);
    CHECK(refused.complete(ask("a"), {}).error().code == "lkt.cassette.other-model");
    CHECK(contains(refused.defect()->message, "holds replies of old, and new was to be recorded"));
    CHECK(script.left() == 2);

    // Nobody told the name beforehand: it is refused when it is known.
    recorded late{scripted_model{by("new", "two")}, path};
    CHECK(late.complete(ask("a"), {}).error().code == "lkt.cassette.other-model");
    CHECK(folder.text("tape.jsonl") == before);

    recorded replacing{script, path, {.model = "new", .existing = existing_cassette::replace}};
    CHECK(folder.text("tape.jsonl") == before); // until there is something to put in its place
    CHECK(replacing.complete(ask("b"), {}).has_value());
    CHECK(replacing.complete(ask("c"), {}).has_value());
    auto const tape = read_cassette(path);
    REQUIRE(tape.has_value());
    CHECK(tape->header.model == "new");
    CHECK(tape->exchanges.size() == 2);
    CHECK_FALSE(std::filesystem::exists(path + ".new"));
}

TEST_CASE("replies written by hand and files that are no cassette are never written to") {
    scratch_folder const folder;
    std::string const hand = "{\"lkt_cassette\":1,\"origin\":\"written-by-hand\"}\n";
    recorded first{scripted_model{"x"}, folder.file("hand.jsonl", hand)};
    REQUIRE(first.defect().has_value());
    CHECK(contains(first.defect()->message, "replies written by hand"));
    CHECK(folder.text("hand.jsonl") == hand);
    for (auto const existing : {existing_cassette::extend, existing_cassette::replace}) {
        recorded second{
            scripted_model{"x"}, folder.file("notes.txt", "notes"), {.existing = existing}};
        REQUIRE(second.defect().has_value());
        CHECK(second.defect()->code == "lkt.cassette.malformed");
        CHECK(second.complete(ask("a"), {}).error().code == "lkt.cassette.malformed");
        CHECK(folder.text("notes.txt") == "notes");
    }
}

TEST_CASE("a line that a crash cut off is removed, the whole ones stay") {
    scratch_folder const folder;
    auto const path = folder.path("tape.jsonl");
    CHECK(recorded{scripted_model{by("m", "one")}, path}.complete(ask("a"), {}).has_value());
    auto const whole = folder.text("tape.jsonl");
    auto const second = whole.substr(whole.find('\n') + 1);
    for (std::size_t const n : {std::size_t{1}, second.size() / 2, second.size() - 2}) {
        (void)folder.file("tape.jsonl", whole + second.substr(0, n));
        CHECK(read_cassette(path).error().code == "lkt.cassette.cut-off");
        recorded model{scripted_model{by("m", "two")}, path};
        CHECK_FALSE(model.defect().has_value());
        CHECK(model.complete(ask("b"), {}).has_value());
        auto const tape = read_cassette(path);
        REQUIRE(tape.has_value());
        CHECK(tape->exchanges.size() == 2);
        CHECK(folder.text("tape.jsonl").starts_with(whole));
    }
    // Even the header.
    (void)folder.file("tape.jsonl", whole.substr(0, 20));
    recorded model{scripted_model{by("m", "two")}, path};
    CHECK(model.complete(ask("b"), {}).has_value());
    CHECK(read_cassette(path)->exchanges.size() == 1);
}

TEST_CASE("a process that is killed keeps what it has recorded") {
    scratch_folder const folder;
    auto const path = folder.path("tape.jsonl");
    pid_t const child = ::fork();
    if (child == 0) {
        recorded model{scripted_model{by("m", "one"), by("m", "two")}, path};
        (void)model.complete(ask("a"), {});
        (void)model.complete(ask("b"), {});
        (void)::raise(SIGKILL);
        ::_exit(1);
    }
    REQUIRE(child > 0);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    auto const tape = read_cassette(path);
    REQUIRE(tape.has_value());
    CHECK(tape->exchanges.size() == 2);
}

TEST_CASE("a path that cannot be written is an error before the model is asked") {
    scratch_folder const folder;
    for (std::string const& path :
         {folder.path("none/tape.jsonl"), folder.path(""), std::string("/dev/full")}) {
        scripted_model script{by("m", "one")};
        recorded model{script, path};
        REQUIRE(model.defect().has_value());
        CHECK(model.defect()->kind == condition::unavailable);
        CHECK(contains(model.defect()->message, path));
        CHECK_FALSE(model.complete(ask("a"), {}).has_value());
        CHECK(script.left() == 1);
    }
}

TEST_CASE("a full disk: the error says so, what was there stays whole, no further call is made") {
    scratch_folder const folder;
    auto const path = folder.path("tape.jsonl");
    scripted_model script{by("m", "one"), by("m", std::string(10000, 'x')), by("m", "three")};
    recorded model{script, path};
    CHECK(model.complete(ask("a"), {}).has_value());
    // A limit on the size of files is a full disk that needs no disk.
    auto const old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
    rlimit tight = old;
    tight.rlim_cur = 4096;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
    auto const full = model.complete(ask("b"), {});
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &old) == 0);
    (void)std::signal(SIGXFSZ, old_handler);
    REQUIRE_FALSE(full.has_value());
    CHECK(full.error().kind == condition::exhausted);
    CHECK(full.error().code == "lkt.cassette.unwritable");
    CHECK(model.complete(ask("c"), {}).error().code == "lkt.cassette.unwritable");
    CHECK(script.left() == 1);
    auto const tape = read_cassette(path);
    REQUIRE(tape.has_value());
    CHECK(tape->exchanges.size() == 1);
}

TEST_CASE("what looks like a key in an error is left out of the file") {
    scratch_folder const folder;
    auto const path = folder.path("tape.jsonl");
    error const leaky{condition::rejected,
                      "lkt.http.status",
                      "401: Incorrect API key provided: sk-proj-abcdefghijkl. See "
                      "https://host/v1?key=abcdef123456&x=1",
                      "sent Authorization: Bearer 0123456789abcdef"};
    recorded model{scripted_model{leaky}, path, {.model = "m"}};
    // The caller sees it all.
    CHECK((model.complete(ask("a"), {}).error() == leaky));
    auto const text = folder.text("tape.jsonl");
    CHECK(contains(text, "401: Incorrect API key provided: [key left out]"));
    CHECK(text.find("sk-proj") == text.npos);
    CHECK(text.find("abcdef123456") == text.npos);
    CHECK(text.find("0123456789abcdef\"") == text.npos);
    CHECK(contains(text, "&x=1"));
}

TEST_CASE("batches and threads") {
    scratch_folder const folder;
    std::vector<chat_request> const asked{ask("a"), ask("b"), ask("c")};
    recorded batch{archetypes::full{}, folder.path("batch.jsonl")};
    auto const replies = batch.complete_all(asked, {});
    CHECK(replies[2].value().text == "re: c");
    CHECK(read_cassette(folder.path("batch.jsonl"))->exchanges.size() == 3);

    recorded plain{scripted_model(std::vector<scripted_turn>(100, by("m", "x"))),
                   folder.path("threads.jsonl")};
    std::vector<chat_request> const many(100, ask("q"));
    for (auto const& reply : complete_all(plain, many)) CHECK(reply.has_value());
    CHECK(read_cassette(folder.path("threads.jsonl"))->exchanges.size() == 100);

    archetypes::minimal unmovable(0);
    recorded<archetypes::minimal&> by_reference{unmovable, folder.path("ref.jsonl")};
    CHECK(by_reference.complete(ask("a"), {})->text == "re: a");
}
