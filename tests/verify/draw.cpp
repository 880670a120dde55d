// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/draw.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
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
    return {type, true, std::vector<std::byte>(count * type.bytes())};
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

TEST_CASE("drawing stops when asked to") {
    std::stop_source stop;
    stop.request_stop();
    auto data = buffer(scalar_type::float32, 10);
    auto const ok = lkt::draw(data, lkt::uniform{}, {}, {}, {stop.get_token(), {}});
    REQUIRE(!ok.has_value());
    CHECK(ok.error().kind == lkt::condition::cancelled);
}
