// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/branch_coverage.hpp>

#include <doctest/doctest.h>

TEST_CASE("coverage of branches, as a line of a report") {
    CHECK(to_string(lkt::branch_coverage{}) == "the branches were not watched");
    lkt::branch_coverage seen{0, {}, ""};
    CHECK(to_string(seen) == "the text has no branches");
    seen.branches = 20;
    CHECK(to_string(seen) == "all 20 were reached");
    seen.unreached = {{7, "a", false}, {7, "a", false}, {9, "b", true}};
    CHECK(to_string(seen) ==
          "3 of 20 were reached by no test: line 7, line 9 (as the original has it)");
    for (int line = 10; line < 20; ++line) seen.unreached.push_back({line, "", false});
    CHECK(to_string(seen).ends_with(", line 15, ..."));
}

TEST_CASE("Branches that no test reaches are named with their text, unless the original has them") {
    lkt::branch_coverage seen{20, {}, ""};
    CHECK(own_unreached(seen).empty());
    seen.unreached = {{9, "if (n < 0) return;", true}};
    CHECK(own_unreached(seen).empty());
    seen.unreached.push_back({7, "    if (sum == 77) ++sum;", false});
    seen.unreached.push_back({7, "    if (sum == 77) ++sum;", false});
    CHECK(own_unreached(seen) == "no test reaches a branch of line 7 (`if (sum == 77) ++sum;`)");
    seen.unwatched = 3;
    CHECK(own_unreached(seen) == "no test that was watched (3 larger ones were not) reaches a "
                                 "branch of line 7 (`if (sum == 77) ++sum;`)");
    CHECK(to_string(seen) == "3 of 20 were reached by no test of those that were watched (3 larger "
                             "ones were not): line 9 (as the original has it), line 7");
    for (int line = 10; line < 20; ++line) seen.unreached.push_back({line, "x", false});
    CHECK(own_unreached(seen).ends_with(", of line 12 (`x`), ..."));
}
