// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/progress_event.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

TEST_CASE("Every activity has a name of its own") {
    std::set<std::string> names;
    for (auto a : {lkt::activity::testing_reference,
                   lkt::activity::timing_baseline,
                   lkt::activity::asking_model,
                   lkt::activity::trying_configurations,
                   lkt::activity::measuring_finalists,
                   lkt::activity::checking_finalist,
                   lkt::activity::profiling,
                   lkt::activity::answering,
                   lkt::activity::confirming,
                   lkt::activity::verifying,
                   lkt::activity::deciding})
        names.emplace(to_string(a));
    CHECK(names.size() == 11);
    CHECK_FALSE(names.contains("unknown"));
}
