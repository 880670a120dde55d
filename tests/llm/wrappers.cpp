// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/wrappers.hpp>

#include <lkt/llm/any_chat_model.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"
#include "scratch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace lkt;
using archetypes::ask;

namespace {

/// Waits for nothing.
struct hasty {
    static bool wait(std::chrono::milliseconds, std::stop_token const& stop) {
        return !stop.stop_requested();
    }
};

/// Answers from any thread; fails at every n-th call.
struct server {
    std::string name;
    int fails_at;
    condition how = condition::transient;
    std::atomic<int> calls = 0, failed = 0;

    result<chat_reply> complete(chat_request const& r, call_context const& c) {
        if (c.stop.stop_requested()) return cancelled("asking " + name);
        if (fails_at != 0 && ++calls % fails_at == 0) {
            ++failed;
            return error{how, "test.server.down", name + " is down", ""};
        }
        auto reply = archetypes::reply("re: " + r.messages.back().text);
        reply.model = name;
        reply.usage.input = 10;
        reply.usage.output = 5;
        if (c.on_text) c.on_text(reply.text);
        return reply;
    }
    [[nodiscard]] std::string description() const { return name; }
};

constexpr int threads = 8, calls_each = 60;

/// Every thread asks its own questions, each twice; what failed, by code.
template <class Model>
std::vector<std::string> ask_from_all_sides(Model& model) {
    std::vector<std::vector<std::string>> failures(threads);
    {
        std::vector<std::jthread> all;
        for (int t = 0; t < threads; ++t)
            all.emplace_back([&, t] {
                for (int i = 0; i < calls_each; ++i) {
                    auto request = ask(std::to_string(t) + "/" + std::to_string(i / 2));
                    request.temperature = 0;
                    std::string seen;
                    auto const reply =
                        model.complete(request, {{}, [&](std::string_view text) { seen += text; }});
                    auto& mine = failures[static_cast<std::size_t>(t)];
                    if (!reply)
                        mine.push_back(reply.error().code);
                    else if (reply->text != "re: " + request.messages[0].text ||
                             !seen.ends_with(reply->text))
                        mine.push_back("wrong reply: " + reply->text);
                }
            });
    }
    std::vector<std::string> found;
    for (auto const& each : failures) found.insert(found.end(), each.begin(), each.end());
    return found;
}

int lines_in(std::string const& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

TEST_CASE("nested in each other and asked from eight threads") {
    scratch_folder const folder;
    auto const clock = time_source::manual();
    server first{"first", 3}, second{"second", 4};

    cached kept{fallback<server&, server&>(first, second), folder.path("cache"), {.model = "both"}};
    logged noted{kept, folder.path("log.jsonl")};
    budgeted paid{noted, {.tokens = 1'000'000, .clock = clock}};
    rate_limited slowed{
        paid,
        {.requests_per_minute = 600, .tokens_per_minute = 1e6, .in_flight = 6, .clock = clock}};
    using stack = decltype(slowed);
    retried<backoff{.attempts = 20, .full_jitter = true}, stack, hasty> model(slowed);

    obeys_the_laws(model);
    CHECK(ask_from_all_sides(model).empty());

    auto const spent = paid.spent();
    CHECK(spent.calls - spent.failed == threads * calls_each + 5); // five of the laws
    CHECK(spent.failed > 0);
    // Each question was answered once, and found in the cache the second time.
    auto const counters = kept.counters();
    CHECK(counters.hits == threads * calls_each / 2);
    CHECK(static_cast<std::int64_t>(counters.hits + counters.misses) == spent.calls);
    CHECK(lines_in(folder.text("log.jsonl")) == spent.calls);
    // The clock stood still but for the limit of ten a second.
    CHECK((clock.now() - time_source::time_point{}) > std::chrono::seconds(30));
    CHECK(model.description() == "first, else second");
}

TEST_CASE("in the order that the page recommends") {
    scratch_folder const folder;
    auto const clock = time_source::manual();
    server first{"first", 2, condition::unavailable}, second{"second", 0};
    auto const careful = [&](server& s) {
        rate_limited<server&> slowed{s, {.in_flight = 4, .clock = clock}};
        return circuit_breaker{with_retry<transport_retry>(std::move(slowed)),
                               {.failures = 3, .open = seconds(1), .clock = clock}};
    };
    fallback either{careful(first), careful(second)};
    logged noted{budgeted{std::move(either), {.tokens = 1'000'000, .clock = clock}},
                 folder.path("log.jsonl")};
    any_chat_model model = cached{std::move(noted), folder.path("cache")};

    CHECK(ask_from_all_sides(model).empty());
    CHECK(second.calls == 0); // it never counts: it never fails
    CHECK(first.failed > 0);
    CHECK(lines_in(folder.text("log.jsonl")) == threads * calls_each / 2);
    CHECK(model.description() == "first, else second");
}

TEST_CASE("what a wrapper is given by reference stays where it is") {
    scratch_folder const folder;
    archetypes::minimal inner(0);
    cached<archetypes::minimal&> a(inner, folder.path("cache"), {.model = "m"});
    logged<decltype(a)&> b(a, folder.path("log.jsonl"));
    budgeted<decltype(b)&> c(b, {.calls = 9});
    rate_limited<decltype(c)&> d(c, {.in_flight = 1});
    circuit_breaker<decltype(d)&> e(d);
    fallback<decltype(e)&> f(e);
    retried<transport_retry, decltype(f)&> model(f);
    CHECK(model.complete(ask("q"), {})->text == "re: q");
    CHECK(c.spent().calls == 1);
}
