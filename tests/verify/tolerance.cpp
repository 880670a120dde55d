// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/tolerance.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/draw.hpp>

#include "fake_backend.hpp"

#include <functional>
#include <limits>
#include <vector>

namespace {

using lkt::scalar_type;

std::vector<double> drawn(scalar_type t, std::size_t count, std::uint32_t argument) {
    lkt::argument_data data{{t, 1}, true, std::vector<std::byte>(count * lkt::size_of(t))};
    REQUIRE(lkt::draw(data, lkt::uniform{-1, 1}, {}, {5, 0, argument}).has_value());
    std::vector<double> values;
    for (std::size_t k = 0; k < count; ++k) values.push_back(lkt::lane_as_double(data, k));
    return values;
}

lkt::argument_data as_output(scalar_type t, std::vector<double> const& values) {
    lkt::argument_data data{{t, 1}, true, std::vector<std::byte>(values.size() * lkt::size_of(t))};
    for (std::size_t k = 0; k < values.size(); ++k) lkt::detail::store_real(data, k, values[k]);
    return data;
}

bool accepted(scalar_type t, std::vector<double> const& expected, std::vector<double> const& got) {
    auto const e = as_output(t, expected), g = as_output(t, got);
    return !lkt::find_mismatch(e, g, lkt::default_tolerance(t, lkt::mean_magnitude(e)));
}

using rounding = std::function<double(double)>;
rounding to(scalar_type t) {
    return [t](double v) { return lkt::detail::rounded_to(t, v); };
}
/// Ten mantissa bits below the leading one, as tensor cores take float32 inputs.
double to_tf32(double v) {
    int exponent = 0;
    double const m = std::frexp(v, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(m, 11)), exponent - 11);
}

/// `outputs` dot products of length `k`: inputs through `in`, every sum through `sum`; in order,
/// or in `parts` interleaved parts that are added at the end.
std::vector<double> dot_products(std::vector<double> const& a,
                                 std::vector<double> const& b,
                                 std::size_t outputs,
                                 std::size_t k,
                                 std::size_t parts,
                                 rounding const& in,
                                 rounding const& sum) {
    std::vector<double> results;
    for (std::size_t o = 0; o < outputs; ++o) {
        double total = 0;
        for (std::size_t p = 0; p < parts; ++p) {
            double partial = 0;
            for (std::size_t i = p; i < k; i += parts)
                partial = sum(partial + sum(in(a[o * k + i]) * in(b[o * k + i])));
            total = sum(total + partial);
        }
        results.push_back(total);
    }
    return results;
}

} // namespace

TEST_CASE("the scale of an output is the mean of its finite magnitudes") {
    double const inf = std::numeric_limits<double>::infinity();
    CHECK(lkt::mean_magnitude(as_output(scalar_type::float32, {1, -3, inf, std::nan("")})) == 2);
    CHECK(lkt::mean_magnitude(as_output(scalar_type::float64, {inf})) == 0);
    double const huge = std::numeric_limits<double>::max();
    CHECK(lkt::mean_magnitude(as_output(scalar_type::float64, {huge, huge})) == huge);
}

TEST_CASE("integers and booleans are exact, a user's bound wins, a bad one is an error") {
    CHECK(lkt::default_tolerance(scalar_type::int32, 100) == lkt::tolerance{0, 0});
    CHECK(lkt::default_tolerance(scalar_type::boolean, 100) == lkt::tolerance{0, 0});
    auto task = test::doubling_problem();
    auto const expected = as_output(scalar_type::float32, {2, 2});
    CHECK(lkt::tolerance_for(task, 1, expected).value() == lkt::tolerance{0x1p-16, 0x1p-12});
    task.arguments[1].bound = lkt::tolerance{0.5, 0};
    CHECK(lkt::tolerance_for(task, 1, expected).value() == lkt::tolerance{0.5, 0});
    for (lkt::tolerance bad : {lkt::tolerance{-1, 0}, lkt::tolerance{0, std::nan("")}}) {
        task.arguments[1].bound = bad;
        auto const bound = lkt::tolerance_for(task, 1, expected);
        REQUIRE(!bound.has_value());
        CHECK(bound.error().message == "the tolerance of output `y` is negative or not a number");
    }
}

TEST_CASE("NaN stands for NaN, an infinity for the same infinity") {
    double const inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
    lkt::tolerance const loose{1, 1e300};
    CHECK(lkt::within(loose, nan, nan));
    CHECK_FALSE(lkt::within(loose, nan, 1));
    CHECK_FALSE(lkt::within(loose, 1, nan));
    CHECK(lkt::within(loose, inf, inf));
    CHECK_FALSE(lkt::within(loose, inf, -inf));
    CHECK_FALSE(lkt::within(loose, 1, inf));
    CHECK_FALSE(lkt::within({1, inf}, inf, 1));
    CHECK(lkt::within({0, 0}, 0.0, -0.0));
    CHECK(lkt::within({0.1, 0}, -10, -10.9));
    CHECK_FALSE(lkt::within({0.1, 0}, -10, -11.1));
}

TEST_CASE("a sum in another order is right; one in a narrower type is wrong") {
    struct row {
        scalar_type type;
        std::size_t k;
        scalar_type narrower;
    };
    for (row r : {row{scalar_type::float32, 16, scalar_type::float16},
                  row{scalar_type::float32, 256, scalar_type::float16},
                  row{scalar_type::float32, 4096, scalar_type::bfloat16},
                  row{scalar_type::float64, 256, scalar_type::float32},
                  row{scalar_type::float64, 4096, scalar_type::float32}}) {
        CAPTURE(lkt::to_string(r.type));
        CAPTURE(r.k);
        std::size_t const outputs = 64;
        auto const a = drawn(r.type, outputs * r.k, 0), b = drawn(r.type, outputs * r.k, 1);
        auto const own = to(r.type), narrow = to(r.narrower);
        auto const expected = dot_products(a, b, outputs, r.k, 1, own, own);
        CHECK(accepted(r.type, expected, dot_products(a, b, outputs, r.k, 8, own, own)));
        CHECK(accepted(r.type, expected, dot_products(a, b, outputs, r.k, 61, own, own)));
        // Only the inputs rounded, as tensor cores do it: the mildest way of cheating.
        CHECK_FALSE(accepted(r.type, expected, dot_products(a, b, outputs, r.k, 1, narrow, own)));
        CHECK_FALSE(
            accepted(r.type, expected, dot_products(a, b, outputs, r.k, 1, narrow, narrow)));
        if (r.type == scalar_type::float32)
            CHECK_FALSE(
                accepted(r.type, expected, dot_products(a, b, outputs, r.k, 1, to_tf32, own)));
        // A last tenth of the terms left out.
        CHECK_FALSE(
            accepted(r.type, expected, dot_products(a, b, outputs, r.k - r.k / 10, 1, own, own)));
    }
}

TEST_CASE("half outputs may differ by a step, or by an accumulator of another width") {
    std::size_t const outputs = 64, k = 256;
    for (scalar_type t : {scalar_type::float16, scalar_type::bfloat16}) {
        CAPTURE(lkt::to_string(t));
        auto const a = drawn(t, outputs * k, 0), b = drawn(t, outputs * k, 1);
        auto const wide = to(scalar_type::float32);
        auto const expected = dot_products(a, b, outputs, k, 1, wide, wide);
        CHECK(accepted(t, expected, dot_products(a, b, outputs, k, 8, wide, wide)));
        // Inputs with three fraction bits, as in fp8.
        auto const fp8 = [](double v) {
            int exponent = 0;
            double const m = std::frexp(v, &exponent);
            return std::ldexp(std::nearbyint(std::ldexp(m, 4)), exponent - 4);
        };
        CHECK_FALSE(accepted(t, expected, dot_products(a, b, outputs, k, 1, fp8, wide)));
    }
}

TEST_CASE("element-wise work in a narrower type is wrong, a fast approximation is right") {
    auto const x = drawn(scalar_type::float32, 1000, 0);
    std::vector<double> expected, half, approximate, zero(x.size()), constant;
    double mean = 0;
    for (double v : x) mean += 1 / (1 + std::exp(-v)) / 1000;
    for (double v : x) {
        double const y = 1 / (1 + std::exp(-v));
        expected.push_back(y);
        half.push_back(lkt::detail::rounded_to(scalar_type::float16, y));
        approximate.push_back(y * (1 + 0x1p-20)); // a few units in the last place
        constant.push_back(mean);
    }
    CHECK(accepted(scalar_type::float32, expected, approximate));
    CHECK_FALSE(accepted(scalar_type::float32, expected, half));
    CHECK_FALSE(accepted(scalar_type::float32, expected, zero));
    CHECK_FALSE(accepted(scalar_type::float32, expected, constant));
}
