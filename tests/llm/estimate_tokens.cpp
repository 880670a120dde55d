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

TEST_CASE("a conversation has the tokens of its texts, and four a turn") {
    lkt::conversation const turns{{lkt::role::system, "four"}, {lkt::role::user, "fours"}};
    CHECK(lkt::estimate_tokens(turns) == 1 + 2 + 2 * 4);
    CHECK(lkt::estimate_tokens(lkt::conversation{}) == 0);
}
