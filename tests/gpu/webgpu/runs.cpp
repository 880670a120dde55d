// SPDX-License-Identifier: BSL-1.0
// What kernels compute, whatever their arguments look like.
#include "support_webgpu.hpp"

#include <lkt/gpu/webgpu/detail/inspector.hpp>
#include <lkt/kernel/half.hpp>

#include <cstdint>
#include <numeric>

using namespace webgpu_support;
using support::in;
using support::inout;
using support::numbers;
using support::out;
using support::outputs;
using support::value;

namespace {

template <class T>
std::vector<T> counting(std::size_t n, T from = 0) {
    std::vector<T> v(n);
    std::iota(v.begin(), v.end(), from);
    return v;
}

} // namespace

TEST_CASE("buffers of every type, vectors of three and sizes that are no multiple of 4 included") {
    if (!have_device()) return;
    auto const text = [](std::string const& type, std::string const& statement) {
        return "enable f16;\n@group(0) @binding(0) var<storage, read> x: array<" + type +
               ">;\n@group(0) @binding(1) var<storage, read_write> y: array<" + type +
               ">;\n@compute @workgroup_size(32)\nfn k(@builtin(global_invocation_id) id: vec3u) "
               "{\n  let i = id.x;\n  if i < 21 { " +
               statement + " }\n}";
    };
    constexpr std::size_t n = 21;
    auto const run = [&](std::string const& t, support::passed x, support::passed y) {
        return outputs(shared(), wgsl(t, {1}, {32}, {std::move(x), std::move(y)})).at(0);
    };

    SUBCASE("f32") {
        auto const x = support::random_floats(n, 1);
        auto const y = numbers<float>(run(text("f32", "y[i] = x[20 - i];"), in(x), out<float>(n)));
        CHECK(y == std::vector<float>(x.rbegin(), x.rend()));
    }
    SUBCASE("i32") {
        auto const x = counting<std::int32_t>(n, -10);
        auto const y = numbers<std::int32_t>(
            run(text("i32", "y[i] = -3 * x[i];"), in(x), out<std::int32_t>(n)));
        for (std::size_t i = 0; i < n; ++i) CHECK(y[i] == -3 * x[i]);
    }
    SUBCASE("u32, packed bytes") {
        std::vector<std::uint32_t> x(n);
        for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<std::uint32_t>(0x01020304 * i);
        auto const y = numbers<std::uint32_t>(
            run(text("u32", "y[i] = (x[i] >> 8u) & 0xffu;"), in(x), out<std::uint32_t>(n)));
        for (std::size_t i = 0; i < n; ++i) CHECK(y[i] == (x[i] >> 8 & 0xff));
    }
    SUBCASE("f16, 21 of them") {
        if (!lkt::webgpu_inspector::facts(shared()).f16) return;
        std::vector<std::uint16_t> x(n);
        for (std::size_t i = 0; i < n; ++i) x[i] = lkt::encode_float16(0.25 * double(i));
        auto const y = numbers<std::uint16_t>(
            run(text("f16", "y[i] = x[i] * 2h;"), in(x), out<std::uint16_t>(n)));
        REQUIRE(y.size() == n);
        for (std::size_t i = 0; i < n; ++i) CHECK(lkt::decode_float16(y[i]) == 0.5 * double(i));
    }
    for (unsigned lanes : {2u, 3u, 4u}) {
        CAPTURE(lanes);
        auto const x = counting<float>(n * lanes, 1);
        auto const type = "vec" + std::to_string(lanes) + "f";
        auto const y =
            numbers<float>(run(text(type, "y[i] = x[i] + y[i];"), in(x, lanes), inout(x, lanes)));
        REQUIRE(y.size() == x.size());
        for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == 2 * x[i]);
    }
}

TEST_CASE("several groups, a uniform struct with padding, a uniform array, overrides") {
    if (!have_device()) return;
    auto t = wgsl(R"(
override SCALE: f32 = 1;
@id(7) override SHIFT: i32;
override NEGATE = false;
struct inner { factor: vec3f, bias: f32 }
struct parameters { n: u32, a: vec2f, first: inner, last: i32 }
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(1) @binding(0) var<uniform> p: parameters;
@group(1) @binding(2) var<uniform> table: array<vec4f, 2>;
@group(3) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(8, 4) fn k(@builtin(local_invocation_index) i: u32) {
    if i >= p.n { return; }
    var v = x[i] * SCALE + f32(SHIFT) + p.a.y + p.first.factor.z * table[1].w + p.first.bias;
    v += f32(p.last) * table[0].x;
    y[i] = select(v, -v, NEGATE);
})",
                  {1},
                  {8, 4},
                  {});
    t.definitions.values = {{"SCALE", 0.5}, {"SHIFT", std::int64_t{-3}}, {"NEGATE", true}};
    auto const x = counting<float>(32, 1);
    std::vector<float> const a{0, 10}, factor{0, 0, 2}, table{100, 0, 0, 0, 0, 0, 0, 4};
    auto const vector = [](std::vector<float> const& v) {
        auto p = in(v, static_cast<unsigned>(v.size()));
        p.data.buffer = false;
        return p;
    };
    t.arguments = {in(x),
                   value(30u),
                   vector(a),
                   vector(factor),
                   value(0.25f),
                   value(std::int32_t{7}),
                   in(table, 4),
                   out<float>(32)};
    // What is not written keeps the pattern: ask for all but the last two.
    auto const y = numbers<float>(outputs(shared(), t).at(0));
    for (std::size_t i = 0; i < 30; ++i)
        CHECK(y[i] == -(x[i] * 0.5f - 3 + 10 + 2 * 4 + 0.25f + 7 * 100));
}

TEST_CASE("workgroup memory begins as zero in every workgroup of every launch") {
    if (!have_device()) return;
    // Each workgroup adds up what it finds, and leaves rubbish for the next one.
    auto t = wgsl(R"(
override N: u32 = 64;
struct cell { f: f32, n: atomic<u32>, v: array<atomic<i32>, 3> }
alias tile = array<array<f32, 9>, 7>;
var<workgroup> plain: tile; // two dimensions
var<workgroup> sized: array<u32, N * 2>;
var<workgroup> cells: array<cell, 5>;
var<workgroup> one: vec3i;
var<workgroup> count: atomic<u32>;
var<workgroup> unused: array<f32, 4096>;
@group(0) @binding(0) var<storage, read_write> found: array<u32>;

fn look() -> u32 {
    var wrong = 0u;
    for (var i = 0; i < 7; i++) { for (var j = 0; j < 9; j++) {
        if plain[i][j] != 0 { wrong++; }
    } }
    for (var i = 0u; i < 2 * N; i++) { if sized[i] != 0 { wrong++; } }
    for (var i = 0; i < 5; i++) {
        if cells[i].f != 0 || atomicLoad(&cells[i].n) != 0 { wrong++; }
        for (var j = 0; j < 3; j++) { if atomicLoad(&cells[i].v[j]) != 0 { wrong++; } }
    }
    if any(one != vec3i()) || atomicLoad(&count) != 0 { wrong++; }
    return wrong;
}
@compute @workgroup_size(32) fn k(@builtin(workgroup_id) group: vec3u,
                                  @builtin(local_invocation_id) local: vec3u) {
    let wrong = look();
    workgroupBarrier();
    atomicAdd(&count, wrong + 1);
    for (var i = local.x; i < 63; i += 32u) { plain[i / 9][i % 9] = 7; }
    for (var i = local.x; i < 2 * N; i += 32u) { sized[i] = 0xdeadbeefu; }
    if local.x < 5 {
        cells[local.x].f = 3;
        atomicStore(&cells[local.x].n, 9);
        for (var j = 0; j < 3; j++) { atomicStore(&cells[local.x].v[j], -1); }
    }
    if local.x == 0 { one = vec3i(1, 2, 3); }
    workgroupBarrier();
    found[group.x * 32 + local.x] = wrong + select(0u, 1u, atomicLoad(&count) != 32);
})",
                  {200},
                  {32},
                  {out<std::uint32_t>(200 * 32)});
    t.definitions.values = {{"N", std::int64_t{48}}};
    t.launches = 3;
    t.keep = {0, 2};
    auto const outcome = report_of(support::run(shared(), t));
    for (auto const& kept : outcome.kept) {
        auto const found = numbers<std::uint32_t>(kept.outputs.at(0));
        CHECK(std::accumulate(found.begin(), found.end(), 0u) == 0);
    }
    auto const compiled = shared().compile(support::compile_request_of(t));
    REQUIRE(compiled.has_value());
    CHECK(std::get<lkt::compiled_kernel>(*compiled).notes.back() ==
          "lkt sets workgroup variables to zero");
}

TEST_CASE("subgroups are there where the device has them, however the text asks for them") {
    if (!have_device() || !lkt::webgpu_inspector::facts(shared()).subgroups) return;
    for (char const* const ask : {"enable subgroups;",
                                  "enable f16, subgroups;",
                                  "enable subgroups, f16;",
                                  "// enable subgroups\nenable f16;diagnostic(off, "
                                  "derivative_uniformity);enable  subgroups ;"}) {
        CAPTURE(ask);
        auto const t = wgsl(ask + std::string(R"(
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn k(@builtin(local_invocation_index) i: u32,
                                  @builtin(subgroup_size) size: u32) {
    y[i] = select(0u, 1u, subgroupAdd(1u) == size && size > 1u);
})"),
                            {1},
                            {64},
                            {out<std::uint32_t>(64)});
        CHECK(numbers<std::uint32_t>(outputs(shared(), t).at(0)) ==
              std::vector<std::uint32_t>(64, 1));
    }
}

TEST_CASE("a long grid is folded for a kernel that allows it, and refused for one that does not") {
    if (!have_device()) return;
    constexpr std::uint32_t n = 70'001;
    auto const text = [](std::string const& place) {
        return "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
               "@compute @workgroup_size(1) fn k(@builtin(workgroup_id) group: vec3u, "
               "@builtin(num_workgroups) groups: vec3u) {\n  let i = " +
               place + ";\n  if i < arrayLength(&y) { y[i] = 3 * i; }\n}";
    };
    auto const y = numbers<std::uint32_t>(
        outputs(shared(),
                wgsl(text("group.y * groups.x + group.x"), {n}, {1}, {out<std::uint32_t>(n)}))
            .at(0));
    std::size_t wrong = 0;
    for (std::uint32_t i = 0; i < n; ++i) wrong += y[i] != 3 * i;
    CHECK(wrong == 0);
    auto plain = text("group.x");
    plain.replace(plain.find(", @builtin(num_workgroups) groups: vec3u"), 40, "");
    auto const no = support::failure_of<lkt::launch_failed>(
        shared(), wgsl(plain, {n}, {1}, {out<std::uint32_t>(n)}));
    CHECK(no.why.find("70001 workgroups in x") != std::string::npos);
    CHECK(no.why.find("@builtin(num_workgroups)") != std::string::npos);
}

TEST_CASE(
    "a coarse clock is made up for by launches in a row, and a missing one by the processor's") {
    if (!have_device()) return;
    auto const run = [](char const* step, support::trial t) {
        lkt::webgpu_options o;
        o.worker.environment = {std::string("LKT_WEBGPU_CLOCK_STEP=") + step};
        lkt::webgpu gpu(std::move(o));
        t.launches = 5;
        return report_of(support::run(gpu, t));
    };
    auto accumulating = doubler();
    accumulating.text.replace(accumulating.text.find("= 2 *"), 5, "+= 2 *");
    accumulating.arguments[1].flow = lkt::direction::inout;
    auto const exact = run("1", doubler());
    CHECK(exact.timing.empty());
    auto const coarse = run("65536", doubler());
    CHECK(coarse.timing.find("launches in a row") != std::string::npos);
    // A launch takes less than a step: only many of them together say how much.
    for (auto const s : coarse.samples) CHECK(s.count() > 0);
    CHECK(numbers<float>(coarse.kept.at(0).outputs.at(0)) == std::vector<float>{2, 4, 6, 8, 10});
    // Launches that build on one another cannot be repeated.
    auto const single = run("65536", accumulating);
    CHECK(single.timing.find("and so do the times") != std::string::npos);
    CHECK(numbers<float>(single.kept.at(0).outputs.at(0)) == std::vector<float>{2, 4, 6, 8, 10});
    auto const none = run("0", accumulating);
    CHECK(none.timing.find("CPU's clock") != std::string::npos);
    for (auto const s : none.samples) CHECK(s.count() > 0);
}
