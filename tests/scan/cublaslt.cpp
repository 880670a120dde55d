// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/cublaslt.hpp>

#include <doctest/doctest.h>

#include <lkt/scan/cublaslt/product_service.hpp>

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

namespace {

using lkt::gemm_draft;
using lkt::gemm_type;
using lkt::matrix_layout;
using lkt::scan_verdict;

/// On a stand-in for the driver and the library: see tests/scan/stand_in.
lkt::cublaslt_engine engine(lkt::cublaslt_options options = {}) {
    options.library = LKT_FAKE_CUBLASLT;
    options.settings.iterations = std::min(options.settings.iterations, 4);
    options.settings.warm_ups = 1;
    return lkt::cublaslt_engine(std::move(options),
                                {.environment = {"LKT_CUDA_DRIVER=" LKT_FAKE_CUBLASLT}});
}

lkt::gemm_spec spec(gemm_draft const& d) { return lkt::gemm_spec::make(d).value(); }

lkt::scanned_instance const* instance(lkt::scanned_product const& p, std::string const& algorithm) {
    for (auto const& one : p.instances)
        if (one.name.starts_with("algo=" + algorithm + " ")) return &one;
    return nullptr;
}

/// That the three algorithms which can run are judged rightly.
void check_judged(lkt::scanned_product const& p) {
    REQUIRE(p.instances.size() == 3);
    CHECK(instance(p, "0")->verdict == scan_verdict::wrong);
    CHECK(instance(p, "1")->verdict == scan_verdict::correct);
    CHECK(instance(p, "2")->verdict == scan_verdict::correct);
}

} // namespace

TEST_CASE("cublaslt: every algorithm of the heuristics, timed, judged, named") {
    auto lt = engine();
    auto const found = lt.measure(spec({.m = 33, .n = 20, .k = 50, .type = gemm_type::f16}));
    REQUIRE(found.has_value());
    check_judged(*found);
    CHECK(found->device == "Fake GPU A");
    CHECK(found->unsupported == 3); // one says so, one when it starts, one lacks memory
    auto const* const best = instance(*found, "2");
    CHECK(best->name ==
          "algo=2 tile=1 stages=6 split_k=2 reduction=3 swizzle=4 custom=5 inner=7 cluster=8");
    CHECK(best->time.count() == doctest::Approx(5e-6));
    CHECK(best->least->count() == doctest::Approx(5e-6));
    CHECK(best->deviation->count() == doctest::Approx(0).epsilon(1e-9));
    CHECK(best->iterations == 4);
    CHECK(best->workspace.count == 64);
    REQUIRE(best->again.has_value());
    CHECK_FALSE(best->differs());
    CHECK_FALSE(instance(*found, "0")->again.has_value());
    REQUIRE(found->remarks.size() == 2);
    CHECK(found->remarks[0] == "cuBLASLt 13.1.0");
    CHECK(found->remarks[1].find("algo=0") == 0);
    CHECK(found->remarks[1].find("element (32, 19) is ") != std::string::npos);
}

TEST_CASE("cublaslt: every epilogue, with a bias along the lines of C, whatever its type") {
    auto lt = engine();
    for (auto const layout : {matrix_layout::row, matrix_layout::column})
        for (auto const& epilogue : lkt::every_gemm_epilogue) {
            CAPTURE(epilogue.name);
            auto const found = lt.measure(spec({.m = 9,
                                                .n = 12,
                                                .k = 7,
                                                .batch = 2,
                                                .c = layout,
                                                .alpha = 0.5,
                                                .beta = 0.5,
                                                .epilogue = epilogue.epilogue}));
            REQUIRE(found.has_value());
            check_judged(*found);
        }
    // C is not read, and yet must not be D where D is fp8: there is no C of fp8.
    for (auto const& [type, output] : {std::pair(gemm_type::fp8, gemm_type::fp8),
                                       {gemm_type::fp8, gemm_type::f32},
                                       {gemm_type::f16, gemm_type::f16},
                                       {gemm_type::int8, gemm_type::int8}}) {
        CAPTURE(to_string(type));
        auto const found = lt.measure(spec({.m = 9,
                                            .n = 12,
                                            .k = 7,
                                            .type = type,
                                            .output = output,
                                            .epilogue = lkt::gemm_epilogue::bias}));
        REQUIRE(found.has_value());
        check_judged(*found);
    }
}

TEST_CASE("hipblaslt: the same engine, over HIP's runtime and hipBLASLt's own numbers") {
    lkt::cublaslt_options options;
    options.which = lkt::lt_library::hipblaslt;
    options.library = LKT_HIPBLASLT_ON_CUBLASLT;
    options.settings.iterations = 4;
    auto const on = [&](lkt::cublaslt_options const& o) {
        return lkt::cublaslt_engine(o,
                                    {.environment = {"LKT_HIP=" LKT_HIP_ON_CUDA,
                                                     "LKT_CUDA_DRIVER=" LKT_FAKE_CUBLASLT,
                                                     "LKT_CUBLASLT=" LKT_FAKE_CUBLASLT}});
    };
    auto lt = on(options);
    CHECK(lt.name() == "hipblaslt");
    auto const setup = lt.setup();
    REQUIRE(setup.has_value());
    CHECK(setup->device == "Fake GPU A");
    CHECK(setup->settings.ends_with(" hipblaslt=1.1.2"));
    for (auto const type : {gemm_type::f64, gemm_type::tf32, gemm_type::bf16, gemm_type::int8}) {
        CAPTURE(to_string(type));
        auto const found = lt.measure(spec({.m = 9,
                                            .n = 12,
                                            .k = 70,
                                            .batch = 2,
                                            .type = type,
                                            .a = matrix_layout::column,
                                            .alpha = 1.5,
                                            .beta = 0.5,
                                            .stride_c = 14,
                                            .epilogue = lkt::gemm_epilogue::relu_bias}));
        REQUIRE(found.has_value());
        REQUIRE(found->instances.size() == 3);
        CHECK(found->unsupported == 3);
        CHECK(found->remarks[0] == "hipBLASLt 1.1.2");
        // An algorithm has a number, and nothing else that says what it is.
        CHECK(found->instances[1].name.starts_with("algo="));
        CHECK(found->instances[1].name.find(' ') == std::string::npos);
        CHECK(found->instances[0].verdict == scan_verdict::wrong);
        CHECK(found->instances[1].verdict == scan_verdict::correct);
        CHECK(found->instances[2].verdict == scan_verdict::correct);
    }
    auto const refused = lt.measure(spec({.m = 19, .n = 12, .k = 7}));
    CHECK(refused->remarks[0].find("hipBLASLt refuses this product") == 0);
    options.library = "/nowhere/libhipblaslt.so";
    CHECK(on(options).setup().error().code == "lkt.scan.hipblaslt");
    options.device = "7";
    CHECK(on(options).setup().error().code == "lkt.hip.device");
}

TEST_CASE("cublaslt: types, layouts, factors, batches and strides") {
    auto lt = engine();
    for (auto const type : {gemm_type::f64,
                            gemm_type::f32,
                            gemm_type::tf32,
                            gemm_type::f16,
                            gemm_type::bf16,
                            gemm_type::fp8,
                            gemm_type::int8}) {
        CAPTURE(to_string(type));
        auto const found = lt.measure(spec({.m = 9, .n = 12, .k = 70, .type = type}));
        REQUIRE(found.has_value());
        check_judged(*found);
    }
    for (int layouts = 0; layouts < 8; ++layouts) {
        CAPTURE(layouts);
        auto const layout = [&](int bit) {
            return (layouts & bit) != 0 ? matrix_layout::column : matrix_layout::row;
        };
        auto const found = lt.measure(spec({.m = 5,
                                            .n = 12,
                                            .k = 7,
                                            .batch = 3,
                                            .a = layout(1),
                                            .b = layout(2),
                                            .c = layout(4),
                                            .alpha = 1.5,
                                            .beta = -2,
                                            .stride_a = 20,
                                            .stride_b = 21,
                                            .stride_c = 22}));
        REQUIRE(found.has_value());
        check_judged(*found);
    }
    // An output of another type.
    auto const wide = lt.measure(
        spec({.m = 5, .n = 12, .k = 7, .type = gemm_type::fp8, .output = gemm_type::f32}));
    REQUIRE(wide.has_value());
    check_judged(*wide);
}

TEST_CASE("cublaslt: the wrong element of a first result is found by the others") {
    auto lt = engine();
    auto const found = lt.measure(spec({.m = 29,
                                        .n = 512,
                                        .k = 64,
                                        .type = gemm_type::f32,
                                        .output = {},
                                        .a = matrix_layout::row,
                                        .b = matrix_layout::row,
                                        .c = matrix_layout::column}));
    REQUIRE(found.has_value());
    REQUIRE(found->instances.size() == 3);
    CHECK(instance(*found, "6")->verdict == scan_verdict::wrong);
    CHECK(instance(*found, "1")->verdict == scan_verdict::correct);
    CHECK(instance(*found, "2")->verdict == scan_verdict::correct);
}

TEST_CASE("cublaslt: what it does not do, and what of it fails, is of one product") {
    lkt::cublaslt_options options;
    options.settings.time_limit = lkt::seconds{0.2};
    auto lt = engine(options);
    auto const sized = [&](std::int64_t m) {
        return lt.measure(spec({.m = m, .n = 4, .k = 4, .type = gemm_type::f16}));
    };
    CHECK(sized(13).error().code == "lkt.scan.cublaslt-failed"); // the process ends
    CHECK(sized(8).has_value());                                 // and another one goes on
    CHECK(sized(23).error().code == "lkt.scan.cublaslt-failed"); // the device breaks
    CHECK(sized(8).has_value());
    auto const refused = sized(19);
    REQUIRE(refused.has_value());
    CHECK(refused->instances.empty());
    CHECK(refused->remarks[0] == "cuBLASLt refuses this product: CUBLAS_STATUS_NOT_SUPPORTED");
    auto const fp8 = lt.measure(spec({.m = 19, .n = 4, .k = 4, .type = gemm_type::fp8}));
    REQUIRE(fp8.has_value());
    CHECK(fp8->remarks[0].find("only with --layout rcr or rcc") != std::string::npos);
    CHECK_FALSE(lt.refuses(spec({.m = 1, .n = 1, .k = 1, .type = gemm_type::int4})).empty());
    CHECK_FALSE(
        lt.refuses(spec({.m = 1, .n = 1, .k = 1, .type = gemm_type::fp8, .beta = 1})).empty());
}

TEST_CASE("cublaslt: the device that was named, and no other in its place") {
    auto const product = spec({.m = 4, .n = 4, .k = 4, .type = gemm_type::f16});
    auto const second = engine({.device = "1"}).measure(product);
    REQUIRE(second.has_value());
    CHECK(second->device == "Fake GPU B");
    for (char const* none : {"2", "-1", "GPU-1", "1x"}) {
        CAPTURE(none);
        auto const found = engine({.device = none}).measure(product);
        REQUIRE_FALSE(found.has_value());
        CHECK(found.error().code == "lkt.cuda.device");
    }
}

TEST_CASE("cublaslt: a product that hangs, or that nobody waits for") {
    lkt::cublaslt_options options;
    options.settings.time_limit = lkt::seconds{0.1};
    auto lt = engine(options);
    auto const hangs = spec({.m = 17, .n = 4, .k = 4, .type = gemm_type::f16});
    std::stop_source stop;
    std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        stop.request_stop();
    });
    CHECK(lt.measure(hangs, {stop.get_token(), {}}).error().kind == lkt::condition::cancelled);
}

TEST_CASE("cublaslt: without driver or library there is a message, and no second try") {
    auto const product = spec({.m = 4, .n = 4, .k = 4});
    lkt::cublaslt_engine nothing({}, {.environment = {"LKT_CUDA_DRIVER=/nowhere/libcuda.so"}});
    auto const no_driver = nothing.measure(product);
    CHECK(no_driver.error().kind == lkt::condition::unavailable);
    CHECK(no_driver.error().code == "lkt.cuda.driver");
    lkt::cublaslt_engine other({.library = "/nowhere/libcublasLt.so"},
                               {.environment = {"LKT_CUDA_DRIVER=" LKT_FAKE_CUBLASLT}});
    CHECK(other.measure(product).error().code == "lkt.scan.cublaslt");
    lkt::cublaslt_engine wrong({.library = "libm.so.6"},
                               {.environment = {"LKT_CUDA_DRIVER=" LKT_FAKE_CUBLASLT}});
    CHECK(wrong.measure(product).error().message.find("has no cublasLtGetVersion") !=
          std::string::npos);
}
