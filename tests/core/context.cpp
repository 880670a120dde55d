// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/context.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("an empty context cannot be stopped and has no listener") {
    lkt::call_context const c;
    CHECK_FALSE(c.stop.stop_possible());
    CHECK_FALSE(static_cast<bool>(c.on_text));
}

TEST_CASE("a context carries a stop request and text") {
    std::stop_source source;
    std::string received;
    lkt::call_context const c{source.get_token(), [&](std::string_view t) { received += t; }};
    c.on_text("a");
    c.on_text("b");
    CHECK(received == "ab");
    CHECK_FALSE(c.stop.stop_requested());
    source.request_stop();
    CHECK(c.stop.stop_requested());
}
