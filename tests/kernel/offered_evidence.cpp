// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/offered_evidence.hpp>

#include <doctest/doctest.h>

TEST_CASE("An offer is empty where nothing can be asked") {
    lkt::evidence_offer offer;
    CHECK(offer.empty());
    offer.counters.push_back({"reads", "bytes", ""});
    CHECK_FALSE(offer.empty());
    lkt::evidence_offer other;
    other.code = "SASS";
    CHECK_FALSE(other.empty());
}
