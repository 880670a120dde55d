// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/gpu_backend.hpp>

#include <doctest/doctest.h>

#include "archetypes.hpp"

#include <algorithm>
#include <set>
#include <vector>

TEST_CASE("gpu_backend: the archetype is one, and each broken archetype is none") {
    CHECK(lkt::gpu_backend<archetype::backend>);
    CHECK(!lkt::gpu_backend<archetype::no_device>);
    CHECK(!lkt::gpu_backend<archetype::device_without_result>);
    CHECK(!lkt::gpu_backend<archetype::device_without_context>);
    CHECK(!lkt::gpu_backend<archetype::no_compile>);
    CHECK(!lkt::gpu_backend<archetype::compile_without_outcome>);
    CHECK(!lkt::gpu_backend<archetype::no_run>);
    CHECK(!lkt::gpu_backend<archetype::run_without_outcome>);
    CHECK(!lkt::gpu_backend<archetype::run_without_context>);
    CHECK(!lkt::gpu_backend<int>);
}

TEST_CASE("batch_gpu_backend: the archetype is one, and each broken archetype is none") {
    CHECK(lkt::batch_gpu_backend<archetype::batches>);
    CHECK(!lkt::batch_gpu_backend<archetype::backend>);
    CHECK(!lkt::batch_gpu_backend<archetype::no_compile_all>);
    CHECK(!lkt::batch_gpu_backend<archetype::one_result_for_all>);
    CHECK(!lkt::batch_gpu_backend<archetype::no_runs_at_once>);
}

TEST_CASE("gpu_backend: copies of a compiled kernel share what was compiled") {
    auto freed = std::make_shared<bool>(false);
    struct token {
        std::shared_ptr<bool> freed;
        ~token() { *freed = true; }
    };
    lkt::compiled_kernel first{{}, false, {}, std::make_shared<token const>(freed)};
    {
        auto const second = first;
        first = {};
        CHECK(!*freed);
        CHECK(second.handle != nullptr);
    }
    CHECK(*freed);
}

TEST_CASE("gpu_backend: one of each ten launches is kept, and nobody foresees which") {
    std::set<int> first, later;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        auto const keep = lkt::launches_to_keep(seed, 6, 36);
        REQUIRE(keep.size() == 4); // one of six, then one of ten each
        CHECK(std::is_sorted(keep.begin(), keep.end()));
        CHECK(keep[0] < 6);
        for (int k = 1; k < 4; ++k) {
            CHECK(keep[static_cast<std::size_t>(k)] >= 6 + 10 * (k - 1));
            CHECK(keep[static_cast<std::size_t>(k)] < 6 + 10 * k);
        }
        first.insert(keep[0]);
        later.insert(keep[1]);
    }
    CHECK(first.size() == 6);
    CHECK(later.size() == 10);
    CHECK(lkt::launches_to_keep(7, 1, 1) == std::vector<int>{0});
    CHECK(lkt::launches_to_keep(7, 40, 40).size() == 4);
    CHECK(lkt::launches_to_keep(7, 5, 3).back() < 3);
    CHECK(lkt::launches_to_keep(1, 30, 30) == lkt::launches_to_keep(1, 30, 30));
}

TEST_CASE("gpu_backend: launches draw their sets of arguments") {
    for (int launch = -3; launch < 3; ++launch) CHECK(lkt::set_of_launch(5, launch, 1) == 0);
    std::vector<int> times(3, 0);
    int repeated = 0;
    for (int launch = 0; launch < 3000; ++launch) {
        auto const set = lkt::set_of_launch(5, launch, 3);
        REQUIRE(set < 3);
        ++times[set];
        repeated += set == lkt::set_of_launch(5, launch + 1, 3);
    }
    for (int const n : times) CHECK(n > 850);
    CHECK(repeated > 850); // in no order that could be learnt
    CHECK(repeated < 1150);
    bool differs = false;
    for (int launch = 0; launch < 64; ++launch)
        differs = differs || lkt::set_of_launch(5, launch, 3) != lkt::set_of_launch(6, launch, 3);
    CHECK(differs);
}
