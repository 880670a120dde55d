// SPDX-License-Identifier: BSL-1.0
#include <lkt/scan/simulated_engine.hpp>

#include <doctest/doctest.h>

namespace {

lkt::gemm_spec square(std::int64_t n, lkt::gemm_type type = lkt::gemm_type::f16) {
    return lkt::gemm_spec::make({.m = n, .n = n, .k = n, .type = type}).value();
}

} // namespace

TEST_CASE("simulated_engine: the same seed gives the same numbers, below the roof") {
    lkt::simulated_engine a, b, other({.seed = 2});
    auto const first = a.measure(square(4096)), second = b.measure(square(4096));
    REQUIRE(first.has_value());
    REQUIRE(first->instances.size() == 6);
    (void)a.measure(square(64));
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(first->instances[i].time == second->instances[i].time);
        CHECK(first->instances[i].time != other.measure(square(4096))->instances[i].time);
        CHECK(first->instances[i].time >
              roofline_of(square(4096), lkt::accelerator_called("MI300X").value()).least());
        CHECK(first->instances[i].iterations == 100);
    }
}

TEST_CASE("simulated_engine: unsupported instances, refused types, a stop, settings") {
    lkt::simulated_engine engine({.settings = {.iterations = 7, .verify = false}});
    auto const odd = engine.measure(square(100));
    CHECK(odd->unsupported == 4);
    CHECK(odd->instances[0].iterations == 7);
    CHECK(odd->instances[0].verdict == lkt::scan_verdict::unchecked);
    CHECK(engine.refuses(square(64, lkt::gemm_type::int4)).find("int4") != std::string::npos);
    CHECK(engine.measure(square(64, lkt::gemm_type::int4)).error().code == "lkt.scan.refused");
    std::stop_source stop;
    stop.request_stop();
    CHECK(engine.measure(square(64), {stop.get_token(), {}}).error().kind ==
          lkt::condition::cancelled);
}

TEST_CASE(
    "simulated_engine: convolutions as matrix products, element-wise operations as memory is") {
    lkt::simulated_engine engine;
    auto const device = lkt::accelerator_called("MI300X").value();
    auto const conv = lkt::convolution_spec::make({.n = 8,
                                                   .c = 64,
                                                   .h = 28,
                                                   .w = 28,
                                                   .k = 64,
                                                   .r = 3,
                                                   .s = 3,
                                                   .type = lkt::gemm_type::f16})
                          .value();
    auto const found = engine.measure(conv);
    REQUIRE(found->instances.size() == 6);
    for (auto const& one : found->instances) CHECK(one.time > roofline_of(conv, device).least());
    auto const sum =
        lkt::elementwise_spec::make({.elements = 1'000'004, .type = lkt::gemm_type::int4});
    auto const roof = roofline_of(*sum, device);
    CHECK(roof.memory_bound());
    CHECK_FALSE(roof.type.has_value());     // matrix units add nothing to anything
    auto const sums = engine.measure(*sum); // whatever they have units for
    CHECK(sums->instances.size() == 3);
    CHECK(sums->unsupported == 1); // vectors of 8
    for (auto const& one : sums->instances) CHECK(one.time > roof.least());
    // Much arithmetic takes its time, too, in vector units.
    auto const long_one = lkt::elementwise_spec::make({.elements = 1 << 20,
                                                       .inputs = 1,
                                                       .flops = 10'000,
                                                       .function = lkt::elementwise_function::other,
                                                       .type = lkt::gemm_type::f16});
    for (auto const& one : engine.measure(*long_one)->instances)
        CHECK(long_one->operations() / one.time < device.rate(lkt::gemm_type::f32));
}
