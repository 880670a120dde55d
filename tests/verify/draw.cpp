// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/draw.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace {

using lkt::scalar_type;

std::vector<scalar_type> const all_types{scalar_type::boolean,
                                         scalar_type::int8,
                                         scalar_type::uint8,
                                         scalar_type::int16,
                                         scalar_type::uint16,
                                         scalar_type::int32,
                                         scalar_type::uint32,
                                         scalar_type::int64,
                                         scalar_type::uint64,
                                         scalar_type::float16,
                                         scalar_type::bfloat16,
                                         scalar_type::float32,
                                         scalar_type::float64};

lkt::argument_data buffer(scalar_type t, std::size_t count, unsigned lanes = 1) {
    lkt::value_type const type{t, lanes};
    return {type, true, lkt::byte_buffer(count * type.bytes())};
}

lkt::result<std::vector<double>> drawn(scalar_type t,
                                       lkt::distribution const& how,
                                       std::size_t count = 500,
                                       lkt::random_stream stream = {1, 0, 0}) {
    auto data = buffer(t, count);
    if (auto ok = lkt::draw(data, how, lkt::scope_of({{"N", 40}}, {}), stream); !ok)
        return ok.error();
    std::vector<double> values;
    for (std::size_t k = 0; k < data.lanes(); ++k) values.push_back(lkt::lane_as_double(data, k));
    return values;
}

} // namespace

TEST_CASE("every distribution gives finite values of every type, within its bounds") {
    for (scalar_type t : all_types) {
        CAPTURE(lkt::to_string(t));
        bool const real = lkt::is_floating(t);
        bool const is_unsigned = t == scalar_type::boolean || t == scalar_type::uint8 ||
                                 t == scalar_type::uint16 || t == scalar_type::uint32 ||
                                 t == scalar_type::uint64;
        auto const u = drawn(t, lkt::uniform{-1, 1}).value();
        std::set<double> const values(u.begin(), u.end());
        for (double v : u) CHECK(std::isfinite(v));
        CHECK(*values.begin() >= (is_unsigned ? 0 : -1));
        CHECK(*values.rbegin() <= 1);
        CHECK(values.size() >= (real ? 100 : is_unsigned ? 2 : 3));
        auto const n = drawn(t, lkt::normal{0, 1e30}).value();
        for (double v : n) CHECK(std::isfinite(v));
        auto const c = drawn(t, lkt::constant{1}).value();
        CHECK(std::count(c.begin(), c.end(), 1.0) == 500);
        auto const below = lkt::expression::parse(t == scalar_type::boolean ? "2" : "N").value();
        auto const i = drawn(t, lkt::indices{below}).value();
        CHECK(*std::min_element(i.begin(), i.end()) == 0);
        CHECK(*std::max_element(i.begin(), i.end()) == (t == scalar_type::boolean ? 1 : 39));
    }
}

TEST_CASE("floats of 8 bits and half bytes are drawn from what they have") {
    for (scalar_type t : {scalar_type::float8_e4m3, scalar_type::float8_e5m2}) {
        auto const u = drawn(t, lkt::uniform{-1, 1}).value();
        CHECK(*std::min_element(u.begin(), u.end()) >= -1);
        CHECK(*std::max_element(u.begin(), u.end()) <= 1);
        CHECK(std::set<double>(u.begin(), u.end()).size() > 20);
        for (double v : drawn(t, lkt::normal{0, 1e30}).value()) CHECK(std::isfinite(v));
        for (double v : drawn(t, lkt::uniform{0.3, 0.6}).value()) CHECK((v >= 0.3 && v <= 0.6));
        CHECK(drawn(t, lkt::indices{8}).has_value());
        CHECK_FALSE(drawn(t, lkt::indices{40}).has_value()); // 39 has six digits
    }
    for (auto const& [t, low] : {std::pair(scalar_type::int4, -8.0), {scalar_type::uint4, 0.0}}) {
        auto const all = drawn(t, lkt::uniform{-100, 100}).value();
        CHECK(all.size() == 1000); // two in a byte
        std::set<double> const values(all.begin(), all.end());
        CHECK(values.size() == 16);
        CHECK(*values.begin() == low);
        std::set<double> first, second;
        for (std::size_t k = 0; k < all.size(); ++k) (k % 2 == 0 ? first : second).insert(all[k]);
        CHECK(first == second);
        auto const some = drawn(t, lkt::uniform{1, 3}).value();
        CHECK(std::set<double>(some.begin(), some.end()) == std::set<double>{1, 2, 3});
        auto const hot = drawn(t, lkt::one_hot{}).value();
        CHECK(std::count(hot.begin(), hot.end(), 1.0) == 1);
        CHECK(std::count(hot.begin(), hot.end(), 0.0) == 999);
        CHECK(drawn(t, lkt::alternating{}).has_value() == (t == scalar_type::int4));
    }
}

TEST_CASE("floats of 4 bits are drawn from what they have") {
    scalar_type const t = scalar_type::float4_e2m1;
    auto const all = drawn(t, lkt::uniform{-100, 100}).value();
    CHECK(all.size() == 1000);
    CHECK(std::set<double>(all.begin(), all.end()).size() == 15); // both zeros are one
    CHECK(*std::min_element(all.begin(), all.end()) == -6);
    auto const some = drawn(t, lkt::uniform{0.4, 5.9}).value(); // rounding stays within
    CHECK(std::set<double>(some.begin(), some.end()) == std::set<double>{0.5, 1, 1.5, 2, 3, 4});
    auto const hot = drawn(t, lkt::one_hot{}).value();
    CHECK(std::count(hot.begin(), hot.end(), 1.0) == 1);
    CHECK(std::count(hot.begin(), hot.end(), 0.0) == 999);
}

TEST_CASE("a value depends on its index alone, not on how many are drawn") {
    for (scalar_type t : {scalar_type::float32, scalar_type::int32, scalar_type::float16})
        for (lkt::distribution const& how :
             {lkt::distribution(lkt::uniform{-5, 5}), lkt::distribution(lkt::normal{0, 3})}) {
            auto const few = drawn(t, how, 7).value(), many = drawn(t, how, 1000).value();
            CHECK(std::equal(few.begin(), few.end(), many.begin()));
            CHECK(drawn(t, how, 50, {2, 0, 0}).value() != drawn(t, how, 50).value());
            CHECK(drawn(t, how, 50, {1, 1, 0}).value() != drawn(t, how, 50).value());
            CHECK(drawn(t, how, 50, {1, 0, 1}).value() != drawn(t, how, 50).value());
        }
}

TEST_CASE("drawn values are the same on every machine") {
    // The two halves of block 0 of stream {1, 0, 0}, computed with an independent Philox and exact
    // fractions (the normal with 200 bits, so it may differ here in the last of 53).
    auto const f = drawn(scalar_type::float64, lkt::uniform{-1, 3}, 2).value();
    CHECK(f[0] == 0x1.4a141d79c7d00p+1);
    CHECK(f[1] == 0x1.d856a89e57c88p+0);
    CHECK(drawn(scalar_type::int32, lkt::uniform{-5, 5}, 2).value() == std::vector<double>{4, 2});
    double const z = drawn(scalar_type::float64, lkt::normal{0, 1}, 1).value()[0];
    CHECK(std::fabs(z - -0x1.d1a253882cf85p-4) < 1e-15);
    auto data = buffer(scalar_type::float32, 3, 4);
    REQUIRE(lkt::draw(data, lkt::uniform{-1, 1}, {}, {1, 0, 0}).has_value());
    auto flat = buffer(scalar_type::float32, 12);
    REQUIRE(lkt::draw(flat, lkt::uniform{-1, 1}, {}, {1, 0, 0}).has_value());
    CHECK(data.bytes == flat.bytes); // the lanes of a vector are lanes like any other
}

TEST_CASE("bounds hold even where the type cannot represent them") {
    // 0.1 and 0.3 round down to a half below 0.1, up to a bfloat16 above 0.3.
    for (scalar_type t : {scalar_type::float16, scalar_type::bfloat16, scalar_type::float32})
        for (double v : drawn(t, lkt::uniform{0.1, 0.3}, 4000).value()) {
            CHECK(v >= 0.1);
            CHECK(v <= 0.3);
        }
    for (double v : drawn(scalar_type::float16, lkt::uniform{-1e9, 1e9}, 500).value())
        CHECK(std::fabs(v) <= 65504);
    auto const full = drawn(scalar_type::int64, lkt::uniform{-1e30, 1e30}, 500).value();
    CHECK(*std::min_element(full.begin(), full.end()) < -1e18);
    CHECK(*std::max_element(full.begin(), full.end()) > 1e18);
    auto const wide = drawn(scalar_type::uint64, lkt::uniform{-1e30, 1e30}, 500).value();
    CHECK(*std::min_element(wide.begin(), wide.end()) >= 0);
    CHECK(*std::max_element(wide.begin(), wide.end()) > 1.7e19);
}

TEST_CASE("parameters that a type cannot follow are errors that say so") {
    double const nan = std::nan("");
    auto const code = [](auto const& r) { return r ? std::string("none") : r.error().code; };
    std::string const expected = "lkt.verify.distribution";
    CHECK(code(drawn(scalar_type::float32, lkt::uniform{nan, 1})) == expected);
    CHECK(code(drawn(scalar_type::float32, lkt::uniform{-1e308, 1.7e308})) == expected);
    CHECK(code(drawn(scalar_type::float32, lkt::uniform{2, 1})) == expected);
    CHECK(code(drawn(scalar_type::int32, lkt::uniform{2, 1})) == expected);
    CHECK(code(drawn(scalar_type::uint8, lkt::uniform{-9, -3})) == expected);
    CHECK(code(drawn(scalar_type::uint8, lkt::uniform{300, 400})) == expected);
    CHECK(code(drawn(scalar_type::int64, lkt::uniform{9.3e18, 1e19})) == expected);
    CHECK(code(drawn(scalar_type::float16, lkt::uniform{70000, 80000})) == expected);
    CHECK(code(drawn(scalar_type::float32, lkt::normal{0, -1})) == expected);
    CHECK(code(drawn(scalar_type::float32, lkt::normal{nan, 1})) == expected);
    CHECK(code(drawn(scalar_type::int8, lkt::constant{128})) == expected);
    CHECK(code(drawn(scalar_type::float16, lkt::constant{1e6})) == expected);
    CHECK(code(drawn(scalar_type::float32, lkt::constant{1e300})) == expected);
    CHECK(code(drawn(scalar_type::int8, lkt::indices{129})) == expected);
    CHECK(code(drawn(scalar_type::int8, lkt::indices{128})) == "none");
    CHECK(code(drawn(scalar_type::int32, lkt::indices{0})) == expected);
    CHECK(code(drawn(scalar_type::int32, lkt::indices{std::numeric_limits<std::int64_t>::min()})) ==
          expected);
    CHECK(code(drawn(scalar_type::float16, lkt::indices{5000})) == expected);
    CHECK(code(drawn(scalar_type::int32, lkt::indices{lkt::expression::parse("M").value()})) !=
          "none");
    auto const why = drawn(scalar_type::uint8, lkt::uniform{300, 400}).error();
    CHECK(why.message.find("no uint8 lies between 300 and 400") != std::string::npos);
    CHECK(!why.hint.empty());
}

TEST_CASE("inputs with a structure have it, in every type that can follow them") {
    for (scalar_type t : all_types) {
        CAPTURE(lkt::to_string(t));
        bool const real = lkt::is_floating(t);
        bool const has_negatives = real || t == scalar_type::int8 || t == scalar_type::int16 ||
                                   t == scalar_type::int32 || t == scalar_type::int64;
        auto const s = drawn(t, lkt::sparse{0.2}, 1000).value();
        auto const zeros = std::count(s.begin(), s.end(), 0.0);
        CHECK(zeros > 740);
        CHECK(zeros < 860);
        CHECK(*std::min_element(s.begin(), s.end()) >= (has_negatives ? -1 : 0));
        CHECK(*std::max_element(s.begin(), s.end()) <= 1);
        auto const h = drawn(t, lkt::one_hot{}).value();
        CHECK(std::count(h.begin(), h.end(), 0.0) == 499);
        CHECK(std::count(h.begin(), h.end(), 1.0) == 1);
        CHECK(drawn(t, lkt::one_hot{}, 500, {2, 0, 0}).value() != h);
        auto const p = drawn(t, lkt::spikes{0, 1, 0.1}, 1000).value();
        auto const peaks = std::count(p.begin(), p.end(), 1.0);
        CHECK(peaks > 60);
        CHECK(peaks < 140);
        CHECK(std::count(p.begin(), p.end(), 0.0) == 1000 - peaks);
        CHECK(drawn(t, lkt::alternating{}).has_value() == has_negatives);
        if (has_negatives) {
            auto const a = drawn(t, lkt::alternating{}, 3).value();
            CHECK(a == std::vector<double>{1, -1, 1});
        }
        auto const e = drawn(t, lkt::extremes{}, 1000).value();
        std::set<double> const values(e.begin(), e.end());
        CHECK(values.count(0) == 1);
        CHECK(values.count(1) == 1);
        CHECK(values.size() == (t == scalar_type::boolean ? 2u
                                : real                    ? 7u
                                : has_negatives           ? 5u
                                                          : 3u));
        if (t == scalar_type::float16) CHECK(*values.rbegin() == 16);
        if (t == scalar_type::float32) CHECK(*values.begin() == -1e4);
        if (t == scalar_type::int8) CHECK(*values.begin() == -128);
        if (t == scalar_type::uint32) CHECK(*values.rbegin() == 1000);
        auto const up = drawn(t, lkt::ascending{}).value();
        CHECK(std::is_sorted(up.begin(), up.end()));
        CHECK(up.front() <= (real ? 0.02 : 3));
        if (real) CHECK(up.front() >= 0);
        CHECK(up.back() >= (real ? 0.98 : t == scalar_type::boolean ? 1 : 100));
    }
}

TEST_CASE("a permutation has each number once, in another order for another stream") {
    for (std::size_t n : {1u, 2u, 3u, 7u, 100u, 128u, 5000u})
        for (scalar_type t : {scalar_type::int16, scalar_type::float64, scalar_type::uint64}) {
            CAPTURE(n);
            auto p = drawn(t, lkt::permutation{}, n).value();
            if (n >= 100) {
                CHECK(!std::is_sorted(p.begin(), p.end()));
                CHECK(drawn(t, lkt::permutation{}, n, {1, 0, 1}).value() != p);
                std::size_t at_home = 0;
                for (std::size_t k = 0; k < n; ++k) at_home += p[k] == double(k) ? 1 : 0;
                CHECK(at_home < 10);
            }
            std::sort(p.begin(), p.end());
            for (std::size_t k = 0; k < n; ++k) CHECK(p[k] == static_cast<double>(k));
        }
    CHECK(drawn(scalar_type::int8, lkt::permutation{}, 128).has_value());
    CHECK(!drawn(scalar_type::int8, lkt::permutation{}, 129).has_value());
    CHECK(drawn(scalar_type::float16, lkt::permutation{}, 2049).has_value());
    CHECK(!drawn(scalar_type::float16, lkt::permutation{}, 2050).has_value());
}

TEST_CASE("what cancels sums to the residuals, and to no single place") {
    for (scalar_type t : {scalar_type::float32, scalar_type::float16, scalar_type::int16}) {
        CAPTURE(lkt::to_string(t));
        auto v = drawn(t, lkt::cancellation{5000, 1, 2}, 1000).value();
        std::multiset<double> const all(v.begin(), v.end());
        double sum = 0;
        std::size_t large = 0;
        for (double x : v) {
            sum += x;
            if (x >= 1 && x <= 2 && all.count(-x) == 0) continue;
            CHECK(all.count(-x) == all.count(x));
            ++large;
        }
        CHECK(large >= 400);
        CHECK(sum >= 500);
        CHECK(sum <= 1000);
        CHECK(*all.rbegin() > 4500);
        CHECK(*all.rbegin() <= 5000);
        // The partners do not lie side by side.
        std::size_t neighbours = 0;
        for (std::size_t k = 1; k < v.size(); ++k) neighbours += v[k] == -v[k - 1] ? 1 : 0;
        CHECK(neighbours < 10);
    }
    CHECK(drawn(scalar_type::float32, lkt::cancellation{1e300, 0, 0}, 8).has_value());
    CHECK(!drawn(scalar_type::uint8, lkt::cancellation{}).has_value());
    CHECK(!drawn(scalar_type::float32, lkt::cancellation{-1, 0, 0}).has_value());
}

TEST_CASE("a domain bounds whatever is drawn") {
    lkt::value_bounds const half{0.25, 0.75}, positive{2.5, lkt::value_bounds{}.max};
    auto const within = [](lkt::distribution const& how, lkt::value_bounds bounds, scalar_type t) {
        auto data = buffer(t, 500);
        auto const ok = lkt::draw(data, how, {}, {1, 0, 0}, {}, bounds);
        if (!ok) return ok.error().message;
        for (std::size_t k = 0; k < 500; ++k)
            if (!bounds.holds(lkt::lane_as_double(data, k))) return std::string("outside");
        return std::string("inside");
    };
    for (scalar_type t : {scalar_type::float32, scalar_type::float16, scalar_type::bfloat16})
        for (lkt::distribution const& how : {lkt::distribution(lkt::uniform{}),
                                             lkt::distribution(lkt::normal{}),
                                             lkt::distribution(lkt::extremes{}),
                                             lkt::distribution(lkt::ascending{}),
                                             lkt::distribution(lkt::constant{0.5})})
            CHECK(within(how, half, t) == "inside");
    for (scalar_type t : {scalar_type::float32, scalar_type::int32, scalar_type::uint8})
        for (lkt::distribution const& how : {lkt::distribution(lkt::uniform{0, 10}),
                                             lkt::distribution(lkt::normal{}),
                                             lkt::distribution(lkt::extremes{}),
                                             lkt::distribution(lkt::ascending{})})
            CHECK(within(how, positive, t) == "inside");
    auto const refused = [&](lkt::distribution const& how) {
        return within(how, half, scalar_type::float32);
    };
    CHECK(refused(lkt::uniform{3, 4}) ==
          "nothing between 3 and 4 lies in the argument's domain, from 0.25 to 0.75");
    CHECK(refused(lkt::one_hot{}) == "a one-hot distribution needs the value 0, which is outside "
                                     "of the argument's domain");
    CHECK(refused(lkt::sparse{}).find("needs the value 0") != std::string::npos);
    CHECK(refused(lkt::alternating{}).find("needs the value 1") != std::string::npos);
    CHECK(refused(lkt::constant{1}).find("outside") != std::string::npos);
    CHECK(refused(lkt::permutation{}).find("domain") != std::string::npos);
    CHECK(refused(lkt::cancellation{}).find("no pairs of opposite numbers") != std::string::npos);
    CHECK(refused(lkt::indices{5}).find("domain") != std::string::npos);
    CHECK(within(lkt::normal{}, half, scalar_type::int32).find("no int32 lies between") == 0);
    CHECK(within(lkt::alternating{}, {}, scalar_type::uint8).find("which uint8 lacks") !=
          std::string::npos);
}

TEST_CASE("special values are strewn in, each of them, and only where they are fair") {
    using lkt::special_value;
    lkt::declared_fill how{lkt::uniform{1, 2},
                           {special_value::nan,
                            special_value::infinity,
                            special_value::minus_infinity,
                            special_value::minus_zero,
                            special_value::denormal},
                           0.05};
    for (scalar_type t : all_types) {
        CAPTURE(lkt::to_string(t));
        auto data = buffer(t, 1000);
        auto const ok = lkt::draw(data, how, {}, {1, 0, 0});
        CHECK(ok.has_value() == lkt::is_floating(t));
        if (!ok) {
            CHECK(ok.error().message.find("NaN is not a value of") == 0);
            continue;
        }
        int nan = 0, up = 0, down = 0, zero = 0, small = 0;
        for (std::size_t k = 0; k < 1000; ++k) {
            double const v = lkt::lane_as_double(data, k);
            nan += std::isnan(v);
            up += v == HUGE_VAL;
            down += v == -HUGE_VAL;
            zero += v == 0 && std::signbit(v);
            small += v > 0 && v < 1e-4;
        }
        CHECK(nan == 10);
        CHECK(up == 10);
        CHECK(down == 10);
        CHECK(zero == 10);
        CHECK(small == 10);
    }
    auto one = buffer(scalar_type::float32, 3);
    how.inject = {special_value::nan, special_value::infinity};
    how.fraction = 0;
    REQUIRE(lkt::draw(one, how, {}, {1, 0, 0}).has_value());
    int odd = 0;
    for (std::size_t k = 0; k < 3; ++k) odd += !std::isfinite(one.lane<float>(k));
    CHECK(odd == 2); // each once, whatever the share
    auto const fault = lkt::draw(one, how, {}, {1, 0, 0}, {}, {0, 10});
    REQUIRE(!fault.has_value());
    CHECK(fault.error().message == "NaN is outside of the argument's domain");
    how.inject = {special_value::minus_zero};
    CHECK(lkt::draw(one, how, {}, {1, 0, 0}, {}, {0, 10}).has_value());
    how.fraction = 2;
    CHECK(!lkt::draw(one, how, {}, {1, 0, 0}).has_value());
}

TEST_CASE("drawing stops when asked to") {
    std::stop_source stop;
    stop.request_stop();
    auto data = buffer(scalar_type::float32, 10);
    auto const ok = lkt::draw(data, lkt::uniform{}, {}, {}, {stop.get_token(), {}});
    REQUIRE(!ok.has_value());
    CHECK(ok.error().kind == lkt::condition::cancelled);
}
