// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/device/fills.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <set>
#include <vector>

using namespace lkt::device_detail;

TEST_CASE("device fills: masked noise is what write_fill makes") {
    auto const key = lkt::secret_of(3);
    std::size_t compared = 0;
    for (auto const type : {lkt::scalar_type::int8,
                            lkt::scalar_type::float8_e4m3,
                            lkt::scalar_type::float8_e5m2,
                            lkt::scalar_type::float16,
                            lkt::scalar_type::bfloat16,
                            lkt::scalar_type::int32,
                            lkt::scalar_type::float32,
                            lkt::scalar_type::float64,
                            lkt::scalar_type::int64})
        for (auto const kind : {lkt::fill_kind::noise,
                                lkt::fill_kind::zeros,
                                lkt::fill_kind::ones,
                                lkt::fill_kind::nans}) {
            std::vector<std::byte> noise(256), wanted(256);
            lkt::fill(noise, key);
            lkt::write_fill(wanted, kind, key, type);
            auto const mask = mask_of(kind, type);
            for (std::size_t at = 0; at < noise.size(); at += 8) {
                std::uint64_t word = 0;
                std::memcpy(&word, &noise[at], 8);
                word = (word & mask.keep) | mask.set;
                CHECK(std::memcmp(&word, &wanted[at], 8) == 0);
                ++compared;
            }
        }
    CHECK(compared == 9 * 4 * 32);
}

TEST_CASE("device fills: each purpose has a key of its own, and another set is another one") {
    run_job job;
    job.secrets = lkt::secret_of(5);
    std::set<std::array<std::uint32_t, 8>> seen;
    for (std::size_t set = 0; set < 3; ++set)
        for (std::size_t argument = 0; argument < 3; ++argument)
            for (unsigned side = 0; side < 2; ++side)
                seen.insert(canary_key(job, set, argument, side).words);
    for (int launch = -2; launch < 3; ++launch) seen.insert(shared_key(job, launch).words);
    CHECK(seen.size() == 18 + 5);
    std::set<std::uint64_t> places;
    for (std::size_t k = 0; k < 100; ++k) {
        places.insert(place_of(job, 0, k, 8));
        for (std::size_t set = 0; set < 3; ++set)
            CHECK(other_set(job, static_cast<int>(k), set, 3) != set);
    }
    CHECK(places.size() == 8);
    CHECK(other_set(job, 0, 0, 1) == 0);
    CHECK(place_of(job, 0, 0, 1) == 0);
}
