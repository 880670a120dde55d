// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/verdict.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string_view>

TEST_CASE("each verdict has a name of its own") {
    std::set<std::string_view> const names(lkt::verdict_names.begin(), lkt::verdict_names.end());
    CHECK(names.size() == lkt::verdict_names.size());
    CHECK(to_string(lkt::verdict::accepted) == "accepted");
    CHECK(to_string(lkt::verdict::oob_read) == "oob-read");
    CHECK(to_string(lkt::verdict::oob_write) == "oob-write");
    CHECK(to_string(lkt::verdict::semantics) == "semantics");
    CHECK(to_string(lkt::verdict::fake_tuning) == "fake-tuning");
    CHECK(to_string(lkt::verdict::timing_invalid) == "timing-invalid");
    CHECK(to_string(lkt::verdict::no_configuration) == "no-configuration");
}
