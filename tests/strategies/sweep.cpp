// SPDX-License-Identifier: BSL-1.0
#include <lkt/strategies/sweep.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>

#include "../support/prepared_state.hpp"

using namespace lkt_test;

namespace {

lkt::no_model nobody;

lkt::result<lkt::outcome_of<lkt::sweep<>>>
swept(fake_gpu& gpu, lkt::tuning_state& s, lkt::problem task = tunable_problem()) {
    bare_tools tools{gpu, nobody};
    s = prepared_state(std::move(task), tools);
    return lkt::run<lkt::sweep<>>(s, tools);
}

} // namespace

TEST_CASE("The best configuration of the kernel as it stands is found against the default") {
    fake_gpu gpu([](std::string const&, lkt::configuration const& c) {
        behaviour b;
        b.time = lkt::seconds(integer(c, "BLOCK") == 16 ? 0.5e-3 : 1e-3);
        return b;
    });
    lkt::tuning_state s;
    auto const end = swept(gpu, s);
    REQUIRE(end.has_value());
    CHECK(std::holds_alternative<lkt::tuned>(*end));
    CHECK(integer(s.best.config, "BLOCK") == 16);
    CHECK(integer(s.baseline.config, "BLOCK") == 32);
    CHECK(s.history.back().configurations.size() == 3);
    CHECK(s.usage.calls == 0);
}

TEST_CASE("A default that is the fastest stays, and so does one that alone works") {
    fake_gpu gpu([](std::string const&, lkt::configuration const& c) {
        behaviour b;
        b.time = lkt::seconds(integer(c, "BLOCK") == 32 ? 0.5e-3 : 1e-3);
        return b;
    });
    lkt::tuning_state s;
    auto const end = swept(gpu, s);
    REQUIRE(end.has_value());
    CHECK(std::holds_alternative<lkt::unchanged>(*end));
    CHECK(integer(s.best.config, "BLOCK") == 32);

    fake_gpu picky([](std::string const&, lkt::configuration const& c) {
        behaviour b;
        b.wrong = integer(c, "BLOCK") != 32;
        return b;
    });
    auto const alone = swept(picky, s);
    REQUIRE(alone.has_value());
    CHECK(std::holds_alternative<lkt::unchanged>(*alone));

    auto const nothing_to_tune = swept(gpu, s, twice_problem());
    REQUIRE(nothing_to_tune.has_value());
    CHECK(std::holds_alternative<lkt::unchanged>(*nothing_to_tune));
}

TEST_CASE("Configurations of equal speed are no improvement") {
    fake_gpu gpu([](std::string const&, lkt::configuration const&) { return behaviour{}; });
    lkt::tuning_state s;
    for (int i = 0; i < 20; ++i) {
        auto const end = swept(gpu, s);
        REQUIRE(end.has_value());
        CHECK(std::holds_alternative<lkt::unchanged>(*end));
    }
}
