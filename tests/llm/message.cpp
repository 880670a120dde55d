// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/message.hpp>

#include <doctest/doctest.h>

TEST_CASE("roles have names, messages compare by role and text") {
    CHECK(lkt::to_string(lkt::role::system) == "system");
    CHECK(lkt::to_string(lkt::role::user) == "user");
    CHECK(lkt::to_string(lkt::role::assistant) == "assistant");
    lkt::conversation const talk{{lkt::role::system, "be brief"}, {lkt::role::user, "hello"}};
    CHECK((talk[0] == lkt::message{lkt::role::system, "be brief"}));
    CHECK_FALSE((talk[1] == lkt::message{lkt::role::assistant, "hello"}));
    CHECK(lkt::message{}.role == lkt::role::user);
}
