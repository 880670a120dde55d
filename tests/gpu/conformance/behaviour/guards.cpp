// SPDX-License-Identifier: BSL-1.0
// What stands around every launch: other arguments each time, and nothing left of earlier ones.
#include "programs.hpp"

#include <set>

using namespace conformance;
using namespace support;

namespace {

/// `doubling` with three sets of arguments, each expected to give twice its input.
struct doubling_ring {
    explicit doubling_ring(std::size_t n) : t(doubling(random_floats(n, 1))), over(t) {
        t.launches = 24;
        over.request.launches = 24;
        over.request.keep.clear();
        for (int k = 0; k < 24; ++k) over.request.keep.push_back(k);
        over.request.contents = lkt::fresh_contents();
        for (unsigned seed = 1; seed < 4; ++seed) {
            inputs.push_back(random_floats(n, seed));
            auto& y = twice.emplace_back();
            for (float const v : inputs.back()) y.push_back(2 * v);
            arguments.push_back(over.arguments);
            arguments.back()[0] = lkt::make_buffer({lkt::scalar_type::float32, 1},
                                                   std::span<float const>(inputs.back()));
            expected.push_back(
                {lkt::make_buffer({lkt::scalar_type::float32, 1}, std::span<float const>(y))});
        }
        over.request.expected = {lkt::fresh_contents(), expected[0], bounds};
        for (std::size_t k = 1; k < 3; ++k)
            over.request.ring.push_back({arguments[k],
                                         lkt::fresh_contents(),
                                         {lkt::fresh_contents(), expected[k], bounds}});
    }

    trial t;
    request_over over;
    std::vector<std::vector<float>> inputs, twice;
    std::vector<std::vector<lkt::argument_data>> arguments, expected;
    std::vector<lkt::tolerance> bounds{{1e-6, 0}};
};

} // namespace

TEST_CASE("guards: launches take their arguments from a ring") {
    doubling_ring ring(3000);
    auto const k = compiled(ring.t);
    std::set<std::size_t> used;
    for (int again = 0; again < 2; ++again) { // the second time from what the device kept
        auto const r = ring.over.run(tested().gpu, k);
        REQUIRE(r.sets >= 1);
        REQUIRE(r.sets <= 3);
        REQUIRE(r.kept.size() == 24);
        for (auto const& kept : r.kept) {
            CHECK(kept.set ==
                  lkt::set_of_launch(ring.over.request.poison_seed, kept.launch, r.sets));
            REQUIRE(kept.set < 3);
            used.insert(kept.set);
            CHECK(kept.as_expected == tested().compares);
            if (!kept.as_expected)
                CHECK(numbers<float>(kept.outputs.at(0)) == ring.twice[kept.set]);
        }
        if (r.sets > 1) CHECK(used.size() == r.sets);
    }
}

TEST_CASE("guards: an output is compared with what its own arguments make expected") {
    doubling_ring ring(3000);
    ring.expected[1][0].bytes[2] ^= std::byte{0x40}; // the middle set's, and nothing else
    auto const r = ring.over.run(tested().gpu, compiled(ring.t));
    for (auto const& kept : r.kept) {
        CHECK(kept.as_expected == (tested().compares && kept.set != 1));
        if (kept.set == 1) CHECK(numbers<float>(kept.outputs.at(0)) == ring.twice[1]);
    }
}

TEST_CASE("guards: a set of the ring that does not fit is an error") {
    doubling_ring ring(3000);
    auto const shorter = std::vector{ring.arguments[1][0]};
    ring.over.request.ring[0].arguments = shorter;
    auto const outcome = tested().gpu.run(compiled(ring.t), ring.over.request, {});
    REQUIRE(!outcome.has_value());
    CHECK(outcome.error().code == "lkt." + tested().name + ".request");
}

TEST_CASE("guards: outputs that are handed out again are wrong for other arguments") {
    if (tested().language == lkt::language::wgsl) return; // nothing survives a launch there
    doubling_ring ring(256);
    ring.t.text = R"(__device__ float kept[256]; __device__ int launches[2];
__global__ void twice(float const* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (launches[0] == 0) kept[i] = 2 * x[i];
    y[i] = kept[i];
    if (i == 0) launches[1] = 1;
    if (i == n - 1) launches[0] = launches[1];
})";
    auto const r = ring.over.run(tested().gpu, compiled(ring.t));
    REQUIRE(r.sets > 1);
    int wrong = 0;
    for (auto const& kept : r.kept)
        wrong += !kept.as_expected && numbers<float>(kept.outputs.at(0)) != ring.twice[kept.set];
    CHECK(wrong > 0);
}

TEST_CASE("guards: a kernel that is loaded anew has forgotten everything") {
    if (tested().language == lkt::language::wgsl) return;
    auto const t =
        trial_of({"__device__ int count = 40; __global__ void k(int* y) { y[0] = ++count; }", ""},
                 {1},
                 {1},
                 {out<int>(1)});
    auto const k = compiled(t);
    if (k.writable_bytes) CHECK(*k.writable_bytes >= 4);
    request_over over(t);
    over.request.launches = 3;
    over.request.keep = {0, 2};
    over.request.fresh = true;
    for (int again = 0; again < 3; ++again) {
        auto const r = over.run(tested().gpu, k);
        CHECK(numbers<int>(r.kept.at(0).outputs.at(0)) == std::vector<int>{41});
        CHECK(numbers<int>(r.kept.at(1).outputs.at(0)) == std::vector<int>{43});
    }
    if (auto const other = compiled(counter()); other.writable_bytes)
        CHECK(*other.writable_bytes == 0);
}

TEST_CASE("guards: programs that are one and the same have one digest") {
    auto const x = random_floats(10, 1);
    auto one = doubling(x), useless = one, other = one;
    useless.definitions.values = {{"NOT_THERE", std::int64_t{7}}};
    auto const at = other.text.find("2");
    other.text.replace(
        other.text.find(tested().language == lkt::language::wgsl ? "2.0" : "2 *"), 1, "3");
    REQUIRE(at != std::string::npos);
    auto const digest = compiled(one).digest;
    if (digest == 0) return; // unknown
    if (tested().language == lkt::language::cuda) CHECK(compiled(useless).digest == digest);
    CHECK(compiled(one).digest == digest);
    CHECK(compiled(other).digest != 0);
    CHECK(compiled(other).digest != digest);
}
