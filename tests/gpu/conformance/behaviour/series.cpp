// SPDX-License-Identifier: BSL-1.0
// What a series of timed launches promises of its samples.
#include "programs.hpp"

#include <algorithm>
#include <cmath>

using namespace conformance;
using namespace support;

namespace {

/// A chain of 16 operations for each of `rounds` in each of 64 x 256 threads; the result depends
/// on all of them. At most 500, and four times as many: Mesa's software driver lets a thread go
/// round 65,535 times.
constexpr int steps = 16;
trial chain(int rounds) {
    auto t = trial_of({R"(__global__ void chain(unsigned* y, int rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = i;
    for (int k = 0; k < rounds; ++k)
        for (int j = 0; j < 16; ++j) v = (v ^ (v >> 7)) * 1664525u + 1013904223u;
    y[i] = v;
})",
                       R"(@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@group(0) @binding(1) var<uniform> rounds: i32;
@compute @workgroup_size(256) fn chain(@builtin(global_invocation_id) id: vec3<u32>) {
    var v = id.x;
    for (var k = 0; k < rounds; k++) {
        for (var j = 0; j < 16; j++) { v = (v ^ (v >> 7u)) * 1664525u + 1013904223u; }
    }
    y[id.x] = v;
})"},
                      {64},
                      {256},
                      {out<std::uint32_t>(64 * 256), value(rounds)});
    t.launches = 9;
    t.warmups = 1;
    return t;
}

double median(std::vector<lkt::seconds> samples) {
    REQUIRE(!samples.empty());
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2].count();
}

/// Rounds with which a launch takes at least so long, whatever the device.
int rounds_of(double time) {
    int rounds = 4;
    while (rounds < 500 && median(report_of(chain(rounds)).samples) < time) rounds *= 2;
    return rounds;
}

} // namespace

TEST_CASE("series: four times the work takes about four times as long") {
    int const rounds = rounds_of(8e-3);
    double ratio = 0;
    for (int again = 0; again < 20; ++again) { // others may use the machine
        double const once = median(report_of(chain(rounds)).samples);
        double const four = median(report_of(chain(4 * rounds)).samples);
        ratio = four / once;
        MESSAGE("rounds " << rounds << ": " << once * 1e3 << " ms, four times as many "
                          << four * 1e3 << " ms");
        if (ratio > 3 && ratio < 5) break;
    }
    CHECK(ratio > 3);
    CHECK(ratio < 5);
    // And it was the work that took the time.
    std::uint32_t v = 4711;
    for (int k = 0; k < steps * rounds; ++k) v = (v ^ (v >> 7)) * 1664525U + 1013904223U;
    CHECK(numbers<std::uint32_t>(report_of(chain(rounds)).kept.at(0).outputs.at(0))[4711] == v);
}

TEST_CASE("series: samples are times, as many as were asked for") {
    auto t = chain(8);
    t.launches = 17;
    t.warmups = 5;
    auto const r = report_of(t);
    CHECK(r.samples.size() == 17);
    CHECK(r.end == lkt::sampling_end::all_taken);
    auto const begin = clock_type::now();
    double sum = 0;
    for (auto const s : report_of(t).samples) {
        CHECK(s.count() > 0);
        CHECK(std::isfinite(s.count()));
        sum += s.count();
    }
    // No more than passed on the wall.
    CHECK(sum < std::chrono::duration<double>(clock_type::now() - begin).count());
    if (!r.megahertz.empty()) CHECK(r.megahertz.size() == r.samples.size());
    CHECK(r.occupancy >= 0);
    CHECK(r.occupancy <= 1);
}

TEST_CASE("series: one ends early when it knows enough, or leaves the wish alone") {
    auto t = chain(rounds_of(2e-4));
    t.launches = 300;
    request_over r(t);
    r.request.sampling.min_launches = 10;
    r.request.sampling.precision = 0.2;
    auto const enough = r.run(tested().gpu, compiled(t));
    CHECK(enough.samples.size() >= 10);
    CHECK(enough.samples.size() <= 300);
    if (tested().ends_early) {
        CHECK(enough.samples.size() < 300);
        CHECK(
            (enough.end == lkt::sampling_end::precise || enough.end == lkt::sampling_end::steady));
    } else {
        CHECK(enough.samples.size() == 300);
        CHECK(enough.end == lkt::sampling_end::all_taken);
    }
}

TEST_CASE("series: one that cannot win is given up, after its least number of launches") {
    auto t = chain(8);
    t.launches = 20;
    t.keep = {0, 1};
    request_over r(t);
    r.request.sampling = {.min_launches = 2, .give_up_above = lkt::seconds{1e-12}};
    auto const hopeless = r.run(tested().gpu, compiled(t));
    CHECK(hopeless.samples.size() == (tested().ends_early ? 2 : 20));
    CHECK(hopeless.end ==
          (tested().ends_early ? lkt::sampling_end::gave_up : lkt::sampling_end::all_taken));
    CHECK(hopeless.kept.size() == 2);
    r.request.sampling = {.min_launches = 2, .give_up_above = lkt::seconds{1000}};
    CHECK(r.run(tested().gpu, compiled(t)).samples.size() == 20);
}

TEST_CASE("series: one ends when its time is over") {
    auto t = chain(rounds_of(2e-4));
    t.launches = 100;
    request_over r(t);
    r.request.sampling = {.min_launches = 3, .time = lkt::seconds{1e-9}};
    auto const over = r.run(tested().gpu, compiled(t));
    CHECK(over.samples.size() == (tested().ends_early ? 3 : 100));
    if (tested().ends_early) CHECK(over.end == lkt::sampling_end::time_over);
}

TEST_CASE("series: warm caches are measured, too") {
    auto t = chain(8);
    request_over r(t);
    r.request.sampling.cold = false;
    auto const hot = r.run(tested().gpu, compiled(t));
    CHECK(hot.samples.size() == 9);
    for (auto const s : hot.samples) CHECK(s.count() > 0);
}
