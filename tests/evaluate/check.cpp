// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/check.hpp>

#include <lkt/evaluate/evaluation.hpp>
#include <lkt/evaluate/standard_checks.hpp>

#include <doctest/doctest.h>

#include "../support/prepared_state.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace {

/// Refuses what it is told to, and counts how often it is asked.
struct planted {
    static constexpr lkt::verdict gives[] = {lkt::verdict::crashed};
    static constexpr lkt::check_description about{"planted",
                                                  lkt::check_cost::launches,
                                                  lkt::moment::finalist | lkt::moment::verification,
                                                  gives};
    int* asked;
    lkt::result<std::optional<lkt::failure>> run(lkt::check_call& call) const {
        ++*asked;
        call.note("looked at");
        return std::optional<lkt::failure>(lkt::crashed{"planted", {}});
    }
};
struct no_check {};

} // namespace

static_assert(lkt::acceptance_check<planted>);
static_assert(!lkt::acceptance_check<no_check>);
static_assert(lkt::checks_to_pass<lkt::standard_checks>);
static_assert(!lkt::checks_to_pass<planted>);

TEST_CASE("moments are sets") {
    constexpr auto two = lkt::moment::proposal | lkt::moment::confirmation;
    CHECK(two.contains(lkt::moment::proposal));
    CHECK(two.contains(lkt::moment::confirmation));
    CHECK_FALSE(two.contains(lkt::moment::finalist));
    CHECK((two | lkt::moment::finalist).contains(lkt::moment::finalist));
}

TEST_CASE("every cost and every moment has a name of its own") {
    std::vector<std::string_view> names;
    for (int k = 0; k < 5; ++k) names.push_back(to_string(static_cast<lkt::check_cost>(k)));
    for (auto const when : lkt::every_moment) names.push_back(to_string(when));
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    CHECK(std::find(names.begin(), names.end(), "unknown") == names.end());
}

TEST_CASE("a check of the user's stands behind the standard ones, with its own state") {
    int asked = 0;
    auto const list = lkt::standard_checks{} + planted{&asked};
    lkt::checks_ref const checks(list);
    REQUIRE(checks.size() == 9);
    CHECK(checks.about(0).name == "text");
    CHECK(checks.about(8).name == "planted");

    lkt_test::fake_gpu gpu([](auto const&, auto const&) { return lkt_test::behaviour{}; });
    lkt::no_model nobody;
    lkt_test::bare_tools tools{gpu, nobody};
    auto const s = lkt_test::prepared_state(lkt_test::tunable_problem(), tools);
    lkt::evaluation e({lkt::gpu_ref(gpu), s.task, s.device, s.tests, {}, {}, checks});
    lkt::check_call call{.when = lkt::moment::finalist, .in = e, .kernel = s.baseline.kernel};
    auto const wrong = checks.run(8, call);
    REQUIRE(wrong.value());
    CHECK(asked == 1);
    CHECK(call.notes == std::vector<std::string>{"looked at"});
}
