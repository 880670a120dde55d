// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/step_ledger.hpp>

#include <doctest/doctest.h>

#include <string>

static_assert(lkt::step_list_fields<lkt::explicit_state>);
static_assert(!lkt::step_list_fields<lkt::tuning_state>);

TEST_CASE("A ledger begins with the library's list, and finds steps and their records") {
    lkt::explicit_state s;
    CHECK(s.ledger.steps == lkt::default_steps());
    CHECK(s.max_selections() == 16);
    REQUIRE(s.ledger.find("prefetching") != nullptr);
    CHECK(s.ledger.find("prefetching")->depends_on.front() == "use_shared_mem");
    CHECK(s.ledger.find("nothing") == nullptr);
    CHECK(s.ledger.record_of("prefetching") == nullptr);
    s.ledger.records.emplace_back().id = "prefetching";
    CHECK(s.ledger.record_of("prefetching") == &s.ledger.records[0]);
}

TEST_CASE("Outcomes are named as notes print them") {
    CHECK(std::string(to_string(lkt::step_outcome::no_gain)) == "no-gain");
    CHECK(std::string(to_string(lkt::step_outcome::unmet)) == "unmet");
}
