// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/fill.hpp>

#include <lkt/kernel/argument_data.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

namespace {

constexpr lkt::fill_choices all_there{
    .certain = false, .nans = true, .other_test = true, .nearly_right = true};
constexpr lkt::scalar_type types[] = {lkt::scalar_type::boolean,
                                      lkt::scalar_type::int16,
                                      lkt::scalar_type::int32,
                                      lkt::scalar_type::uint64,
                                      lkt::scalar_type::float8_e4m3,
                                      lkt::scalar_type::float8_e5m2,
                                      lkt::scalar_type::float16,
                                      lkt::scalar_type::bfloat16,
                                      lkt::scalar_type::float32,
                                      lkt::scalar_type::float64};

lkt::argument_data
filled(lkt::fill_kind kind, lkt::scalar_type type, std::size_t lanes, std::uint64_t seed = 1) {
    lkt::argument_data data{{type, 1}, true, lkt::byte_buffer(lanes * lkt::size_of(type))};
    auto const like = data; // zeros
    lkt::write_fill(data.bytes, kind, lkt::secret_of(seed), type, like.bytes);
    return data;
}

} // namespace

TEST_CASE("fill: of ten launches five get noise, and each other kind comes up") {
    auto const key = lkt::secret_of(7);
    std::map<lkt::fill_kind, int> seen;
    for (int launch = -100; launch < 3900; ++launch)
        ++seen[lkt::fill_of_launch(key, launch, 0, all_there)];
    CHECK(seen[lkt::fill_kind::noise] == 2000);
    for (auto const kind : {lkt::fill_kind::zeros,
                            lkt::fill_kind::ones,
                            lkt::fill_kind::nans,
                            lkt::fill_kind::other_test,
                            lkt::fill_kind::nearly_right})
        CHECK(seen[kind] == 400);
    std::map<lkt::fill_kind, int> of_ten;
    for (int launch = 30; launch < 40; ++launch)
        ++of_ten[lkt::fill_of_launch(key, launch, 1, all_there)];
    CHECK(of_ten.size() == 6);
}

TEST_CASE("fill: what is not at hand is noise, and a certain launch has nothing else") {
    auto const key = lkt::secret_of(7);
    for (int launch = 0; launch < 200; ++launch) {
        CHECK(lkt::fill_of_launch(key, launch, 3, {.certain = true, .nans = true}) ==
              lkt::fill_kind::noise);
        auto const bare = lkt::fill_of_launch(key, launch, 3, {});
        auto const full = lkt::fill_of_launch(key, launch, 3, all_there);
        CHECK((bare == full || bare == lkt::fill_kind::noise));
        CHECK(bare != lkt::fill_kind::nans);
        CHECK(bare != lkt::fill_kind::other_test);
        CHECK(bare != lkt::fill_kind::nearly_right);
    }
}

TEST_CASE("fill: a kind tells nothing of the next launch, of the next argument or of the bytes") {
    auto const key = lkt::secret_of(7);
    int same_launch = 0, same_argument = 0;
    for (int launch = 0; launch < 1000; ++launch) {
        auto const kind = lkt::fill_of_launch(key, launch, 0, all_there);
        same_launch += kind == lkt::fill_of_launch(key, launch + 1, 0, all_there);
        same_argument += kind == lkt::fill_of_launch(key, launch, 1, all_there);
    }
    CHECK(same_launch < 450); // a third of them, if they are independent
    CHECK(same_argument < 450);
    CHECK(lkt::fill_key(key, 0, 1) != lkt::fill_key(key, 1, 0));
    CHECK(lkt::fill_key(key, 0, 1) != lkt::fill_key(lkt::secret_of(8), 0, 1));
}

TEST_CASE("fill: zeros, ones and NaNs are numbers of the type") {
    for (auto const type : types) {
        CAPTURE(lkt::to_string(type));
        auto const zeros = filled(lkt::fill_kind::zeros, type, 77);
        auto const ones = filled(lkt::fill_kind::ones, type, 77);
        for (std::size_t k = 0; k < 77; ++k) {
            CHECK(lkt::lane_as_double(zeros, k) == 0);
            CHECK(lkt::lane_as_double(ones, k) == 1);
        }
        if (!lkt::is_floating(type)) continue;
        auto const nans = filled(lkt::fill_kind::nans, type, 77);
        int same = 0;
        for (std::size_t k = 0; k < 77; ++k) {
            CHECK(std::isnan(lkt::lane_as_double(nans, k)));
            auto const size = lkt::size_of(type);
            same += k > 0 && std::memcmp(&nans.bytes[k * size], &nans.bytes[0], size) == 0;
        }
        if (!lkt::is_float8(type)) CHECK(same < 8); // a payload of its own
    }
}

TEST_CASE("fill: noise is that of its key, and repeats itself late") {
    auto const a = filled(lkt::fill_kind::noise, lkt::scalar_type::float32, 200'000);
    auto const b = filled(lkt::fill_kind::noise, lkt::scalar_type::float32, 200'000);
    auto const c = filled(lkt::fill_kind::noise, lkt::scalar_type::float32, 200'000, 2);
    CHECK(a == b);
    std::size_t same = 0, zeros = 0;
    for (std::size_t k = 0; k < a.bytes.size(); ++k) {
        same += a.bytes[k] == c.bytes[k];
        zeros += a.bytes[k] == std::byte{0};
    }
    CHECK(same < a.bytes.size() / 200);
    CHECK(zeros < a.bytes.size() / 200);
    CHECK(a.bytes[lkt::noise_period] == a.bytes[0]);
}

TEST_CASE("fill: nearly right contents are off in each eight elements") {
    for (auto const type : types) {
        CAPTURE(lkt::to_string(type));
        for (std::size_t const lanes : {1U, 7U, 8U, 9U, 10'000U}) {
            auto const data = filled(lkt::fill_kind::nearly_right, type, lanes);
            auto const size = lkt::size_of(type);
            std::size_t off = 0;
            for (std::size_t first = 0; first < lanes; first += 8) {
                std::size_t here = 0;
                for (std::size_t k = first; k < std::min(lanes, first + 8); ++k)
                    for (std::size_t byte = 0; byte < size; ++byte)
                        if (data.bytes[k * size + byte] != std::byte{0}) {
                            ++here;
                            break;
                        }
                CHECK(here == 1);
                off += here;
            }
            CHECK(off == (lanes + 7) / 8);
        }
    }
}

TEST_CASE("fill: the outputs of another test are taken as they are, and nothing is an edge") {
    std::array<std::byte, 5> const like{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
    std::array<std::byte, 5> to{};
    lkt::write_fill(
        to, lkt::fill_kind::other_test, lkt::secret_of(1), lkt::scalar_type::int8, like);
    CHECK(to == like);
    for (auto const kind : {lkt::fill_kind::noise,
                            lkt::fill_kind::zeros,
                            lkt::fill_kind::ones,
                            lkt::fill_kind::nans,
                            lkt::fill_kind::other_test,
                            lkt::fill_kind::nearly_right})
        lkt::write_fill({}, kind, lkt::secret_of(1), lkt::scalar_type::float32);
}
