// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/circuit_breaker.hpp>

#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"

#include <chrono>
#include <functional>
#include <vector>

using namespace lkt;
using archetypes::ask;
using std::chrono::milliseconds;

static_assert(chat_model<circuit_breaker<scripted_model>>);
static_assert(!batch_chat_model<circuit_breaker<scripted_model>>);
static_assert(batch_chat_model<circuit_breaker<archetypes::full>>);
static_assert(chat_model<circuit_breaker<archetypes::minimal&>>);

namespace {

error const busy{condition::transient, "lkt.http.status", "503", ""};
error const gone{condition::unavailable, "lkt.http.connect", "refused", ""};
error const wrong{condition::rejected, "lkt.http.status", "400", ""};

} // namespace

TEST_CASE("it obeys the laws") {
    circuit_breaker model{archetypes::full{}};
    obeys_the_laws(model);
    circuit_breaker plain{scripted_model(std::vector<scripted_turn>(answers_needed, "a"))};
    obeys_the_laws(plain);
}

TEST_CASE("failures in a row open it, one call tries again, an answer closes it") {
    auto const clock = time_source::manual();
    scripted_model script{busy, gone, busy, busy, "up again", "and on"};
    circuit_breaker model{script, {.failures = 3, .open = seconds(30), .clock = clock}};
    auto copy = model;
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(model.is_open());
        CHECK_FALSE(model.complete(ask("q"), {}).has_value());
    }
    CHECK(copy.is_open());
    clock.advance(std::chrono::seconds(10));
    auto const shut = copy.complete(ask("q"), {});
    REQUIRE_FALSE(shut.has_value());
    CHECK(shut.error().code == "lkt.breaker.open");
    CHECK(shut.error().kind == condition::unavailable);
    CHECK(shut.error().retry_after == milliseconds(20'000));
    CHECK(script.left() == 3);

    // The attempt fails: the time begins anew.
    clock.advance(std::chrono::seconds(20));
    CHECK_FALSE(model.is_open());
    CHECK(model.complete(ask("q"), {}).error().code == "lkt.http.status");
    CHECK(model.complete(ask("q"), {}).error().retry_after == milliseconds(30'000));
    clock.advance(std::chrono::seconds(30));
    CHECK(model.complete(ask("q"), {})->text == "up again");
    CHECK(model.complete(ask("q"), {})->text == "and on");
}

TEST_CASE("what the server answered, and what says nothing of it, do not open it") {
    auto const clock = time_source::manual();
    scripted_model script{busy, wrong, busy, "fine", busy, cancelled("a call"), wrong, busy};
    circuit_breaker model{script, {.failures = 2, .clock = clock}};
    for (int i = 0; i < 8; ++i) (void)model.complete(ask("q"), {});
    CHECK(script.left() == 0);
    CHECK_FALSE(model.is_open());
    // A cancelled call between two failures changes nothing.
    circuit_breaker other{scripted_model{busy, cancelled("a call"), busy}, {.failures = 2}};
    for (int i = 0; i < 3; ++i) (void)other.complete(ask("q"), {});
    CHECK(other.is_open());
}

TEST_CASE("one attempt at a time; a cancelled one leaves the place to the next") {
    auto const clock = time_source::manual();
    struct nested {
        std::function<result<chat_reply>()> call;
        result<chat_reply> complete(chat_request const&, call_context const&) {
            auto const now = call; // it may set the next one
            return now();
        }
    } inner;
    circuit_breaker<nested&> model(inner, {.failures = 1, .open = seconds(1), .clock = clock});
    inner.call = [] { return result<chat_reply>(busy); };
    CHECK_FALSE(model.complete(ask("q"), {}).has_value());
    clock.advance(std::chrono::seconds(2));
    inner.call = [&] {
        // While the attempt is under way, others are refused.
        auto const beside = model.complete(ask("q"), {});
        CHECK(beside.error().code == "lkt.breaker.open");
        CHECK_FALSE(beside.error().retry_after.has_value());
        return result<chat_reply>(cancelled("the attempt"));
    };
    CHECK(model.complete(ask("q"), {}).error().kind == condition::cancelled);
    inner.call = [] { return result<chat_reply>(archetypes::reply("x")); };
    CHECK(model.complete(ask("q"), {}).has_value());
    CHECK_FALSE(model.is_open());
}

TEST_CASE("what began before it opened does not close it") {
    auto const clock = time_source::manual();
    struct nested {
        std::function<result<chat_reply>()> call;
        result<chat_reply> complete(chat_request const&, call_context const&) {
            auto const now = call; // it may set the next one
            return now();
        }
    } inner;
    circuit_breaker<nested&> model(inner, {.failures = 1, .clock = clock});
    inner.call = [&] {
        inner.call = [] { return result<chat_reply>(busy); };
        CHECK_FALSE(model.complete(ask("q"), {}).has_value());
        return result<chat_reply>(archetypes::reply("late"));
    };
    CHECK(model.complete(ask("q"), {}).has_value());
    CHECK(model.is_open());
}

TEST_CASE("of a batch one request tries first") {
    auto const clock = time_source::manual();
    struct moody {
        bool up = false;
        std::vector<std::size_t> batches{};
        result<chat_reply> complete(chat_request const&, call_context const&) {
            if (!up) return busy;
            return archetypes::reply("x");
        }
        std::vector<result<chat_reply>> complete_all(std::span<chat_request const> rs,
                                                     call_context const& c) {
            batches.push_back(rs.size());
            std::vector<result<chat_reply>> all;
            for (auto const& r : rs) all.push_back(complete(r, c));
            return all;
        }
    } inner;
    circuit_breaker<moody&> model(inner, {.failures = 2, .open = seconds(1), .clock = clock});
    std::vector<chat_request> const asked(5, ask("q"));
    CHECK(model.complete_all(asked, {})[4].error().code == "lkt.http.status");
    CHECK(model.complete_all(asked, {})[4].error().code == "lkt.breaker.open");
    clock.advance(std::chrono::seconds(1));
    auto const down = model.complete_all(asked, {});
    CHECK(down[0].error().code == "lkt.http.status");
    CHECK(down[1].error().code == "lkt.breaker.open");
    clock.advance(std::chrono::seconds(1));
    inner.up = true;
    for (auto const& reply : model.complete_all(asked, {})) CHECK(reply.has_value());
    CHECK(inner.batches == std::vector<std::size_t>{5, 1, 1, 4});
}
