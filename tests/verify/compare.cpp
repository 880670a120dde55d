// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/compare.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/detail/scalars.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using lkt::scalar_type;

template <class T>
lkt::argument_data buffer(scalar_type t, std::vector<T> const& values, unsigned lanes = 1) {
    return lkt::make_buffer<T>({t, lanes}, values);
}
lkt::argument_data reals(std::vector<float> const& values, unsigned lanes = 1) {
    return buffer(scalar_type::float32, values, lanes);
}
lkt::wrong_output described(lkt::argument_data const& expected,
                            lkt::argument_data const& got,
                            lkt::tolerance bound = {1e-6, 0}) {
    auto const m = lkt::find_mismatch(expected, got, bound);
    REQUIRE(m.has_value());
    return lkt::describe_mismatch(*m, expected, got, bound, {{"N", 4}});
}
bool ends_with(std::string const& text, std::string const& end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

} // namespace

TEST_CASE("every element counts: the first, the last, and any between") {
    std::vector<float> const right(1000, 1.0f);
    CHECK(!lkt::find_mismatch(reals(right), reals(right), {0, 0}));
    for (std::size_t k : {0u, 1u, 517u, 999u}) {
        auto wrong = right;
        wrong[k] = 1.5f;
        auto const m = lkt::find_mismatch(reals(right), reals(wrong), {1e-3, 1e-3});
        REQUIRE(m.has_value());
        CHECK(m->first == k);
        CHECK(m->count == 1);
        CHECK(m->worst == k);
        CHECK(m->worst_error == 0.5);
    }
}

TEST_CASE("the failure tells the first, the worst, how many and what they share") {
    auto const w = described(reals({1, 2, 3, 4, 5, 6, 7, 8}), reals({1, 2, 3.5, 4, 5, 6, 9, 8}));
    CHECK(w.index == 2);
    CHECK(w.expected == "3");
    CHECK(w.got == "3.5");
    CHECK(w.wrong == 2);
    CHECK(w.total == 8);
    CHECK(w.pattern == "scattered between elements 2 and 6, all of them 2 modulo 4; worst is "
                       "element 6: expected 7, got 9; the worst is off by 2 where 7e-06 is "
                       "allowed");
    CHECK(described(reals({1, 2, 3}), reals({0, 0, 0})).pattern.find("each of them is 0") !=
          std::string::npos);
    CHECK(described(reals({1, 2, 3}), reals({7, 7, 7})).pattern.find("each of them is 7") !=
          std::string::npos);
    CHECK(described(reals({1, 2, 3}), reals({.5, 1, 1.5}))
              .pattern.find("each of them is 0.5 times what is expected") != std::string::npos);
}

TEST_CASE("a report says how many are wrong once") {
    std::vector<float> const right(100, 1.0f);
    auto wrong = right;
    for (std::size_t k : {3u, 14u, 90u}) wrong[k] = 2;
    auto w = described(reals(right), reals(wrong));
    w.test = "t";
    w.argument = "y";
    CHECK(lkt::describe(w).find("`y[3]` is 2, expected 1; 3 of 100 elements are wrong (scattered "
                                "between elements 3 and 90; each of them is 2;") !=
          std::string::npos);
}

TEST_CASE("a transposed matrix is recognised") {
    std::vector<float> expected, got;
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) {
            expected.push_back(static_cast<float>(10 * r + c));
            got.push_back(static_cast<float>(10 * c + r));
        }
    CHECK(described(reals(expected), reals(got)).pattern.find("the matrix is transposed") !=
          std::string::npos);
    got[1] += 1;
    CHECK(described(reals(expected), reals(got)).pattern.find("transposed") == std::string::npos);
}

TEST_CASE("NaN and infinities are wrong where they are not expected, and right where they are") {
    float const nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
    CHECK(!lkt::find_mismatch(reals({nan, inf, -inf}), reals({-nan, inf, -inf}), {0, 0}));
    auto const m = lkt::find_mismatch(reals({1, inf, nan, 1}), reals({nan, -inf, 1, 1}), {1, 1e30});
    REQUIRE(m.has_value());
    CHECK(m->count == 3);
    CHECK(m->worst_error == std::numeric_limits<double>::infinity());
    auto const w = described(reals({1, 2}), reals({nan, nan}));
    CHECK(w.got == "nan");
    CHECK(w.pattern == "all 2 elements; each of them is NaN");
    auto const shared = [&](std::vector<float> const& got) {
        return described(reals({1, 2, 3}), reals(got)).pattern;
    };
    CHECK(shared({1, nan, 3}) == "only element 1; it is NaN");
    CHECK(shared({nan, 5, 3}).find("elements 0 to 1; 1 of them is NaN") == 0);
    CHECK(shared({nan, nan, 5}).find("all 3 elements; 2 of them are NaN") == 0);
}

TEST_CASE("integers are compared bit by bit, 64 of them included, unless given a bound") {
    std::int64_t const big = (std::int64_t{1} << 62) + 1;
    auto const a = buffer<std::int64_t>(scalar_type::int64, {big});
    auto const b = buffer<std::int64_t>(scalar_type::int64, {big - 1});
    auto const w = described(a, b, {0, 0});
    CHECK(w.expected == std::to_string(big));
    CHECK(w.got == std::to_string(big - 1));
    CHECK(w.pattern == "all 1 elements");
    CHECK(!lkt::find_mismatch(a, b, {1e-9, 0}));
    auto const c = buffer<std::int8_t>(scalar_type::int8, {-1, 5});
    auto const d = buffer<std::int8_t>(scalar_type::int8, {-1, 7});
    CHECK(lkt::find_mismatch(c, d, {0, 0})->first == 1);
    CHECK(!lkt::find_mismatch(c, d, {0, 2}));
}

TEST_CASE("a boolean that is neither 0 nor 1 is not true") {
    auto const yes = buffer<std::uint8_t>(scalar_type::boolean, {1, 0});
    auto const noise = buffer<std::uint8_t>(scalar_type::boolean, {0xa7, 0});
    auto const w = described(yes, noise, {0, 0});
    CHECK(w.index == 0);
    CHECK(w.got == "byte 167 (neither true nor false)");
    CHECK(w.expected == "true");
}

TEST_CASE("a vector is one element, wrong if one of its lanes is") {
    auto const w =
        described(reals({1, 2, 3, 4, 5, 6, 7, 8}, 4), reals({1, 2, 3, 4, 5, 6, 0, 0}, 4));
    CHECK(w.index == 1);
    CHECK(w.wrong == 1);
    CHECK(w.total == 2);
    CHECK(w.expected == "(5, 6, 7, 8)");
    CHECK(w.got == "(5, 6, 0, 0)");
}

TEST_CASE("the small floating types are compared by value") {
    for (scalar_type t : {scalar_type::float16, scalar_type::bfloat16}) {
        lkt::argument_data a{{t, 1}, true, lkt::byte_buffer(4)}, b = a;
        lkt::detail::store_real(a, 0, 1);
        lkt::detail::store_real(b, 0, 1.0625);
        lkt::detail::store_real(a, 1, -0.0);
        CHECK(!lkt::find_mismatch(a, b, {0, 0.0625}));
        auto const m = lkt::find_mismatch(a, b, {0, 0.06});
        REQUIRE(m.has_value());
        CHECK(m->count == 1);
        CHECK(m->worst_error == 0.0625);
        CHECK(ends_with(described(a, b, {0, 0.06}).pattern, "where 0.06 is allowed"));
    }
}

TEST_CASE("half bytes are compared number by number") {
    lkt::argument_data a{{scalar_type::int4, 2}, true, lkt::byte_buffer(3)}, b = a;
    lkt::detail::store_integer(a, 2, 7);
    lkt::detail::store_integer(b, 2, 5);
    lkt::detail::store_integer(b, 5, static_cast<std::uint64_t>(-1)); // the last one
    CHECK(a.bytes[1] == std::byte{7});
    CHECK(b.bytes[2] == std::byte{0xf0});
    auto const m = lkt::find_mismatch(a, b, {});
    REQUIRE(m.has_value());
    CHECK(m->count == 2);
    CHECK(m->worst_error == 2);
    CHECK(lkt::find_mismatch(a, b, {0, 1})->count == 1); // in a byte it would be off by 16
    CHECK(!lkt::find_mismatch(a, b, {0, 2}));
    a.type.scalar = b.type.scalar = scalar_type::float4_e2m1;
    lkt::detail::store_real(a, 2, 6);
    lkt::detail::store_real(b, 2, 3.4); // 3
    lkt::detail::store_real(b, 5, -0.3);
    CHECK(b.bytes[2] == std::byte{0x90});
    CHECK(lkt::find_mismatch(a, b, {})->worst_error == 3);
    CHECK(lkt::find_mismatch(a, b, {0, 1})->count == 1);
}

TEST_CASE("what is expected to be NaN or infinite is judged where that is promised") {
    float const nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
    lkt::error_limits const open{}, promised{.nonfinite = true};
    auto const expected = reals({1, nan, inf, 4});
    auto const other = reals({1, 2, 3, 4});
    CHECK(!lkt::judge_output(expected, other, {0, 0}, open));
    CHECK(lkt::judge_output(expected, other, {0, 0}, promised)->count == 2);
    CHECK(!lkt::judge_output(expected, expected, {0, 0}, promised));
    // Never where a number is expected.
    for (auto const& limits : {open, promised})
        for (float bad : {nan, inf})
            CHECK(
                lkt::judge_output(expected, reals({1, nan, inf, bad}), {1, 1e30}, limits)->first ==
                3);
}

TEST_CASE("a share of the elements may break the bound, and no NaN") {
    std::vector<float> const right(100, 1.0f);
    auto jumped = right;
    for (std::size_t k : {3u, 50u}) jumped[k] = 900;
    CHECK(lkt::judge_output(reals(right), reals(jumped), {0, 0}, {}));
    CHECK(!lkt::judge_output(reals(right), reals(jumped), {0, 0, 0.02}, {}));
    CHECK(lkt::judge_output(reals(right), reals(jumped), {0, 0, 0.019}, {}));
    jumped[50] = std::nanf("");
    CHECK(lkt::judge_output(reals(right), reals(jumped), {0, 0, 0.02}, {})->count == 2);
}

TEST_CASE("errors that are small one by one are judged together") {
    std::vector<float> right, off, tilted;
    for (int k = 0; k < 1000; ++k) {
        double const y = std::sin(k);
        right.push_back(static_cast<float>(y));
        off.push_back(static_cast<float>(y + (k % 2 ? 1 : -1) * 0x1p-14));
        tilted.push_back(static_cast<float>(y * (1 + 0x1p-17)));
    }
    lkt::tolerance const bound{0, 0x1p-13};
    lkt::error_limits const limits{0x1p-16, 0x1p-18};
    auto const by_rms = lkt::judge_output(reals(right), reals(off), bound, limits);
    REQUIRE(by_rms.has_value());
    CHECK(by_rms->count == 1000);
    auto const w = lkt::describe_mismatch(*by_rms, reals(right), reals(off), bound, {});
    CHECK(w.pattern.find("no element is far off, but the root mean square of all errors is ") == 0);
    CHECK(w.pattern.find("where 1.526e-05 is allowed; the errors lie in all 1000 elements") !=
          std::string::npos);
    auto const by_bias = lkt::judge_output(reals(right), reals(tilted), bound, limits);
    REQUIRE(by_bias.has_value());
    CHECK(by_bias->whole.find("no element is far off, but all err in one direction") == 0);
    auto const f = lkt::figures_of(reals(right), reals(tilted));
    CHECK(f.factor == doctest::Approx(0x1p-17).epsilon(0.01));
    CHECK(f.lanes == 1000);
    // Few elements, or all alike, say nothing as a whole.
    right.resize(63);
    off.resize(63);
    CHECK(!lkt::judge_output(reals(right), reals(off), bound, limits));
    std::vector<float> const same(1000, 1.0f), above(1000, 1.0f + 0x1p-14f);
    CHECK(!lkt::judge_output(reals(same), reals(above), bound, limits));
}

TEST_CASE("the distances of an output are those of its finite values") {
    float const infinity = std::numeric_limits<float>::infinity();
    auto const e = lkt::distances_of(reals({1, 2, infinity, 4}), reals({1, 2.5F, 3, 3}));
    CHECK(e.largest == 1);
    CHECK(e.mean == 0.5);
    CHECK(e.values == 3);
    CHECK(lkt::distances_of({}, {}).values == 0);
}
