// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/scan_page.hpp>

#include <doctest/doctest.h>

#include <cstdio>

#include <lkt/scan/simulated_engine.hpp>

TEST_CASE(
    "scan_page: one page, complete in itself, with the roof and its ridge; data are escaped") {
    lkt::simulated_engine engine;
    auto const device = lkt::accelerator_called("MI300X").value();
    lkt::scan_table table;
    for (std::int64_t const m : {1, 4096})
        for (std::int64_t const n : {64, 4096}) {
            auto const spec =
                lkt::gemm_spec::make({.m = m, .n = n, .k = 4096, .type = lkt::gemm_type::f16})
                    .value();
            auto found = engine.measure(spec).value();
            found.instances[0].name = "<script>alert('&\"')</script>";
            found.instances[0].time /= 2; // the best
            auto rows = lkt::rows_of("simulated", spec, found, "", &device);
            table.insert(table.end(), rows.begin(), rows.end());
        }
    auto const page = scan_page(table, device);
    CHECK(page.find("<script") == std::string::npos);
    CHECK(page.find("&lt;script&gt;alert(&#39;&amp;&quot;&#39;)") != std::string::npos);
    CHECK(page.find("http") == std::string::npos);
    CHECK(page.find("ridge at 246.7") != std::string::npos);
    CHECK(page.find("class=\"roof\" d=\"M") != std::string::npos);
    CHECK(page.find("nan") == std::string::npos);
    auto const count = [&](std::string_view word) {
        std::size_t n = 0;
        for (auto at = page.find(word); at != page.npos; at = page.find(word, at + 1)) ++n;
        return n;
    };
    CHECK(count("<circle") == 4);
    CHECK(count("<rect x=") == 4);
    CHECK(count("class=\"bar\"") == 4);
    CHECK(count("<svg") == count("</svg>"));
    CHECK(lkt::scan_page({}).find("Nothing was measured") != std::string::npos);
    // One product alone has the whole roof: its slope, the ridge and what follows.
    auto const alone = scan_page(
        lkt::filter(table, [&](auto const& row) { return row.spec == table.front().spec; }),
        device);
    double x[3] = {}, y[3] = {};
    REQUIRE(std::sscanf(alone.c_str() + alone.find("class=\"roof\" d=\"M"),
                        "class=\"roof\" d=\"M%lf %lf L%lf %lf L%lf %lf",
                        &x[0],
                        &y[0],
                        &x[1],
                        &y[1],
                        &x[2],
                        &y[2]) == 6);
    CHECK(x[0] < x[1]);
    CHECK(x[1] < x[2]);
    CHECK(y[0] > y[1]); // downwards is more
    CHECK(y[1] == y[2]);
    CHECK(lkt::scan_page(table).find("ridge") == std::string::npos);
}

TEST_CASE("scan_page: a part for each operation; element-wise ones have memory's roof alone") {
    lkt::simulated_engine engine;
    auto const device = lkt::accelerator_called("MI300X").value();
    lkt::scan_table table;
    for (lkt::scan_spec const& spec :
         {lkt::scan_spec(lkt::elementwise_spec::make({.elements = 1 << 20}).value()),
          lkt::scan_spec(lkt::convolution_spec::make(
                             {.n = 1, .c = 16, .h = 8, .w = 8, .k = 32, .r = 3, .s = 3})
                             .value()),
          lkt::scan_spec(lkt::gemm_spec::make({.m = 64, .n = 64, .k = 64}).value())})
        for (auto& row : lkt::rows_of("simulated", spec, engine.measure(spec).value(), "", &device))
            table.push_back(std::move(row));
    auto const page = scan_page(table, device);
    auto const products = page.find("<h2>Matrix products, f32</h2>"),
               images = page.find("<h2>Convolutions, f32</h2>"),
               sums = page.find("<h2>Element-wise operations, f32</h2>");
    REQUIRE(sums != page.npos);
    CHECK(products < images);
    CHECK(images < sums);
    CHECK(page.find("Heat map over C and K", images) < sums);
    CHECK(page.find("Heat map over inputs and elements", sums) != page.npos);
    CHECK(page.find("class=\"roof\" d=", sums) != page.npos);
    CHECK(page.find("ridge", sums) == page.npos);
    CHECK(page.find("nan") == page.npos);
}
