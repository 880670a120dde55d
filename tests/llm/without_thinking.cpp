// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/without_thinking.hpp>

#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"

#include <string>
#include <string_view>
#include <vector>

using namespace lkt;
using archetypes::ask;

static_assert(chat_model<thinking_apart<scripted_model>>);
static_assert(!batch_chat_model<thinking_apart<scripted_model>>);
static_assert(batch_chat_model<thinking_apart<archetypes::full>>);
static_assert(chat_model<thinking_apart<archetypes::minimal&>>);

namespace {

std::vector<thinking_tags> const own{{"<reasoning>", "</reasoning>"}};

} // namespace

TEST_CASE("it obeys the laws") {
    auto model = without_thinking(archetypes::full{}, own);
    obeys_the_laws(model);
    auto plain = without_thinking(
        scripted_model(std::vector<scripted_turn>(answers_needed, "<reasoning>a</reasoning>b")),
        own);
    obeys_the_laws(plain);
    CHECK(describe(model) == describe(archetypes::full{}));
}

TEST_CASE("reasoning is kept for the record, and not shown") {
    auto model = without_thinking(scripted_model{"<reasoning>hm</reasoning>\nyes",
                                                 "<think>hm</think>yes",
                                                 "hm\n</reasoning>\nyes",
                                                 "<reasoning>hm"},
                                  own);
    std::string seen;
    call_context const context{{}, [&](std::string_view text) { seen += text; }};
    for (std::string const answer : {"yes", "yes", "yes", ""}) {
        seen.clear();
        auto const reply = model.complete(ask("q"), context);
        REQUIRE(reply.has_value());
        CHECK(reply->text == answer);
        CHECK(reply->reasoning == "hm");
        CHECK(seen == answer);
    }
    CHECK_FALSE(model.complete(ask("q"), context).has_value()); // the script is over
}

TEST_CASE("what the model told apart is kept too") {
    struct half {
        result<chat_reply> complete(chat_request const&, call_context const&) {
            chat_reply reply;
            reply.text = "<reasoning>then</reasoning>yes";
            reply.reasoning = "first";
            return reply;
        }
    };
    CHECK(without_thinking(half{}, own).complete(ask("q"), {})->reasoning == "first\nthen");
}

TEST_CASE("tags that are none are the error of each call") {
    auto model = without_thinking(archetypes::full{}, {{"", "</a>"}});
    REQUIRE(model.defect().has_value());
    CHECK(model.complete(ask("q"), {}).error().code == "lkt.llm.thinking-tags");
    std::vector<chat_request> const two(2, ask("q"));
    for (auto const& reply : model.complete_all(two, {}))
        CHECK(reply.error().code == "lkt.llm.thinking-tags");
}
