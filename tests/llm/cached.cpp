// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/cached.hpp>

#include <lkt/llm/complete_all.hpp>
#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"
#include "scratch.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace lkt;
using archetypes::ask;
namespace fs = std::filesystem;

static_assert(chat_model<cached<scripted_model>>);
static_assert(!batch_chat_model<cached<scripted_model>>);
static_assert(batch_chat_model<cached<archetypes::full>>);
static_assert(chat_model<cached<archetypes::minimal&>>);

namespace {

std::vector<fs::path> files_in(std::string const& folder) {
    std::vector<fs::path> found;
    for (auto const& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
    return found;
}

chat_request cold(std::string text) {
    auto r = ask(std::move(text));
    r.temperature = 0;
    return r;
}

/// Counts its calls, also into its replies.
struct numbering {
    std::atomic<int>* calls;
    result<chat_reply> complete(chat_request const& r, call_context const&) {
        auto reply = archetypes::reply(r.messages.back().text + " " + std::to_string(++*calls));
        reply.usage.output = 7;
        return reply;
    }
};

} // namespace

TEST_CASE("it obeys the laws") {
    scratch_folder const folder;
    cached model{archetypes::full{}, folder.path("a"), {.model = "m"}};
    obeys_the_laws(model);
    cached plain{scripted_model(std::vector<scripted_turn>(answers_needed, "a")), folder.path("b")};
    obeys_the_laws(plain);
    cached again{scripted_model(std::vector<scripted_turn>()), folder.path("b")};
    obeys_the_laws(again); // all from the cache
}

TEST_CASE("the same request to the same model is asked once") {
    scratch_folder const folder;
    std::atomic<int> calls = 0;
    cached first{numbering{&calls}, folder.path("c"), {.model = "m"}};
    CHECK(first.complete(cold("a"), {})->text == "a 1");
    CHECK(first.complete(cold("a"), {})->text == "a 1");
    CHECK(first.complete(cold("b"), {})->text == "b 2");
    // Another process would find the same.
    cached second{numbering{&calls}, folder.path("c"), {.model = "m"}};
    std::string seen;
    auto const hit = second.complete(cold("b"), {{}, [&](std::string_view t) { seen += t; }});
    CHECK(hit->text == "b 2");
    CHECK(hit->model == "archetype");
    CHECK((hit->usage == token_usage{}));
    CHECK(seen == "b 2");
    CHECK(calls == 2);
    CHECK(first.counters().hits == 1);
    CHECK(first.counters().misses == 2);
    CHECK(second.counters().hits == 1);
    // Other parameters, another model.
    auto limited = cold("b");
    limited.max_tokens = 10;
    CHECK(second.complete(limited, {})->text == "b 3");
    cached other{numbering{&calls}, folder.path("c"), {.model = "m2"}};
    CHECK(other.complete(cold("b"), {})->text == "b 4");
    CHECK_FALSE(other.defect().has_value());
}

TEST_CASE("repeated samples stay different, and a second run gets the same ones") {
    scratch_folder const folder;
    std::atomic<int> calls = 0;
    for (int run = 0; run < 2; ++run) {
        cached model{numbering{&calls}, folder.path("c"), {.model = "m"}};
        CHECK(model.complete(ask("a"), {})->text == "a 1");
        CHECK(model.complete(ask("a"), {})->text == "a 2");
        CHECK(model.complete(ask("a"), {})->text == "a 3");
    }
    CHECK(calls == 3);
    cached never{numbering{&calls}, folder.path("c"), {.model = "m", .sampled = false}};
    CHECK(never.complete(ask("a"), {})->text == "a 4");
    CHECK(never.complete(cold("a"), {})->text == "a 5");
    CHECK(never.complete(cold("a"), {})->text == "a 5");
}

TEST_CASE("samples asked for by many threads are kept one by one") {
    scratch_folder const folder;
    std::atomic<int> calls = 0;
    std::vector<chat_request> const many(40, ask("q"));
    for (int run = 0; run < 2; ++run) {
        cached model{numbering{&calls}, folder.path("c"), {.model = "m"}};
        std::set<std::string> texts;
        for (auto const& reply : complete_all(model, many)) texts.insert(reply.value().text);
        CHECK(texts.size() == 40);
    }
    CHECK(calls == 40);
}

TEST_CASE("failures and what was cut short are not kept, and leave no hole") {
    scratch_folder const folder;
    error const busy{condition::transient, "lkt.http.status", "503", ""};
    auto cut = archetypes::reply("half a");
    cut.finish = finish::length;
    scripted_model script{busy, cut, "whole", "second"};
    cached model{script, folder.path("c")};
    CHECK_FALSE(model.complete(ask("q"), {}).has_value());
    CHECK(model.complete(ask("q"), {})->text == "half a");
    CHECK(files_in(folder.path("c")).empty());
    CHECK(model.complete(ask("q"), {})->text == "whole");
    CHECK(model.complete(ask("q"), {})->text == "second");
    cached again{scripted_model{"none"}, folder.path("c")};
    CHECK(again.complete(ask("q"), {})->text == "whole");
    CHECK(again.complete(ask("q"), {})->text == "second");
}

TEST_CASE("a file that is not what it should be is ignored and written anew") {
    scratch_folder const folder;
    std::atomic<int> calls = 0;
    cached model{numbering{&calls}, folder.path("c"), {.model = "m"}};
    CHECK(model.complete(cold("a"), {})->text == "a 1");
    auto const file = files_in(folder.path("c")).at(0);
    auto const whole = folder.text("c/" + file.filename().string());
    for (std::string const& broken : {std::string(),
                                      std::string("rubbish"),
                                      whole.substr(0, whole.size() / 2),
                                      std::string(1 << 16, '\0')}) {
        (void)folder.file("c/" + file.filename().string(), broken);
        int const before = calls;
        CHECK(model.complete(cold("a"), {})->text == "a " + std::to_string(before + 1));
        CHECK(model.complete(cold("a"), {})->text == "a " + std::to_string(before + 1));
    }
    // An entry of another request under this name: two requests with one hash.
    CHECK(model.complete(cold("b"), {}).has_value());
    for (auto const& other : files_in(folder.path("c")))
        if (other != file) fs::copy_file(other, file, fs::copy_options::overwrite_existing);
    int const before = calls;
    CHECK(model.complete(cold("a"), {})->text == "a " + std::to_string(before + 1));
    CHECK(model.complete(cold("b"), {}).has_value());
    CHECK(calls == before + 1);
}

TEST_CASE("what was not used longest goes first") {
    scratch_folder const folder;
    std::atomic<int> calls = 0;
    std::string const text(1000, 'x'); // twice in an entry
    cached model{numbering{&calls}, folder.path("c"), {.model = "m", .max_bytes = 20'000}};
    auto const age = [&](int hours) {
        for (auto const& file : files_in(folder.path("c")))
            fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(hours));
    };
    CHECK(model.complete(cold("keep " + text), {}).has_value());
    for (int i = 0; i < 30; ++i) {
        CHECK(model.complete(cold(std::to_string(i) + text), {}).has_value());
        age(1);
        CHECK(model.complete(cold("keep " + text), {}).has_value()); // used again and again
    }
    std::uintmax_t bytes = 0;
    for (auto const& file : files_in(folder.path("c"))) bytes += fs::file_size(file);
    CHECK(bytes <= 20'000);
    CHECK(bytes > 10'000);
    CHECK(calls == 31);
    CHECK(model.complete(cold("29" + text), {})->text.ends_with(" 31")); // still there
    CHECK(model.complete(cold("0" + text), {})->text.ends_with(" 32"));  // gone
}

TEST_CASE("several processes share a folder") {
    scratch_folder const folder;
    std::vector<pid_t> children;
    for (int p = 0; p < 4; ++p) {
        pid_t const child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            std::atomic<int> calls = 0;
            cached model{numbering{&calls}, folder.path("c"), {.model = "m", .max_bytes = 40'000}};
            bool good = true;
            for (int i = 0; i < 50; ++i) {
                auto const name = std::to_string(i % 10);
                auto const reply = model.complete(cold(name), {});
                good = good && reply && reply->text.starts_with(name + " ");
            }
            ::_exit(good && !model.defect() ? 0 : 1);
        }
        children.push_back(child);
    }
    for (pid_t const child : children) {
        int status = -1;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
    for (auto const& file : files_in(folder.path("c")))
        CHECK(file.filename().string().ends_with(".reply.jsonl"));
}

TEST_CASE("without a folder or a name nothing is kept, and calls go on") {
    scratch_folder const folder;
    auto const path = folder.file("a-file", "text");
    std::atomic<int> calls = 0;
    cached nowhere{numbering{&calls}, path, {.model = "m"}};
    REQUIRE(nowhere.defect().has_value());
    CHECK(nowhere.defect()->code == "lkt.cache.folder");
    CHECK(nowhere.complete(cold("a"), {})->text == "a 1");
    CHECK(nowhere.complete(cold("a"), {})->text == "a 2");
    cached nameless{numbering{&calls}, folder.path("c")};
    REQUIRE(nameless.defect().has_value());
    CHECK(nameless.defect()->code == "lkt.cache.no-model");
    CHECK(nameless.complete(cold("a"), {})->text == "a 3");
}

TEST_CASE("of a batch only what is missing is asked for") {
    scratch_folder const folder;
    struct batching : archetypes::full {
        std::vector<std::size_t> sizes{};
        std::vector<result<chat_reply>> complete_all(std::span<chat_request const> rs,
                                                     call_context const& c) {
            sizes.push_back(rs.size());
            return full::complete_all(rs, c);
        }
    } inner;
    cached<batching&> model(inner, folder.path("c"), {.model = "m"});
    std::vector<chat_request> const two{cold("a"), cold("b")};
    std::vector<chat_request> const three{cold("a"), cold("c"), cold("b")};
    CHECK(model.complete_all(two, {})[1].value().text == "re: b");
    auto const replies = model.complete_all(three, {});
    CHECK(inner.sizes == std::vector<std::size_t>{2, 1});
    CHECK(replies[0].value().text == "re: a");
    CHECK(replies[1].value().text == "re: c");
    CHECK(replies[2].value().text == "re: b");
    CHECK(model.complete_all(three, {})[1].value().text == "re: c");
    CHECK(inner.sizes.size() == 2);
}

TEST_CASE("requests that differ in measured figures alone are the same, where that is asked for") {
    scratch_folder const folder;
    std::atomic<int> calls = 0;
    cached model{numbering{&calls}, folder.path("c"), {.model = "m", .ignore_measured = true}};
    auto const asked = [&](char const* text) {
        int const before = calls;
        CHECK(model.complete(cold(text), {}).has_value());
        return calls != before;
    };
    CHECK(asked("121.7 us a launch, 92% of copy (1.00x), 4.5 TFLOP/s\n```\na[4] = 2 s;\n```"));
    CHECK_FALSE(asked("98 us a launch, 7% of copy (12.5x), 0.12 TFLOP/s\n```\na[4] = 2 s;\n```"));
    CHECK(asked("float8 1.759 PFLOP/s, memory 999.5 GB/s"));
    CHECK_FALSE(asked("float8 998.1 TFLOP/s, memory 1.02 TB/s"));
    CHECK(asked("4 GB/second"));
    CHECK(asked("5 GB/second"));
    // Not in code, and no other number.
    CHECK(asked("98 us a launch, 7% of copy (12.5x), 0.12 TFLOP/s\n```\na[4] = 3 s;\n```"));
    CHECK(asked("block 64"));
    CHECK(asked("block 128"));
    CHECK(asked("BLOCK64 use 4"));
    CHECK(asked("BLOCK32 use 4"));
    cached exact{numbering{&calls}, folder.path("d"), {.model = "m"}};
    CHECK(exact.complete(cold("1 us"), {}).has_value());
    int const before = calls;
    CHECK(exact.complete(cold("2 us"), {}).has_value());
    CHECK(calls != before);
}
