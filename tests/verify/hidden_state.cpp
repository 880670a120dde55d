// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/hidden_state.hpp>

#include <doctest/doctest.h>

namespace {

lkt::compiled_kernel keeping(std::optional<std::uint64_t> bytes) {
    lkt::compiled_kernel k;
    k.writable_bytes = bytes;
    return k;
}

} // namespace

TEST_CASE("hidden state: variables that the original has not are refused") {
    auto const why = lkt::hidden_state(keeping(0), keeping(8));
    REQUIRE(why.has_value());
    CHECK(lkt::verdict_of(*why) == lkt::verdict::stateful);
    CHECK(lkt::describe(*why).find("8 B") != std::string::npos);
    CHECK(!lkt::hidden_state(keeping(0), keeping(0)));
    CHECK(!lkt::hidden_state(keeping(4), keeping(8))); // the original keeps some, too
}

TEST_CASE("hidden state: what is unknown, or allowed, is left alone") {
    CHECK(!lkt::hidden_state(keeping({}), keeping(8)));
    CHECK(!lkt::hidden_state(keeping(0), keeping({})));
    lkt::static_policy lenient;
    lenient.state = lkt::static_severity::warning;
    CHECK(!lkt::hidden_state(keeping(0), keeping(8), lenient));
}
