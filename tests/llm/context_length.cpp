// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/context_length.hpp>

#include <doctest/doctest.h>

TEST_CASE("a refusal for its length is told from others by its code") {
    using lkt::condition;
    CHECK(
        lkt::exceeds_context({condition::rejected, "lkt.http.context-length", "8192 at most", {}}));
    for (char const* other : {"lkt.http.bad-request", "lkt.http.request-too-large", "lkt.http", ""})
        CHECK_FALSE(lkt::exceeds_context({condition::rejected, other, "context length", {}}));
}
