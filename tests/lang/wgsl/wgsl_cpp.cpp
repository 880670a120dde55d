// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/wgsl/wgsl_cpp.hpp>

#include <doctest/doctest.h>

TEST_CASE("a translation waits for nobody unless it says so") {
    lkt::wgsl_cpp const made{"void lkt_entry() {}", "", "lkt_entry"};
    CHECK_FALSE(made.waits);
    CHECK_FALSE(made.atomics);
    CHECK_FALSE(made.subgroups);
}
