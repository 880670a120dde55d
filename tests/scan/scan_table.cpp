// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/scan_table.hpp>

#include <doctest/doctest.h>

namespace {

lkt::gemm_spec spec(std::int64_t m) {
    return lkt::gemm_spec::make({.m = m, .n = 8, .k = 8}).value();
}

lkt::scan_table product(std::int64_t m, std::vector<double> const& times) {
    lkt::scanned_product found;
    for (double const t : times)
        found.instances.push_back({.name = "i" + std::to_string(found.instances.size()),
                                   .time = lkt::seconds{t},
                                   .verdict = lkt::scan_verdict::correct});
    return lkt::rows_of("test", spec(m), found, "2025-01-01T00:00:00Z", nullptr);
}

} // namespace

TEST_CASE("scan_table: exactly one best a product, and never a wrong one") {
    auto table = product(1, {3, 1, 1});
    auto const second = product(2, {5, 4});
    table.insert(table.end(), second.begin(), second.end());
    table[0].best = true; // as an engine may have marked it
    table[1].instance.verdict = lkt::scan_verdict::wrong;
    mark_best(table);
    auto const best = best_of(table);
    REQUIRE(best.size() == 2);
    CHECK(best[0].instance.name == "i2");
    CHECK(best[1].instance.name == "i1");
    for (auto& row : table) row.instance.verdict = lkt::scan_verdict::wrong;
    CHECK(best_of(table).empty());
}

TEST_CASE("scan_table: groups, filters, rates, shares") {
    auto table = product(1, {1, 2});
    table[0].status = lkt::scan_status::measured;
    CHECK(table[0].rate().count() == 128);
    CHECK(table[0].bandwidth().count() == 4 * (8 + 64 + 8));
    lkt::accelerator device;
    device.rates.fill(lkt::flop_rate(256));
    device.bandwidth = lkt::gigabyte_per_second;
    set_roofs(table, device);
    CHECK(table[0].share() == 0.5);
    CHECK_FALSE(table[0].memory_bound);
    auto const groups = group_by(table, [](lkt::scan_row const&) { return std::string("all"); });
    CHECK(groups.at("all").rows == 2);
    CHECK(groups.at("all").mean.count() == 96);
    CHECK(groups.at("all").deviation.count() == doctest::Approx(45.2548));
    CHECK(filter(table, [](lkt::scan_row const& r) { return r.best; }).size() == 1);
    auto const none = product(4, {});
    REQUIRE(none.size() == 1);
    CHECK(none[0].status == lkt::scan_status::refused);
    CHECK(none[0].rate().count() == 0);
}

TEST_CASE("scan_table: two runs") {
    auto before = product(1, {2, 1}), after = product(1, {0.5});
    auto const more = product(2, {1}), other = product(3, {1});
    before.insert(before.end(), more.begin(), more.end());
    after.insert(after.end(), other.begin(), other.end());
    auto const c = lkt::compare(before, after);
    REQUIRE(c.products.size() == 1);
    CHECK(c.products[0].speed_up() == 2);
    CHECK(c.mean_speed_up() == doctest::Approx(2));
    CHECK(c.only_before == std::vector<lkt::scan_spec>{spec(2)});
    CHECK(c.only_after == std::vector<lkt::scan_spec>{spec(3)});
    CHECK(lkt::compare({}, {}).mean_speed_up() == 0);
}
