// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/sample.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

using namespace lkt;

namespace {

/// Answers with the seed, the earlier ones last.
struct seeded {
    std::atomic<int> running = 0, most = 0;
    result<chat_reply> complete(chat_request const& r, call_context const& c) {
        if (c.stop.stop_requested()) return cancelled("a sample");
        int const now = ++running;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        auto const seed = r.seed.value_or(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(seed < 20 ? 20 - seed : 0));
        --running;
        if (seed == 13) return error{condition::transient, "test.b.c", "thirteen", ""};
        return archetypes::reply(r.messages.back().text + " " +
                                 (r.seed ? std::to_string(seed) : "-"));
    }
};

} // namespace

TEST_CASE("the order is that of the seeds, whoever comes first") {
    seeded model;
    auto request = archetypes::ask("q");
    request.seed = 10;
    auto const replies = samples(model, request, 6, {}, {.threads = 6});
    REQUIRE(replies.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) {
        if (i == 3)
            CHECK(replies[i].error().code == "test.b.c");
        else
            CHECK(replies[i].value().text == "q " + std::to_string(10 + i));
    }
    CHECK(model.most > 1);
}

TEST_CASE("without a seed all requests are the same; none are none") {
    seeded model;
    for (auto const& reply : samples(model, archetypes::ask("q"), 3))
        CHECK(reply.value().text == "q -");
    CHECK(samples(model, archetypes::ask("q"), 0).empty());
    std::stop_source stop;
    stop.request_stop();
    for (auto const& reply : samples(model, archetypes::ask("q"), 2, {stop.get_token(), {}}))
        CHECK(reply.error().kind == condition::cancelled);
}

TEST_CASE("a batch model gets one batch") {
    int batches = 0;
    archetypes::full model{&batches};
    CHECK(samples(model, archetypes::ask("q"), 4).size() == 4);
    CHECK(batches == 1);
}
