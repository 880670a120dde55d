// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/detail/chunks.hpp>

#include <doctest/doctest.h>

#include <lkt/verify/compare.hpp>
#include <lkt/verify/detail/scalars.hpp>
#include <lkt/verify/detail/value_regime.hpp>
#include <lkt/verify/draw.hpp>
#include <lkt/verify/tolerance.hpp>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

namespace {

using lkt::scalar_type;
using lkt::detail::lanes_in_chunk;

std::vector<unsigned> const numbers_of_threads{1, 2, 3, 16};

lkt::argument_data buffer(scalar_type t, std::size_t lanes) {
    return {{t, 1}, true, lkt::byte_buffer(lanes * lkt::size_of(t))};
}
lkt::argument_data
drawn(scalar_type t, lkt::distribution const& how, std::size_t lanes, unsigned threads) {
    auto data = buffer(t, lanes);
    auto const scope = lkt::scope_of({{"N", 100}}, {});
    REQUIRE(lkt::detail::draw_on_threads(threads, data, how, scope, {7, 1, 2}, {}).has_value());
    return data;
}

} // namespace

TEST_CASE("small buffers get no threads, large ones at most sixteen") {
    CHECK(lkt::detail::threads_for(0) == 1);
    CHECK(lkt::detail::threads_for(1000000) == 1);
    CHECK(lkt::detail::threads_to_draw(130000) == 1);
    CHECK(lkt::detail::threads_to_draw(1000000) == lkt::detail::threads_for(8000000));
    unsigned const many = lkt::detail::threads_for(std::size_t{1} << 30);
    CHECK(many >= 1);
    CHECK(many <= 16);
    if (std::thread::hardware_concurrency() > 1) CHECK(many > 1);
}

TEST_CASE("what is drawn does not depend on the number of threads") {
    std::size_t const lanes = 2 * lanes_in_chunk + 77;
    lkt::distribution const indices = lkt::indices{lkt::expression::parse("N").value()};
    for (scalar_type t : {scalar_type::float32, scalar_type::int8})
        for (lkt::distribution const& how : {lkt::distribution(lkt::uniform{-5, 5}),
                                             lkt::distribution(lkt::constant{3}),
                                             indices,
                                             lkt::distribution(lkt::sparse{}),
                                             lkt::distribution(lkt::one_hot{}),
                                             lkt::distribution(lkt::extremes{}),
                                             lkt::distribution(lkt::ascending{}),
                                             lkt::distribution(lkt::cancellation{})})
            for (unsigned threads : {2u, 3u, 16u})
                CHECK(drawn(t, how, lanes, threads) == drawn(t, how, lanes, 1));
    CHECK(drawn(scalar_type::float16, lkt::normal{0, 1}, lanes, 4) ==
          drawn(scalar_type::float16, lkt::normal{0, 1}, lanes, 1));
}

TEST_CASE("a large buffer holds what the stream says, lane by lane") {
    std::size_t const lanes = (std::size_t{1} << 20) + 3;
    lkt::random_stream const stream{3, 4, 5};
    auto data = buffer(scalar_type::float64, lanes);
    REQUIRE(lkt::draw(data, lkt::uniform{-1, 3}, {}, stream).has_value());
    bool same = true;
    for (std::size_t k = 0; k < lanes; ++k)
        same =
            same && data.lane<double>(k) == std::fma(lkt::unit_interval(stream.bits(k)), 4.0, -1.0);
    CHECK(same);
    std::stop_source stop;
    stop.request_stop();
    auto const stopped = lkt::draw(data, lkt::uniform{}, {}, stream, {stop.get_token(), {}});
    REQUIRE(!stopped.has_value());
    CHECK(stopped.error().kind == lkt::condition::cancelled);
}

TEST_CASE("a regime does not depend on threads, nor on where an argument is divided") {
    // The smaller argument takes one thread. Stretches of a row of 1000 lie across chunks.
    std::size_t const few = lanes_in_chunk + 1000, many = (std::size_t{1} << 20) + 7;
    using lkt::detail::value_regime;
    for (value_regime what :
         {value_regime::patches, value_regime::equal_rows, value_regime::cancelling}) {
        lkt::detail::regime_drawing const how{.what = what,
                                              .fair = {-1000, 1000},
                                              .own = {3, 4, 5},
                                              .shared = {3, 4, 99},
                                              .argument = 1,
                                              .row = 1000};
        auto small = buffer(scalar_type::float32, few), large = buffer(scalar_type::float32, many);
        REQUIRE(lkt::detail::draw_regime(small, how));
        REQUIRE(lkt::detail::draw_regime(large, how));
        std::size_t const whole = few / 2000 * 2000; // the last pair of rows may be cut short
        bool same = true, varied = false, rows = true;
        for (std::size_t k = 0; k < whole; ++k) {
            float const value = small.lane<float>(k);
            same = same && value == large.lane<float>(k);
            varied = varied || value != small.lane<float>(0);
            rows = rows && value == small.lane<float>(k / 1000 * 1000);
        }
        CHECK(same);
        CHECK(varied);
        CHECK(rows == (what == value_regime::equal_rows));
    }
}

TEST_CASE("a mean does not depend on the number of threads, to the last bit") {
    double const inf = std::numeric_limits<double>::infinity();
    double const huge = std::numeric_limits<double>::max();
    for (scalar_type t : {scalar_type::float32, scalar_type::float64, scalar_type::bfloat16}) {
        auto data = drawn(t, lkt::uniform{-100, 100}, 4 * lanes_in_chunk + 5, 1);
        lkt::detail::store_real(data, 1, inf);
        for (std::size_t k = lanes_in_chunk; k < 2 * lanes_in_chunk; ++k) // nothing of a chunk
            lkt::detail::store_real(data, k, std::nan(""));
        double running = 0, count = 0, largest = 0;
        for (std::size_t k = 0; k < data.lanes(); ++k) {
            double const magnitude = std::fabs(lkt::lane_as_double(data, k));
            if (!std::isfinite(magnitude)) continue;
            running += (magnitude - running) / ++count;
            largest = std::fmax(largest, magnitude);
        }
        CHECK(lkt::largest_magnitude(data) == largest);
        double const mean = lkt::detail::mean_on_threads(1, data);
        CHECK(std::fabs(mean - running) < 1e-9 * running);
        for (unsigned threads : numbers_of_threads)
            CHECK(lkt::detail::mean_on_threads(threads, data) == mean);
        CHECK(lkt::mean_magnitude(data) == mean);
    }
    auto data = buffer(scalar_type::float64, 2 * lanes_in_chunk);
    for (std::size_t k = 0; k < data.lanes(); ++k) lkt::detail::store_real(data, k, huge);
    CHECK(lkt::detail::mean_on_threads(2, data) == huge);
}

TEST_CASE("a mismatch does not depend on the number of threads") {
    std::size_t const lanes = 5 * lanes_in_chunk + 9;
    for (scalar_type t : {scalar_type::float32, scalar_type::int32}) {
        auto const expected = drawn(t, lkt::uniform{-100, 100}, lanes, 1);
        auto got = expected;
        for (unsigned threads : numbers_of_threads)
            CHECK(!lkt::detail::mismatch_on_threads(threads, expected, got, {}));
        // Both sides of a border, a chunk between without any, the last lane.
        std::vector<std::size_t> const wrong{
            lanes_in_chunk - 1, lanes_in_chunk, 3 * lanes_in_chunk + 4, lanes - 1};
        for (std::size_t k : wrong) {
            double const off = lkt::lane_as_double(got, k) + 1000 + (k == wrong[2] ? 500 : 0);
            if (t == scalar_type::float32)
                lkt::detail::store_real(got, k, off);
            else
                lkt::detail::store_integer(got, k, static_cast<std::uint64_t>(off));
        }
        for (unsigned threads : numbers_of_threads) {
            auto const m = lkt::detail::mismatch_on_threads(threads, expected, got, {});
            REQUIRE(m.has_value());
            CHECK(m->count == wrong.size());
            CHECK(m->first == wrong[0]);
            CHECK(m->worst == wrong[2]);
            CHECK(m->worst_error == doctest::Approx(1500));
            for (std::size_t k : wrong) CHECK(m->wrong[k]);
        }
    }
}
