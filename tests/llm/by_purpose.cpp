// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/by_purpose.hpp>

#include <lkt/llm/request_key.hpp>
#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"

#include <vector>

using namespace lkt;
using archetypes::ask;

static_assert(chat_model<by_purpose<scripted_model, archetypes::minimal&>>);
static_assert(!batch_chat_model<by_purpose<archetypes::full, scripted_model>>);
static_assert(batch_chat_model<by_purpose<archetypes::full, archetypes::full>>);

namespace {

chat_request review(std::string text) {
    auto r = ask(std::move(text));
    r.purpose = purpose::review;
    return r;
}

} // namespace

TEST_CASE("it obeys the laws") {
    by_purpose model{archetypes::full{}, archetypes::full{}};
    obeys_the_laws(model);
}

TEST_CASE("reviews go to the second model, all else to the first") {
    scripted_model writer{"a kernel", "another"}, reviewer{"a judgement"};
    by_purpose model{writer, reviewer};
    CHECK(model.complete(ask("write"), {})->text == "a kernel");
    CHECK(model.complete(review("judge"), {})->text == "a judgement");
    CHECK(model.complete(ask("write"), {})->text == "another");
    CHECK(model.complete(review("judge"), {}).error().code == "lkt.script.over");
    CHECK(writer.requests().size() == 2);
    CHECK(model.description() == "replies of a script, reviewed by replies of a script");
}

TEST_CASE("a batch is split among them, and the replies keep their places") {
    int writes = 0, reviews = 0;
    by_purpose model{archetypes::full{&writes}, archetypes::full{&reviews}};
    std::vector<chat_request> const batch{review("a"), ask("b"), review("c")};
    auto const replies = model.complete_all(batch, {});
    REQUIRE(replies.size() == 3);
    CHECK(replies[0]->text == "re: a");
    CHECK(replies[1]->text == "re: b");
    CHECK(replies[2]->text == "re: c");
    CHECK(writes == 1);
    CHECK(reviews == 1);
}

TEST_CASE("the purpose is no part of what was asked") {
    CHECK(request_key(ask("q")) == request_key(review("q")));
    CHECK(canonical(review("q")) == ask("q"));
}
