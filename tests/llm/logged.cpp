// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/logged.hpp>

#include <lkt/llm/complete_all.hpp>
#include <lkt/llm/scripted.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"
#include "scratch.hpp"

#include <chrono>
#include <csignal>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace lkt;
using archetypes::ask;

static_assert(chat_model<logged<scripted_model>>);
static_assert(!batch_chat_model<logged<scripted_model>>);
static_assert(batch_chat_model<logged<archetypes::full>>);
static_assert(chat_model<logged<archetypes::minimal&>>);

namespace {

std::vector<boost::json::object> lines_of(std::string const& text) {
    std::vector<boost::json::object> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(boost::json::parse(line).as_object());
    return lines;
}

} // namespace

TEST_CASE("it obeys the laws") {
    scratch_folder const folder;
    logged model{archetypes::full{}, folder.path("a.jsonl")};
    obeys_the_laws(model);
    logged plain{scripted_model(std::vector<scripted_turn>(answers_needed, "a")),
                 folder.path("b.jsonl")};
    obeys_the_laws(plain);
}

TEST_CASE("a line a call, at once: when, how long, what, and what became of it") {
    scratch_folder const folder;
    auto reply = archetypes::reply("two\nlines");
    reply.usage.input = 12;
    reply.usage.output = 3;
    error busy{condition::transient, "lkt.http.status", "503", "later"};
    busy.retry_after = std::chrono::milliseconds(1500);
    logged model{scripted_model{reply, busy}, folder.path("log.jsonl")};
    CHECK(model.complete(ask("a \"question\""), {}).has_value());
    CHECK(lines_of(folder.text("log.jsonl")).size() == 1);
    CHECK_FALSE(model.complete(ask("b"), {}).has_value());
    auto const lines = lines_of(folder.text("log.jsonl"));
    REQUIRE(lines.size() == 2);
    auto const time = std::string(lines[0].at("time").as_string());
    CHECK(time.size() == 24);
    CHECK(time.starts_with("20"));
    CHECK(time[10] == 'T');
    CHECK(time.back() == 'Z');
    CHECK(lines[0].at("ms").to_number<double>() >= 0);
    CHECK(lines[0].at("model") == "replies of a script");
    CHECK(lines[0].at("request").at("messages").at(0).at("text") == "a \"question\"");
    CHECK(lines[0].at("reply").at("text") == "two\nlines");
    CHECK(lines[0].at("reply").at("usage").at("input") == 12);
    CHECK(lines[1].at("error").at("condition") == "transient");
    CHECK(lines[1].at("error").at("code") == "lkt.http.status");
    CHECK(lines[1].at("error").at("retry_after_ms") == 1500);
    CHECK_FALSE(lines[1].contains("reply"));
    CHECK_FALSE(model.defect().has_value());
}

TEST_CASE("what looks like a key is left out everywhere, or from errors alone") {
    scratch_folder const folder;
    std::string const secret = "sk-proj-abcdefghijkl";
    error const leaky{condition::rejected, "lkt.http.status", "refused " + secret, "not " + secret};
    for (bool const redact : {true, false}) {
        logged model{scripted_model{"your key is " + secret, leaky},
                     folder.path(redact ? "a" : "b"),
                     {.model = "m", .redact = redact}};
        // The caller sees it all.
        CHECK(model.complete(ask("my key is " + secret), {})->text == "your key is " + secret);
        CHECK((model.complete(ask("q"), {}).error() == leaky));
    }
    CHECK(folder.text("a").find(secret) == std::string::npos);
    CHECK(folder.text("a").find("[key left out]") != std::string::npos);
    auto const lines = lines_of(folder.text("b"));
    CHECK(lines[0].at("reply").at("text") == boost::json::value("your key is " + secret));
    CHECK(lines[1].at("error").at("message") == "refused [key left out]");
}

TEST_CASE("a file that cannot be written fails no call") {
    scratch_folder const folder;
    logged model{scripted_model{"x", "y"}, folder.path("none/log.jsonl")};
    REQUIRE(model.defect().has_value());
    CHECK(model.defect()->code == "lkt.transcript.unwritable");
    CHECK(model.defect()->kind == condition::unavailable);
    CHECK(model.complete(ask("q"), {})->text == "x");
    logged full{scripted_model{"x", "y"}, "/dev/full"};
    REQUIRE(full.defect().has_value()); // no regular file
    CHECK(full.complete(ask("q"), {})->text == "x");
}

TEST_CASE("it goes on at the end of a file, after a line that was cut off too") {
    scratch_folder const folder;
    auto const path = folder.file("log.jsonl", "{\"a\": 1}\n{\"cut");
    {
        logged model{scripted_model{"x"}, path};
        CHECK(model.complete(ask("q"), {}).has_value());
    }
    auto const text = folder.text("log.jsonl");
    CHECK(text.starts_with("{\"a\": 1}\n{\"cut\n{\"time\""));
    logged again{scripted_model{"y"}, path};
    CHECK(again.complete(ask("q"), {}).has_value());
    CHECK(folder.text("log.jsonl").starts_with(text));
    CHECK(folder.text("log.jsonl").size() > text.size());
}

TEST_CASE("a full disk is told, fails no call, and spoils no later line") {
    scratch_folder const folder;
    logged model{scripted_model{"one", "two", "three"}, folder.path("log.jsonl")};
    CHECK(model.complete(ask("a"), {}).has_value());
    auto const size = folder.text("log.jsonl").size();
    ::rlimit old{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
    auto const old_handler = std::signal(SIGXFSZ, SIG_IGN);
    ::rlimit const tight{static_cast<rlim_t>(size + 20), old.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
    auto const two = model.complete(ask("b"), {});
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &old) == 0);
    (void)std::signal(SIGXFSZ, old_handler);
    CHECK(two->text == "two");
    REQUIRE(model.defect().has_value());
    CHECK(model.defect()->code == "lkt.transcript.unwritable");
    CHECK(model.defect()->kind == condition::exhausted);
    CHECK(model.complete(ask("c"), {}).has_value());
    auto const text = folder.text("log.jsonl");
    auto const third = text.rfind("\n{");
    REQUIRE(third != std::string::npos);
    CHECK(lines_of(text.substr(third + 1)).at(0).at("reply").at("text") == "three");
    CHECK(third == size + 20); // behind the torn line
}

TEST_CASE("threads and batches") {
    scratch_folder const folder;
    logged model{scripted_model(std::vector<scripted_turn>(200, std::string(5000, 'x'))),
                 folder.path("t.jsonl")};
    auto copy = model;
    std::vector<chat_request> const many(100, ask("q"));
    for (auto const& reply : complete_all(model, many)) CHECK(reply.has_value());
    for (auto const& reply : complete_all(copy, many)) CHECK(reply.has_value());
    CHECK(lines_of(folder.text("t.jsonl")).size() == 200);

    logged batch{archetypes::full{}, folder.path("b.jsonl")};
    std::vector<chat_request> const two{ask("a"), ask("b")};
    CHECK(batch.complete_all(two, {})[1].value().text == "re: b");
    auto const lines = lines_of(folder.text("b.jsonl"));
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].at("batch") == 2);
    CHECK(lines[1].at("reply").at("text") == "re: b");
    CHECK_FALSE(lines[1].contains("model"));
}
