// SPDX-License-Identifier: BSL-1.0
#include <lkt/llm/estimate_tokens.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("four bytes are a token, and what is begun counts") {
    static_assert(lkt::estimate_tokens("") == 0);
    static_assert(lkt::estimate_tokens("a") == 1);
    static_assert(lkt::estimate_tokens("four") == 1);
    static_assert(lkt::estimate_tokens("fours") == 2);
    CHECK(lkt::estimate_tokens(std::string(4000, 'x')) == 1000);
}
