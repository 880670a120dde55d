// SPDX-License-Identifier: BSL-1.0
// What an output holds before a launch: that of lkt::write_fill, byte for byte.
#include "../../support.hpp"
#include "support_cuda.hpp"

#include <lkt/gpu/fill.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <set>

TEST_CASE("device fills: what no kernel has written is what write_fill writes") {
    support::trial t;
    t.text = "__global__ void idle(float* y) { if (gridDim.x > 1000000) y[0] = 1; }";
    t.grid = {1};
    t.block = {64};
    t.arguments = {support::out<float>(700'001)};
    t.launches = 40;
    t.keep.clear();
    for (int k = 0; k < t.launches; ++k) t.keep.push_back(k);
    auto const outcome = support::run(support::shared_cuda(), t);
    REQUIRE(std::holds_alternative<lkt::run_report>(outcome));
    auto const& report = std::get<lkt::run_report>(outcome);
    auto const secrets = lkt::secret_of(t.seed);
    std::set<lkt::fill_kind> kinds;
    REQUIRE(report.kept.size() == 40);
    for (auto const& kept : report.kept) {
        auto const kind = lkt::fill_of_launch(
            secrets, kept.launch, 0, {.certain = kept.launch == 0, .nans = true});
        std::vector<std::byte> wanted(kept.outputs.at(0).bytes.size());
        lkt::write_fill(
            wanted, kind, lkt::fill_key(secrets, kept.launch, 0), lkt::scalar_type::float32);
        CHECK(std::memcmp(wanted.data(), kept.outputs[0].bytes.data(), wanted.size()) == 0);
        kinds.insert(kind);
    }
    CHECK(kinds.size() == 4);
}
