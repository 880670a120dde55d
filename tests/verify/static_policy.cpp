// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/static_policy.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string_view>

TEST_CASE("Each rule has a code of its own and a severity of its own") {
    std::set<std::string_view> codes;
    for (std::size_t k = 0; k < lkt::static_rule_codes.size(); ++k) {
        auto const rule = static_cast<lkt::static_rule>(k);
        CHECK(lkt::code_of(rule).starts_with("lkt.static."));
        codes.insert(lkt::code_of(rule));
        CHECK(lkt::static_policy{}.of(rule) != lkt::static_severity::off);
        CHECK(lkt::static_policy::all(lkt::static_severity::off).of(rule) ==
              lkt::static_severity::off);
    }
    CHECK(codes.size() == lkt::static_rule_codes.size());
    CHECK(lkt::code_of(lkt::static_rule::size_constant) == "lkt.static.size_constant");
    lkt::static_policy strict;
    strict.print = lkt::static_severity::error;
    CHECK(strict.of(lkt::static_rule::print) == lkt::static_severity::error);
    strict.set(lkt::static_rule::print, lkt::static_severity::off);
    CHECK(strict.print == lkt::static_severity::off);
    CHECK(strict.of(lkt::static_rule::precision) == lkt::static_severity::warning);
}

TEST_CASE("Each rule says what a text that breaks it is rejected as") {
    CHECK(verdict_of(lkt::static_rule::state) == lkt::verdict::stateful);
    CHECK(verdict_of(lkt::static_rule::replay) == lkt::verdict::replay_cache);
    CHECK(verdict_of(lkt::static_rule::clock) == lkt::verdict::timing_aware);
    CHECK(verdict_of(lkt::static_rule::deferred) == lkt::verdict::deferred);
    CHECK(verdict_of(lkt::static_rule::fake_tuning) == lkt::verdict::fake_tuning);
    CHECK(verdict_of(lkt::static_rule::include) == lkt::verdict::build_escape);
}
