// SPDX-License-Identifier: BSL-1.0
#include <lkt/nodes/ending.hpp>

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("Several attempts end as the best of them") {
    using lkt::ending;
    lkt::attempt_record open, failed, slower, faster;
    failed.outcome = lkt::failure(lkt::compile_failed{"no", {}});
    slower.outcome = lkt::no_improvement{};
    faster.outcome = lkt::improvement{};
    auto const end = [](std::vector<lkt::attempt_record> all) {
        return lkt::detail::best_ending(all);
    };
    CHECK(end({}) == ending::nothing);
    CHECK(end({open, failed}) == ending::nothing);
    CHECK(end({failed, slower, open}) == ending::correct);
    CHECK(end({slower, faster, failed}) == ending::improved);
    CHECK(end({faster}) == ending::improved);

    using rejected = std::vector<lkt::rejected_attempt>;
    lkt::rejected_attempt wrong{"", lkt::failure(lkt::compile_failed{"no", {}}), ""};
    lkt::rejected_attempt slow{"", lkt::no_improvement{}, ""};
    CHECK(lkt::detail::best_ending(rejected{wrong}) == ending::nothing);
    CHECK(lkt::detail::best_ending(rejected{slow, wrong}) == ending::correct);
}
