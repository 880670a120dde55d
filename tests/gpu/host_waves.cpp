// SPDX-License-Identifier: BSL-1.0
// HIP's functions of the lanes of a wave, which have no masks, for waves of 32 and of 64 lanes.
#include "support.hpp"

#include <lkt/gpu/host.hpp>

namespace {

using namespace support;

/// A back end whose waves have so many lanes.
lkt::host& host_of(unsigned lanes) {
    auto const with = [](unsigned n) {
        lkt::host_options o;
        o.hip_lanes = n;
        return o;
    };
    static lkt::host narrow(with(32)), wide(with(64));
    return lanes == 64 ? wide : narrow;
}

/// `body` in a block: 8 results of each thread, and a mask.
trial waves(unsigned threads, std::string const& body, bool checked = true) {
    trial t;
    t.language = lkt::language::hip;
    t.text = "#include <hip/hip_runtime.h>\n"
             "__global__ void k(int* to, unsigned long long* masks) {\n"
             "    int const t = threadIdx.x, lane = t % warpSize;\n"
             "    int* const r = to + t * 8;\n" +
             body + "\n}\n";
    t.grid = {1};
    t.block = {threads};
    t.arguments = {inout(std::vector<std::int32_t>(threads * 8, -1)),
                   inout(std::vector<std::uint64_t>(threads, 0))};
    t.checked = checked;
    return t;
}

struct results {
    std::vector<std::int32_t> of;
    std::vector<std::uint64_t> masks;
    [[nodiscard]] std::int32_t at(unsigned thread, unsigned result) const {
        return of[std::size_t{thread} * 8 + result];
    }
};
results results_of(unsigned lanes, trial const& t) {
    auto const all = outputs(host_of(lanes), t);
    return {numbers<std::int32_t>(all.at(0)), numbers<std::uint64_t>(all.at(1))};
}

} // namespace

TEST_CASE("host waves: the functions of lanes, as HIP defines them") {
    for (unsigned const lanes : {32U, 64U})
        for (bool const checked : {false, true}) {
            CAPTURE(lanes);
            CAPTURE(checked);
            auto const t =
                waves(2 * lanes + 8,
                      "r[0] = __shfl(lane, 5);\n r[1] = __shfl(lane, 3, 8);\n"
                      "r[2] = __shfl_up(lane, 3);\n"
                      "r[3] = __shfl_down(lane, warpSize / 2 + 1);\n"
                      "r[4] = __shfl_xor(lane, warpSize / 2);\n r[5] = __lane_id();\n"
                      "r[6] = __any(lane == warpSize - 1) + 2 * __all(lane < 8);\n"
                      "r[7] = __popcll(__activemask());\n masks[t] = __ballot(lane % 2);",
                      checked);
            auto const got = results_of(lanes, t);
            int const all = static_cast<int>(lanes);
            for (unsigned thread = 0; thread < 2 * lanes + 8; ++thread) {
                CAPTURE(thread);
                int const lane = static_cast<int>(thread % lanes);
                bool const whole = thread < 2 * lanes; // the last wave has 8 lanes
                CHECK(got.at(thread, 0) == 5);
                CHECK(got.at(thread, 1) == lane / 8 * 8 + 3);
                CHECK(got.at(thread, 2) == (lane < 3 ? lane : lane - 3));
                if (whole) {
                    int const below = lane + all / 2 + 1;
                    CHECK(got.at(thread, 3) == (below < all ? below : lane));
                    CHECK(got.at(thread, 4) == (lane ^ all / 2));
                }
                CHECK(got.at(thread, 5) == lane);
                CHECK(got.at(thread, 6) == (whole ? 1 : 2));
                CHECK(got.at(thread, 7) == (whole ? all : 8));
                std::uint64_t const odd = 0xaaaa'aaaa'aaaa'aaaa;
                CHECK(got.masks[thread] == (!whole        ? odd & 0xff
                                            : lanes == 64 ? odd
                                                          : odd & 0xffff'ffff));
            }
        }
}

TEST_CASE("host waves: masks of 64 lanes, and a loop that some leave earlier") {
    auto const t = waves(128,
                         "r[0] = __shfl_sync(~0ull, lane, 50);\n"
                         "masks[t] = __ballot_sync(0xffffffffffffffffull, lane > 60);\n"
                         "__syncwarp();\n"
                         "for (int i = 0; i < lane; ++i) r[1] = __popcll(__activemask());");
    auto const got = results_of(64, t);
    for (unsigned thread = 0; thread < 128; ++thread) {
        CHECK(got.at(thread, 0) == 50);
        CHECK(got.masks[thread] == std::uint64_t{7} << 61);
        // In the last round of a lane there are it and those above it.
        int const lane = static_cast<int>(thread % 64);
        CHECK(got.at(thread, 1) == (lane == 0 ? -1 : 64 - lane));
    }
}

TEST_CASE("host waves: in a branch those lanes that are there; who is first is not made up") {
    auto const got = results_of(64, waves(64, "if (lane < 48) r[0] = __shfl(lane, 47);"));
    CHECK(got.at(0, 0) == 47);
    CHECK(got.at(47, 0) == 47);
    CHECK(got.at(48, 0) == -1);
    auto const unclear = failure_of<lkt::launch_failed>(
        host_of(64), waves(64, "if (lane < 48) r[0] = __shfl(lane, 47);\nr[1] = __any(t);"));
    CHECK(unclear.why.find("lanes of one wave are in lines 5 and 6 at once") != std::string::npos);
}

TEST_CASE("host waves: races and bounds are those of the device's waves") {
    auto const sums = [](std::string const& barrier) {
        return waves(128,
                     "__shared__ int part[2];\n int v = lane;\n"
                     "for (int d = warpSize / 2; d; d /= 2) v += __shfl_down(v, d);\n"
                     "if (lane == 0) part[t / warpSize] = v;\n " +
                         barrier + "\n if (t == 0) masks[0] = part[0] + part[1];");
    };
    CHECK(results_of(64, sums("__syncthreads();")).masks[0] == 2 * 63 * 32);
    // Four waves of 32 lanes do not fit into what two of 64 need.
    CHECK_FALSE(failure_of<lkt::out_of_bounds>(host_of(32), sums("__syncthreads();")).what.empty());
    CHECK(failure_of<lkt::race>(host_of(64), sums("")).what.find("data race") != std::string::npos);
}
