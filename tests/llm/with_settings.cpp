// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/with_settings.hpp>

#include <lkt/llm/scripted.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"
#include "conformance.hpp"

#include <vector>

using namespace lkt;
using archetypes::ask;

static_assert(chat_model<with_settings<archetypes::minimal&>>);
static_assert(batch_chat_model<with_settings<archetypes::full>>);

TEST_CASE("it obeys the laws") {
    with_settings model{archetypes::full{}, {.temperature = 0.5}};
    obeys_the_laws(model);
}

TEST_CASE("a request gets what it leaves open, and keeps what it says") {
    sampling_settings const settings{.temperature = 0.5, .max_tokens = 100, .effort = effort::low};
    auto said = settings.applied_to(ask("a"));
    CHECK(said.temperature == 0.5);
    CHECK(said.max_tokens == 100);
    CHECK(said.effort == effort::low);
    auto own = ask("b");
    own.temperature = 0;
    own.max_tokens = 7;
    said = settings.applied_to(own);
    CHECK(said.temperature == 0);
    CHECK(said.max_tokens == 7);
    CHECK(sampling_settings{}.applied_to(own) == own);
}
