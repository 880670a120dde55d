// SPDX-License-Identifier: BSL-1.0
#include <lkt/tuner/tuning_outcome.hpp>

#include <doctest/doctest.h>

namespace {

lkt::measurement seven(double s) {
    lkt::measurement m;
    m.samples.assign(7, lkt::seconds(s));
    return m;
}

} // namespace

TEST_CASE("Improved means that another kernel or configuration was accepted and kept") {
    lkt::tuning_outcome out;
    out.baseline.kernel.source.text = "a";
    out.baseline.time = seven(3e-3);
    out.best = out.baseline;
    CHECK_FALSE(out.improved());
    CHECK(out.speedup() == 1);
    out.history.emplace_back().outcome = lkt::improvement{seven(3e-3), seven(1e-3)};
    CHECK_FALSE(out.improved()); // it gave way to the original when it was confirmed
    out.best.kernel.source.text = "b";
    out.best.time = seven(1e-3);
    CHECK(out.improved());
    CHECK(out.speedup() == doctest::Approx(3));
    out.best = out.baseline;
    out.best.config.values = {{"BLOCK", std::int64_t{8}}};
    CHECK(out.improved());
}
