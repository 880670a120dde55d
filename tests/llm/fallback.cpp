// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/fallback.hpp>

#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"

#include <string>
#include <vector>

using namespace lkt;
using archetypes::ask;

static_assert(chat_model<fallback<scripted_model, archetypes::minimal&>>);
static_assert(!batch_chat_model<fallback<archetypes::full, scripted_model>>);
static_assert(batch_chat_model<fallback<archetypes::full, archetypes::full>>);
static_assert(std::is_same_v<decltype(fallback{fallback_policy{}, scripted_model{"a"}}),
                             fallback<scripted_model>>);

namespace {

error failure(condition kind, std::string code) { return {kind, std::move(code), "it failed", ""}; }

} // namespace

TEST_CASE("it obeys the laws") {
    fallback model{archetypes::full{}, archetypes::full{}};
    obeys_the_laws(model);
    error const busy{condition::transient, "test.b.c", "503", ""};
    fallback second{scripted_model(std::vector<scripted_turn>(answers_needed, busy)),
                    scripted_model(std::vector<scripted_turn>(answers_needed, "a"))};
    obeys_the_laws(second);
}

TEST_CASE("the next model is asked after failures that are not the request's") {
    for (auto const kind : {condition::transient, condition::exhausted, condition::unavailable}) {
        CAPTURE(to_string(kind));
        scripted_model first{failure(kind, "a"), "from the first"}, second{"from the second"};
        fallback model{first, second};
        CHECK(model.complete(ask("q"), {})->text == "from the second");
        CHECK(model.complete(ask("q"), {})->text == "from the first");
    }
    for (auto const kind : {condition::rejected, condition::cancelled, condition::suspended}) {
        CAPTURE(to_string(kind));
        scripted_model second{"from the second"};
        fallback model{scripted_model{failure(kind, "a")}, second};
        CHECK(model.complete(ask("q"), {}).error().kind == kind);
        CHECK(second.left() == 1);
    }
}

TEST_CASE("a request that was too long for one model may be short enough for another") {
    auto const too_long = failure(condition::rejected, "lkt.http.context-length");
    fallback model{scripted_model{too_long}, scripted_model{"read it all"}};
    CHECK(model.complete(ask("q"), {})->text == "read it all");
    fallback strict{fallback_policy{.context_length = false},
                    scripted_model{too_long},
                    scripted_model{"read it all"}};
    CHECK(strict.complete(ask("q"), {}).error().code == "lkt.http.context-length");
}

TEST_CASE("a policy of one's own") {
    fallback model{fallback_policy{.exhausted = false},
                   scripted_model{failure(condition::exhausted, "money"),
                                  failure(condition::transient, "busy")},
                   scripted_model{"x"}};
    CHECK(model.complete(ask("q"), {}).error().code == "money");
    CHECK(model.complete(ask("q"), {}).has_value());
}

TEST_CASE("when all fail, the failure that may pass is returned, and the others are named") {
    fallback model{scripted_model{failure(condition::transient, "a.busy")},
                   scripted_model{failure(condition::unavailable, "b.gone")},
                   scripted_model{failure(condition::exhausted, "c.money")}};
    auto const failed = model.complete(ask("q"), {}).error();
    CHECK(failed.code == "a.busy");
    CHECK(failed.kind == condition::transient);
    CHECK(failed.message == "it failed (other models failed too: b.gone, c.money)");
    fallback hopeless{scripted_model{failure(condition::unavailable, "a.gone")},
                      scripted_model{failure(condition::exhausted, "b.money")}};
    CHECK(hopeless.complete(ask("q"), {}).error().code == "b.money");
    fallback alone{scripted_model{failure(condition::unavailable, "a.gone")}};
    CHECK(alone.complete(ask("q"), {}).error().message == "it failed");
}

TEST_CASE("a listener hears the model that broke off, too") {
    struct breaking {
        result<chat_reply> complete(chat_request const&, call_context const& c) {
            if (c.on_text) c.on_text("half a ");
            return failure(condition::transient, "a.reset");
        }
    };
    fallback model{breaking{}, scripted_model{"whole"}};
    std::string seen;
    auto const reply = model.complete(ask("q"), {{}, [&](std::string_view t) { seen += t; }});
    CHECK(reply->text == "whole");
    CHECK(seen == "half a whole");
}

TEST_CASE("of a batch the next model gets what failed") {
    struct half : archetypes::full {
        result<chat_reply> one(chat_request const& r) {
            auto const& text = r.messages.back().text;
            if (text == "wrong") return failure(condition::rejected, "a.wrong");
            if (text == "hard") return failure(condition::transient, "a.busy");
            return archetypes::reply("first: " + text);
        }
        std::vector<result<chat_reply>> complete_all(std::span<chat_request const> rs,
                                                     call_context const&) {
            std::vector<result<chat_reply>> all;
            for (auto const& r : rs) all.push_back(one(r));
            return all;
        }
    };
    int batches = 0;
    fallback model{half{}, archetypes::full{&batches}};
    std::vector<chat_request> const asked{ask("hard"), ask("wrong"), ask("easy")};
    auto const replies = model.complete_all(asked, {});
    CHECK(replies[0].value().text == "re: hard");
    CHECK(replies[1].error().code == "a.wrong");
    CHECK(replies[2].value().text == "first: easy");
    CHECK(batches == 1);
    fallback both{half{}, half{}};
    CHECK(both.complete_all(asked, {})[0].error().message ==
          "it failed (other models failed too: a.busy)");
}

TEST_CASE("it says who may answer") {
    CHECK(fallback{scripted_model{"a"}, archetypes::full{}, scripted_model{"b"}}.description() ==
          "replies of a script, else replies of a script");
}

TEST_CASE("attempts at all models are counted, and the shortest wait is handed on") {
    using std::chrono::milliseconds;
    auto const later = [](int ms, int attempts) {
        error e = failure(condition::transient, "a.busy");
        e.retry_after = milliseconds(ms);
        e.attempts = attempts;
        return e;
    };
    fallback failing{scripted_model{later(700, 4)}, scripted_model{later(900, 2)}};
    auto const failed = failing.complete(ask("q"), {}).error();
    CHECK(failed.attempts == 6);
    CHECK(failed.retry_after == milliseconds(700));
    fallback soon{scripted_model{later(700, 1)},
                  scripted_model{failure(condition::transient, "b.busy")}};
    CHECK_FALSE(soon.complete(ask("q"), {}).error().retry_after.has_value());
    fallback second{scripted_model{later(700, 4)}, scripted_model{"here"}};
    CHECK(second.complete(ask("q"), {})->requests == 5);
    fallback refused{scripted_model{later(700, 4)},
                     scripted_model{failure(condition::rejected, "b.no")}};
    CHECK(refused.complete(ask("q"), {}).error().attempts == 5);
}
