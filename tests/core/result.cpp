// SPDX-License-Identifier: BSL-1.0
#include <lkt/core/result.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

lkt::result<int> half(int n) {
    if (n % 2 != 0) return lkt::error{lkt::condition::rejected, "lkt.test.odd", "odd", "double it"};
    return n / 2;
}

lkt::result<int> quarter(int n) {
    auto r = half(n);
    if (!r) return r.error();
    return half(*r);
}

} // namespace

TEST_CASE("a result holds a value or an error, and passes errors on") {
    CHECK(quarter(12).value() == 3);
    auto const failed = quarter(6);
    REQUIRE(failed.has_error());
    CHECK(failed.error().code == "lkt.test.odd");
}

TEST_CASE("reading a value that is not there throws the error's text") {
    try {
        (void)half(3).value();
        FAIL("no exception");
    } catch (lkt::bad_result const& e) {
        CHECK(std::string(e.what()) == "odd [lkt.test.odd]\n  double it");
        CHECK(e.why.kind == lkt::condition::rejected);
    }
}

TEST_CASE("a result without a value says only whether it went well") {
    lkt::result<void> const good{};
    lkt::result<void> const bad = lkt::cancelled("it");
    CHECK(good.has_value());
    CHECK(bad.has_error());
}
