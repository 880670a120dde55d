// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/builder.hpp>

#include <doctest/doctest.h>

#include "support.hpp"

using namespace lkt_test;

TEST_CASE("a trial knows its kernel, configuration and geometry") {
    evaluation_scene c([](auto const&, auto const&) { return behaviour{}; });
    auto const t = c.trial(16);
    CHECK(t.kernel == &c.kernel);
    CHECK(integer(t.config, "BLOCK") == 16);
    CHECK(t.dimensions.block.x == 16);
    CHECK(t.dimensions.grid.x == 4);
    CHECK(t.time.empty());
    CHECK_FALSE(t.failed);
    CHECK(std::get<lkt::trial>(c.build(16, true)).compiled.checked);
}

TEST_CASE("geometry beyond the device is a failure, and nothing is compiled") {
    evaluation_scene c([](auto const&, auto const&) { return behaviour{}; });
    c.s.device.max_threads_per_block = 32;
    c.gpu.log.clear();
    auto const outcome = c.build(64);
    REQUIRE(std::holds_alternative<lkt::failure>(outcome));
    CHECK(std::holds_alternative<lkt::launch_failed>(std::get<lkt::failure>(outcome)));
    CHECK(c.gpu.log.empty());
}

TEST_CASE("what the compiler says of the kernel is a failure, what ends the run an error") {
    behaviour bad;
    evaluation_scene c([&](auto const&, auto const&) { return bad; });
    bad.compile = lkt::compile_failed{"no", {}};
    CHECK(std::holds_alternative<lkt::failure>(c.build(16)));
    bad = {};
    bad.world = lkt::error{lkt::condition::unavailable, "fake", "gone", {}};
    CHECK(c.in.builder.build(c.kernel, c.declared, {{{"BLOCK", std::int64_t{16}}}}).has_error());
}
