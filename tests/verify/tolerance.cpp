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
    lkt::argument_data data{{t, 1}, true, lkt::byte_buffer(count * lkt::size_of(t))};
    REQUIRE(lkt::draw(data, lkt::uniform{-1, 1}, {}, {5, 0, argument}).has_value());
    std::vector<double> values;
    for (std::size_t k = 0; k < count; ++k) values.push_back(lkt::lane_as_double(data, k));
    return values;
}

lkt::argument_data as_output(scalar_type t, std::vector<double> const& values) {
    lkt::argument_data data{{t, 1}, true, lkt::byte_buffer(values.size() * lkt::size_of(t))};
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
    // Below the smallest normal number digits are lost; 0 is 0.
    CHECK(lkt::default_tolerance(scalar_type::float32, 0x1p-135).absolute == 0x1p-139);
    CHECK(lkt::default_tolerance(scalar_type::float32, 0).absolute == 0);
    auto task = test::doubling_problem();
    auto const expected = as_output(scalar_type::float32, {2, 2});
    CHECK(lkt::tolerance_for(task, 1, expected).value() == lkt::tolerance{0x1p-16, 0x1p-12});
    task.arguments[1].bound = lkt::tolerance{0.5, 0};
    CHECK(lkt::tolerance_for(task, 1, expected).value() == lkt::tolerance{0.5, 0});
    for (lkt::tolerance bad : {lkt::tolerance{-1, 0}, lkt::tolerance{0, std::nan("")}}) {
        task.arguments[1].bound = bad;
        auto const bound = lkt::tolerance_for(task, 1, expected);
        REQUIRE(!bound.has_value());
        CHECK(bound.error().message ==
              "the tolerance of output `y` is negative, infinite or not a number");
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

TEST_CASE("floats of 8 bits may differ by a step, and not as a whole") {
    for (scalar_type t : {scalar_type::float8_e4m3, scalar_type::float8_e5m2}) {
        CAPTURE(lkt::to_string(t));
        std::vector<double> exact, step, two;
        for (double const v : drawn(scalar_type::float32, 2000, 0)) {
            exact.push_back(4 * v);
            double const own = lkt::detail::rounded_to(t, 4 * v);
            step.push_back(lkt::detail::neighbour(t, own, 1));
            two.push_back(lkt::detail::neighbour(t, step.back(), 1));
        }
        CHECK(accepted(t, exact, step));
        CHECK_FALSE(accepted(t, exact, two));
        std::vector<double> truncated;
        for (double const v : exact) {
            double const near = lkt::detail::rounded_to(t, v);
            truncated.push_back(std::fabs(near) > std::fabs(v)
                                    ? lkt::detail::neighbour(t, near, v > 0 ? -1 : 1)
                                    : near);
        }
        auto const want = as_output(t, exact), got = as_output(t, truncated);
        CHECK(lkt::figures_of(want, got).rms > lkt::default_limits(t).rms);
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

TEST_CASE("the length of sums follows from sizes, and bounds grow with it beyond thousands") {
    auto const parse = [](char const* text) { return lkt::expression::parse(text).value(); };
    auto const length = [&](lkt::problem_size const& size, std::size_t inputs, double outputs) {
        auto task = test::doubling_problem();
        lkt::test_case test;
        test.size = size;
        lkt::argument_data in{{}, true, lkt::byte_buffer(inputs * 4)};
        test.arguments = {in, in, lkt::make_scalar<int>(scalar_type::int32, 1)};
        task.arguments[0].count = parse("N");
        return lkt::reduction_length(task, test, outputs);
    };
    CHECK(length({{"N", 1000000}}, 1000000, 1000000) == 1);               // element by element
    CHECK(length({{"N", 1000000}}, 1000000, 1) == 1000000);               // a sum of all
    CHECK(length({{"M", 64}, {"N", 32}, {"K", 500}}, 1000, 2048) == 500); // a product
    CHECK(length({{"ROWS", 64}, {"COLUMNS", 5000}}, 320000, 64) == 5000);
    CHECK(length({{"N", 64}}, 4096, 4096) == 1);
    CHECK(lkt::growth_of_bounds(1) == 1);
    CHECK(lkt::growth_of_bounds(4096) == 1);
    CHECK(lkt::growth_of_bounds(0x1p20) == 8);
}

TEST_CASE("what a problem says of an output decides how it is judged") {
    auto task = test::doubling_problem();
    lkt::test_case test;
    test.size = task.size;
    auto const x = as_output(scalar_type::float32, std::vector<double>(64, 1));
    test.arguments = {x, x, lkt::make_scalar<int>(scalar_type::int32, 64)};
    auto const bounds = [&] { return lkt::bounds_for(task, 1, test, x).value(); };
    auto const usual = bounds();
    CHECK(usual.element == lkt::tolerance{0x1p-16, 0x1p-13});
    CHECK(usual.whole == lkt::error_limits{0x1p-16, 0x1p-18, false});
    // Zeros have no scale: what is rounded beside the largest input has.
    test.arguments[0] = as_output(scalar_type::float32, std::vector<double>{1, -8});
    auto const zeros = as_output(scalar_type::float32, {0, 0});
    CHECK(lkt::bounds_for(task, 1, test, zeros).value().element.absolute == 8 * 0x1p-24);
    auto const wide = as_output(scalar_type::float64, {0, 0});
    CHECK(lkt::bounds_for(task, 1, test, wide).value().element.absolute == 8 * 0x1p-53);
    test.arguments[0] = x;
    task.properties.fast_math = true;
    CHECK(bounds().element == lkt::tolerance{0x1p-13, 0x1p-10});
    CHECK(bounds().whole.rms == 0x1p-13);
    task.properties = {};
    task.properties.compensated = true;
    CHECK(bounds().element.absolute < 0x1p-21);
    CHECK(bounds().whole.rms < 0x1p-21);
    task.properties = {};
    task.properties.propagates = true;
    CHECK(bounds().whole.nonfinite);
    task.arguments[1].bound = lkt::tolerance{1e-3, 0, 0.25};
    CHECK(bounds().element == lkt::tolerance{1e-3, 0, 0.25});
    CHECK_FALSE(bounds().whole.any());
    task.arguments[1].bound->share = 2;
    CHECK(lkt::bounds_for(task, 1, test, x).error().code == "lkt.verify.tolerance");
    task.arguments[1].bound.reset();
    task.arguments[1].scratch = true;
    CHECK(bounds().element.absolute == std::numeric_limits<double>::infinity());
    CHECK_FALSE(bounds().whole.any());
}

TEST_CASE("errors as a whole tell other inputs from another order, where single ones do not") {
    auto const t = scalar_type::float32;
    std::size_t const outputs = 128;
    auto const as_a_whole = [&](auto const& expected, auto const& got) {
        auto const e = as_output(t, expected), g = as_output(t, got);
        lkt::tolerance const loose{0, 1e6};
        return !lkt::judge_output(e, g, loose, lkt::default_limits(t));
    };
    for (bool positive : {false, true})
        for (std::size_t k : {16u, 256u, 4096u}) {
            CAPTURE(positive);
            CAPTURE(k);
            auto a = drawn(t, outputs * k, 0), b = drawn(t, outputs * k, 1);
            if (positive)
                for (std::size_t i = 0; i < a.size(); ++i)
                    a[i] = (a[i] + 1) / 2, b[i] = (b[i] + 1) / 2;
            auto const own = to(t);
            auto const expected = dot_products(a, b, outputs, k, 1, own, own);
            CHECK(as_a_whole(expected, dot_products(a, b, outputs, k, 8, own, own)));
            CHECK(as_a_whole(expected, dot_products(a, b, outputs, k, 61, own, own)));
            // Terms of one sign: the errors of their rounding cancel, but the sum's does not.
            if (positive) continue;
            auto const narrow = [](double v) { // to 13 bits
                int exponent = 0;
                double const m = std::frexp(v, &exponent);
                return std::ldexp(std::nearbyint(std::ldexp(m, 13)), exponent - 13);
            };
            auto const exact = [](double v) { return v; };
            auto const rounded = dot_products(a, b, outputs, k, 1, narrow, exact);
            CHECK_FALSE(as_a_whole(expected, rounded));
            CHECK_FALSE(as_a_whole(expected, dot_products(a, b, outputs, k, 1, to_tf32, own)));
        }
}

TEST_CASE("a plain sum is not a compensated one") {
    auto const t = scalar_type::float32;
    auto task = test::doubling_problem();
    task.properties.compensated = true;
    task.arguments[0].count = lkt::expression::parse("N").value();
    for (bool cancelling : {false, true}) {
        CAPTURE(cancelling);
        std::size_t const n = 4096;
        auto x = drawn(t, n, 0);
        for (std::size_t k = 0; k < n; ++k) x[k] = lkt::detail::rounded_to(t, (x[k] + 1) / 2);
        if (cancelling) // +v far from -v
            for (std::size_t k = 0; k < n / 4; ++k) {
                x[k] = lkt::detail::rounded_to(t, 1e4 * x[k]);
                x[n - 1 - k] = -x[k];
            }
        float plain = 0, sum = 0, lost = 0;
        double exact = 0;
        for (double v : x) {
            auto const f = static_cast<float>(v);
            plain += f;
            float const y = f - lost, next = sum + y;
            lost = (next - sum) - y;
            sum = next;
            exact += v;
        }
        lkt::test_case test;
        test.size = {{"N", static_cast<std::int64_t>(n)}};
        auto const expected = as_output(t, {exact});
        test.arguments = {as_output(t, x), expected, lkt::make_scalar<int>(scalar_type::int32, 1)};
        auto const bounds = lkt::bounds_for(task, 1, test, expected).value();
        CHECK(lkt::within(bounds.element, exact, sum));
        CHECK_FALSE(lkt::within(bounds.element, exact, plain));
    }
}
