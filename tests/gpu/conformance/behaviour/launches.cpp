// SPDX-License-Identifier: BSL-1.0
// What a run promises of each launch: contents restored, outputs poisoned, what is kept.
#include "programs.hpp"

#include <lkt/gpu/fill.hpp>
#include <lkt/verify/compare.hpp>

#include <limits>
#include <set>

using namespace conformance;
using namespace support;

TEST_CASE("launches: the device describes itself") {
    auto const d = tested().gpu.device({}).value();
    MESSAGE(d.name << ", " << d.driver);
    CHECK(!d.name.empty());
    CHECK(d.backend == tested().name);
    CHECK(!d.driver.empty());
    CHECK(d.languages == std::vector<lkt::language>{tested().language});
    CHECK(d.max_threads_per_block >= 256);
    CHECK(d.max_block.x >= 256);
    CHECK(d.max_grid.x >= 65'535);
    CHECK(d.shared_memory_per_block.count >= 16 * 1024);
    if (d.memory.count != 0) CHECK(d.memory.count >= std::uint64_t{128} << 20); // 0: unknown
    CHECK(tested().gpu.device({}).value().name == d.name);
}

TEST_CASE("launches: before each of them inout is restored, and out holds a fresh pattern") {
    auto t = counter();
    t.warmups = 2;
    t.launches = 5;
    t.keep = {0, 2, 4};
    auto const r = report_of(t);
    CHECK(r.samples.size() == 5); // warm-ups are no samples
    for (auto const s : r.samples) CHECK(s.count() > 0);
    REQUIRE(r.kept.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(r.kept[i].launch == t.keep[i]);
        REQUIRE(r.kept[i].outputs.size() == 2);
        CHECK(numbers<int>(r.kept[i].outputs[0]) == std::vector<int>{116});
    }
    for (std::size_t i = 0; i < 3; ++i) // nobody wrote it: the same for the same seed
        CHECK(report_of(t).kept[i].outputs == r.kept[i].outputs);
    t.seed = 2;
    CHECK(report_of(t).kept[0].outputs[1] != r.kept[0].outputs[1]);
}

TEST_CASE(
    "launches: before each of them out holds what the seed draws, and the first kept one noise") {
    auto t = counter();
    t.launches = 60;
    t.keep.clear();
    for (int k = 0; k < t.launches; ++k) t.keep.push_back(k);
    auto const key = lkt::secret_of(t.seed);
    auto const r = report_of(t);
    REQUIRE(r.kept.size() == 60);
    std::set<std::vector<int>> noise;
    std::size_t noisy = 0, zeros = 0, ones = 0;
    for (int k = 0; k < t.launches; ++k) {
        auto const left = numbers<int>(r.kept[static_cast<std::size_t>(k)].outputs[1]);
        switch (lkt::fill_of_launch(key, k, 1, {.certain = k == 0})) {
        case lkt::fill_kind::zeros:
            ++zeros;
            CHECK(left == std::vector<int>(left.size(), 0));
            break;
        case lkt::fill_kind::ones:
            ++ones;
            CHECK(left == std::vector<int>(left.size(), 1));
            break;
        default:
            ++noisy;
            noise.insert(left);
        }
    }
    CHECK(noise.size() == noisy); // another pattern each time
    CHECK(zeros > 0);
    CHECK(ones > 0);
    CHECK(noisy >= 30);
}

TEST_CASE("launches: what is kept has the types of the arguments, and nothing is kept unasked") {
    auto t = counter();
    auto const r = report_of(t);
    REQUIRE(r.kept.size() == 1);
    for (std::size_t k = 0; k < 2; ++k) {
        CHECK(r.kept[0].outputs.at(k).type == t.arguments[k].data.type);
        CHECK(r.kept[0].outputs.at(k).buffer);
        CHECK(r.kept[0].outputs.at(k).bytes.size() == t.arguments[k].data.bytes.size());
    }
    t.keep = {};
    t.launches = 3;
    auto const none = report_of(t);
    CHECK(none.kept.empty());
    CHECK(none.samples.size() == 3);
}

TEST_CASE("launches: named contents may be kept, and are right again and again") {
    auto const x = random_floats(5000, 1), y = random_floats(5000, 2);
    auto const k = compiled(doubling(x));
    auto const tx = doubling(x), ty = doubling(y);
    request_over rx(tx), ry(ty);
    rx.request.contents = lkt::fresh_contents();
    ry.request.contents = lkt::fresh_contents();
    CHECK(rx.request.contents != ry.request.contents);
    for (int again = 0; again < 3; ++again) {
        CHECK(numbers<float>(rx.run(tested().gpu, k).kept.at(0).outputs.at(0))[4999] ==
              2 * x[4999]);
        CHECK(numbers<float>(ry.run(tested().gpu, k).kept.at(0).outputs.at(0))[4999] ==
              2 * y[4999]);
    }
    // An inout argument that launches change is what it was, too.
    auto const c = counter();
    auto const count = compiled(c);
    request_over rc(c);
    rc.request.contents = lkt::fresh_contents();
    for (int again = 0; again < 3; ++again)
        CHECK(numbers<int>(rc.run(tested().gpu, count).kept.at(0).outputs.at(0))[0] == 116);
}

namespace {

/// What is expected: found right where it lies, or handed over to be compared elsewhere.
bool found_right(lkt::run_report const& r) {
    auto const& kept = r.kept.at(0);
    if (kept.as_expected) CHECK(kept.outputs.empty());
    return kept.as_expected;
}

} // namespace

TEST_CASE("launches: expected outputs are compared on the device, or left alone") {
    auto const x = random_floats(100'000, 3);
    auto t = trial_of({R"(__global__ void k(float const* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * 3 + (i == 777 ? OFF : 0.0f);
})",
                       R"(override OFF: f32;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: i32;
@compute @workgroup_size(256) fn k(@builtin(global_invocation_id) id: vec3<u32>) {
    if (i32(id.x) < n) { y[id.x] = x[id.x] * 3.0 + select(0.0, OFF, id.x == 777u); }
})"},
                      {400},
                      {256},
                      {in(x), out<float>(x.size()), value(static_cast<int>(x.size()))});
    t.definitions.values = {{"OFF", 0.0}};
    auto const right = compiled(t);
    t.definitions.values = {{"OFF", 0.001}};
    auto const wrong = compiled(t);
    std::vector<float> expected;
    for (float const v : x) expected.push_back(v * 3);
    std::vector<lkt::argument_data> const values{
        lkt::make_buffer({lkt::scalar_type::float32, 1}, std::span<float const>(expected))};
    std::vector<lkt::tolerance> const bounds{{1e-5, 1e-6}};
    request_over r(t);
    r.request.contents = lkt::fresh_contents();
    r.request.expected = {lkt::fresh_contents(), values, bounds};
    for (int again = 0; again < 2; ++again) { // the second time from what the device kept
        auto const good = r.run(tested().gpu, right);
        CHECK(found_right(good) == tested().compares);
        if (!good.kept[0].as_expected)
            CHECK(distance(numbers<float>(good.kept[0].outputs.at(0)), expected) < 1e-6);
        auto const bad = r.run(tested().gpu, wrong);
        CHECK(!found_right(bad));
        auto const y = numbers<float>(bad.kept[0].outputs.at(0));
        CHECK(std::abs(y[776] - expected[776]) < 1e-6F);
        CHECK(std::abs(y[777] - expected[777]) > 5e-4F);
    }
}

TEST_CASE("launches: what is compared on the device is judged as on the host") {
    auto const inf = std::numeric_limits<float>::infinity();
    auto const nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> const e{nan, inf, -inf, 1.0f, 0.0f};
    std::vector<float> const variants[] = {{nan, inf, -inf, 1.0f, -0.0f},
                                           {0, inf, -inf, 1.0f, 0},
                                           {nan, -inf, -inf, 1.0f, 0},
                                           {nan, inf, -inf, nan, 0},
                                           {nan, inf, -inf, 1.1f, 0}};
    // Moved as words, so that nothing is made of the NaN on the way.
    texts const copy{
        "__global__ void k(float const* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }",
        R"(@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(5) fn k(@builtin(local_invocation_index) i: u32) { y[i] = x[i]; })"};
    for (std::size_t v = 0; v < 5; ++v) {
        auto const t = trial_of(copy, {1}, {5}, {in(variants[v]), out<float>(5)});
        request_over r(t);
        std::vector<lkt::argument_data> const values{
            lkt::make_buffer({lkt::scalar_type::float32, 1}, std::span<float const>(e))};
        std::vector<lkt::tolerance> const bounds{{0.01, 0}};
        r.request.expected = {lkt::fresh_contents(), values, bounds};
        CAPTURE(v);
        auto const found = r.run(tested().gpu, compiled(t));
        // A back end may leave what is not finite to the host.
        bool const right = found_right(found) ||
                           !lkt::find_mismatch(values[0], found.kept[0].outputs.at(0), bounds[0]);
        CHECK(right == (v == 0));
    }
    std::vector<int> const whole{1, 2, 3};
    for (int const last : {3, 4}) {
        auto const t =
            trial_of({"__global__ void k(int* y, int last) { y[0] = 1; y[1] = 2; y[2] = last; }",
                      R"(@group(0) @binding(0) var<storage, read_write> y: array<i32>;
@group(0) @binding(1) var<uniform> last: i32;
@compute @workgroup_size(1) fn k() { y[0] = 1; y[1] = 2; y[2] = last; })"},
                     {1},
                     {1},
                     {out<int>(3), value(last)});
        request_over r(t);
        std::vector<lkt::argument_data> const values{
            lkt::make_buffer({lkt::scalar_type::int32, 1}, std::span<int const>(whole))};
        std::vector<lkt::tolerance> const bounds{{}};
        r.request.expected = {lkt::fresh_contents(), values, bounds};
        CHECK(found_right(r.run(tested().gpu, compiled(t))) == (tested().compares && last == 3));
    }
}

TEST_CASE("launches: many buffers, of odd sizes") {
    std::string cuda = "__global__ void k(", body, wgsl, assignments;
    std::vector<passed> arguments;
    for (int i = 0; i < 8; ++i) {
        auto const p = "p" + std::to_string(i), n = std::to_string(i);
        cuda += (i > 0 ? ", int* " : "int* ") + p;
        body += "if (threadIdx.x <= " + n + ") " + p + "[threadIdx.x] = " + n + ";";
        wgsl += "@group(0) @binding(" + n + ") var<storage, read_write> " + p + ": array<i32>;\n";
        assignments += "if (i <= " + n + "u) { " + p + "[i] = " + n + "; }";
        arguments.push_back(out<int>(static_cast<std::size_t>(i) + 1));
    }
    auto const t = trial_of({cuda + ") {" + body + "}",
                             wgsl +
                                 "@compute @workgroup_size(8) fn k("
                                 "@builtin(local_invocation_index) i: u32) {" +
                                 assignments + "}"},
                            {1},
                            {8},
                            arguments);
    auto const got = outputs(tested().gpu, t);
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(numbers<int>(got.at(i)) == std::vector<int>(i + 1, static_cast<int>(i)));
}
