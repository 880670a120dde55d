// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/scan_query.hpp>

#include <doctest/doctest.h>

#include <lkt/scan/simulated_engine.hpp>

namespace {

lkt::scan_table table() {
    lkt::simulated_engine engine;
    auto const device = lkt::accelerator_called("MI300X").value();
    lkt::scan_table all;
    for (std::int64_t const m : {1024, 128})
        for (auto const type : {lkt::gemm_type::f16, lkt::gemm_type::fp8}) {
            auto const spec =
                lkt::gemm_spec::make({.m = m, .n = 256, .k = 256, .type = type}).value();
            for (auto& row : lkt::rows_of("simulated",
                                          spec,
                                          engine.measure(spec).value(),
                                          "",
                                          m == 128 ? nullptr : &device,
                                          {"", "s=1"}))
                all.push_back(std::move(row));
        }
    return all;
}

} // namespace

TEST_CASE("scan_query: rows by a condition over any field; what is not known meets none") {
    auto const all = table();
    auto const best = lkt::rows_where(all, "best and type == 'f16' and m >= 1024").value();
    REQUIRE(best.size() == 1);
    CHECK(best[0].spec.gemm()->m() == 1024);
    CHECK(lkt::rows_where(all, "True")->size() == all.size());
    // The roof of the small ones is not known.
    auto const below = lkt::rows_where(all, "roof_share < 10")->size();
    CHECK(below == lkt::rows_where(all, "m == 1024")->size());
    CHECK(lkt::rows_where(all, "not roof_share < 10")->empty());
    for (auto const& [name, value] : lkt::record_fields(all[0]))
        if (value)
            CHECK_FALSE(lkt::rows_where(all, name + " == " + lkt::value_text(*value))->empty());
}

TEST_CASE("scan_query: a condition that cannot be is an error, and names what was meant") {
    auto const all = table();
    auto const field = lkt::rows_where(all, "typ == 'f16'").error();
    CHECK(field.code == "lkt.scan.field");
    CHECK(field.message.find("did you mean type?") != std::string::npos);
    CHECK(lkt::rows_where({}, "nothing").error().code == "lkt.scan.field");
    CHECK(lkt::rows_where(all, "type ==").error().code == "lkt.expression.parse");
    CHECK(lkt::rows_where(all, "type < 3").error().code == "lkt.expression.evaluate");
    CHECK(lkt::group_by_fields(all, {"m", "nn"}).error().code == "lkt.scan.field");
}

TEST_CASE("scan_query: groups by fields, numbers in their order") {
    auto const all = table();
    auto const groups = lkt::group_by_fields(all, {"m", "type"}).value();
    REQUIRE(groups.groups.size() == 4);
    CHECK(groups.groups[0].values[0] == lkt::parameter_value(std::int64_t{128}));
    CHECK(groups.groups[3].values[0] == lkt::parameter_value(std::int64_t{1024}));
    std::size_t rows = 0;
    for (auto const& g : groups.groups) rows += g.summary.rows;
    CHECK(rows == all.size());
    auto const text = to_markdown(groups);
    CHECK(text.starts_with("| m | type | rows | least | mean |"));
    CHECK(text.find("\n| 128 | f16 | ") != std::string::npos);
}
