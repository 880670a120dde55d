// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/rebuild.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

using namespace lkt_test;

TEST_CASE("a kernel that worked is built again with its times, or is lost") {
    behaviour now;
    evaluation_scene c([&](auto const&, auto const&) { return now; });
    auto const again = lkt::rebuild(c.in, c.s.baseline, c.declared, "the original").value();
    CHECK(again.time.samples == c.s.baseline.time.samples);
    CHECK(again.config == c.s.baseline.config);
    now.compile = lkt::compile_failed{"no", {}};
    auto const lost = lkt::rebuild(c.in, c.s.baseline, c.declared, "the original");
    REQUIRE(lost.has_error());
    CHECK(lost.error().code == "lkt.evaluate.lost-kernel");
    CHECK(lost.error().message.starts_with("the original worked before but fails now: "));
}
