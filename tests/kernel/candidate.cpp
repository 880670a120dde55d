// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/candidate.hpp>

#include <doctest/doctest.h>

TEST_CASE("candidates compare by all that they hold") {
    lkt::candidate a;
    a.source.text = "__global__ void k() {}";
    a.parameters = {{"BLOCK", {std::int64_t{32}}}};
    a.restrictions = {lkt::expression::parse("BLOCK > 0").value()};
    lkt::candidate b = a;
    CHECK(a == b);
    b.launch.block[0] = lkt::expression::parse("BLOCK").value();
    CHECK_FALSE(a == b);
    b = a;
    b.parameters[0].values.emplace_back(std::int64_t{64});
    CHECK_FALSE(a == b);
}
