// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/cublaslt/product_service.hpp>

#include <doctest/doctest.h>

#include <string_view>

TEST_CASE("cublaslt service: requests and answers travel whole, and what is cut off is none") {
    using namespace lkt::cublaslt_detail;
    product_request request{.product = {.m = 3, .n = 4, .k = 5, .output = lkt::gemm_type::f64},
                            .options = {}};
    request.options.library = "a";
    request.options.seed = 9;
    auto const bytes = pack(request);
    auto const back = unpack_request(bytes);
    REQUIRE(back.has_value());
    CHECK(pack(*back) == bytes);
    lkt::scanned_product product;
    product.instances.push_back({.name = "a", .time = lkt::seconds{1}, .again = lkt::seconds{2}});
    product.remarks = {"b", "c"};
    auto const answer = pack(product);
    REQUIRE(unpack_product(answer).has_value());
    CHECK(pack(*unpack_product(answer)) == answer);
    for (std::size_t n = 0; n < answer.size(); ++n)
        CHECK_FALSE(unpack_product(std::string_view(answer).substr(0, n)).has_value());
    CHECK_FALSE(unpack_request(std::string_view(bytes).substr(1)).has_value());
    auto const setup = unpack_setup(pack(lkt::scan_setup{"a", "b"}));
    REQUIRE(setup.has_value());
    CHECK(setup->settings == "b");
    CHECK_FALSE(unpack_setup("a").has_value());
    CHECK(serve_setup({"?", {}}).error().code == "lkt.worker.protocol");
    // Nor is it a product that cannot be.
    request.product.m = 0;
    CHECK(serve_product({pack(request), {}}).error().code == "lkt.worker.protocol");
    CHECK(serve_product({"?", {}}).error().code == "lkt.worker.protocol");
}
