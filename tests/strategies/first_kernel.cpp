// SPDX-License-Identifier: BSL-1.0
// tests/lkt_tune/test_operations.py runs it on real back ends.
#include <lkt/strategies/first_kernel.hpp>

#include <doctest/doctest.h>

#include <lkt/graph/run.hpp>

#include <type_traits>
#include <variant>

TEST_CASE("It ends with a kernel, or gives up") {
    using ends = lkt::outcome_of<lkt::first_kernel<>>;
    CHECK(std::is_same_v<ends, std::variant<lkt::gave_up, lkt::written>>);
}
