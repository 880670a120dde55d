// SPDX-License-Identifier: BSL-1.0
#include <lkt/evaluate/standard_checks.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

TEST_CASE("cheap checks come first, and each says when it runs and what it can find") {
    lkt::standard_checks const list;
    lkt::checks_ref const checks(list);
    std::vector<std::string_view> names;
    for (std::size_t k = 0; k < checks.size(); ++k) {
        auto const& about = checks.about(k);
        names.push_back(about.name);
        if (k > 0) CHECK(checks.about(k - 1).cost <= about.cost);
        CHECK(about.when.contains(lkt::moment::verification)); // nothing is left out there
        CHECK_FALSE(about.verdicts.empty());
        CHECK(std::find(about.verdicts.begin(), about.verdicts.end(), lkt::verdict::accepted) ==
              about.verdicts.end());
    }
    CHECK(names == std::vector<std::string_view>{"text",
                                                 "tests",
                                                 "launches",
                                                 "properties",
                                                 "thresholds",
                                                 "checked",
                                                 "coverage",
                                                 "configurations"});
}

TEST_CASE("a configuration that does not compile or cannot be launched harms nobody") {
    CHECK(lkt::cannot_run(lkt::compile_failed{"no", {}}));
    CHECK(lkt::cannot_run(lkt::launch_failed{"too many threads"}));
    CHECK_FALSE(lkt::cannot_run(lkt::crashed{"segmentation fault", {}}));
    CHECK_FALSE(lkt::cannot_run(lkt::timed_out{lkt::seconds(1), "launch"}));
}
