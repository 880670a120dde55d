// SPDX-License-Identifier: BSL-1.0
// What the translation of a WGSL text computes is what the device computes: kernels that try each
// part of the language. The kernels of the conformance suite are compared in languages.cpp.
#include "../support_host.hpp"
#include "support_webgpu.hpp"

#include <lkt/core/files.hpp>
#include <lkt/problems/problem_file.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/problem_tests.hpp>
#include <lkt/verify/verify.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

using namespace webgpu_support;

namespace {

constexpr unsigned count = 64;

/// Each invocation writes words into `out[16 * id + ...]`, with `put_i`, `put_u`, `put_f`, which
/// take their place in turn; `module` stands before, `body` in the function.
std::string kernel(std::string const& module, std::string const& body) {
    return R"(@group(0) @binding(0) var<storage, read> in_words: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<private> place: u32;
fn put_u(v: u32) { out[place] = v; place += 1u; }
fn put_i(v: i32) { put_u(bitcast<u32>(v)); }
fn put_f(v: f32) { put_u(bitcast<u32>(v)); }
)" + module +
           R"(
@compute @workgroup_size(32)
fn k(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    place = id.x * 16u;
    let u = in_words[id.x];
    let i = bitcast<i32>(u);
    let f = f32(i32(id.x) - 20) * 0.375;
)" + body + "\n}\n";
}

std::vector<std::uint32_t> words_in() {
    std::vector<std::uint32_t> v{0, 1, 2, 0x80000000U, 0x7fffffffU, 0xffffffffU, 31, 32, 33};
    for (std::uint32_t x = 12345; v.size() < count; x = x * 1664525U + 1013904223U) v.push_back(x);
    return v;
}

std::vector<std::uint32_t> words_of(std::vector<lkt::argument_data> const& outputs) {
    return support::numbers<std::uint32_t>(outputs.at(0));
}

/// Words are equal, or floats that differ by rounding alone.
bool alike(std::uint32_t a, std::uint32_t b) {
    if (a == b) return true;
    float x = 0, y = 0;
    std::memcpy(&x, &a, 4);
    std::memcpy(&y, &b, 4);
    if (std::isnan(x) && std::isnan(y)) return true;
    return std::fabs(x - y) <= 2e-5F * std::max({1.0F, std::fabs(x), std::fabs(y)});
}

void compare(std::string const& text) {
    auto t =
        wgsl(text,
             {count / 32},
             {32},
             {support::in(words_in()), support::inout(std::vector<std::uint32_t>(16 * count, 7U))});
    auto const device = words_of(support::outputs(shared(), t));
    t.checked = true;
    auto const host = words_of(support::outputs(support::wgsl_host(), t));
    REQUIRE(device.size() == host.size());
    CAPTURE(text);
    for (std::size_t k = 0; k < device.size(); ++k) {
        CAPTURE(k / 16);
        CAPTURE(k % 16);
        CAPTURE(device[k]);
        CAPTURE(host[k]);
        CHECK(alike(device[k], host[k]));
        if (!alike(device[k], host[k])) return;
    }
}
void compare(std::string const& module, std::string const& body) { compare(kernel(module, body)); }

/// The problem's small tests, with what the device computes.
lkt::test_suite suite_of(lkt::problem const& task) {
    auto tests = lkt::problem_tests{.hidden_sizes = 2, .menu = false}.generate(task, {});
    if (!tests) throw std::runtime_error(lkt::to_string(tests.error()));
    std::erase_if(*tests, [](lkt::test_case const& test) {
        std::size_t bytes = 0;
        for (auto const& a : test.arguments) bytes += a.bytes.size();
        return bytes > std::size_t{512} << 10;
    });
    auto suite = lkt::prepare_suite(shared(), task, std::move(*tests), {});
    if (!suite) throw std::runtime_error(lkt::to_string(suite.error()));
    return std::move(*suite);
}

} // namespace

TEST_CASE("webgpu translated: integers wrap, and divide as WGSL has it") {
    if (!have_device()) return;
    compare("", R"(
    let v = in_words[(id.x + 3u) % 64u];
    put_u(u + v); put_u(u - v); put_u(u * v);
    put_u(u / v); put_u(u % v);
    put_i(i / bitcast<i32>(v)); put_i(i % bitcast<i32>(v));
    put_u(u << (v & 31u)); put_u(u >> (v & 31u)); put_i(i >> (v & 31u));
    put_i(-i); put_u(~u); put_u((u & v) | (u ^ 0xffu));
    put_i(i + 1); put_i(i * 3 - 0x7fffffff); put_u(u32(i < 5 && u > 3u || !(v == u)));)");
}

TEST_CASE("webgpu translated: bits, packing, conversions") {
    if (!have_device()) return;
    compare("", R"(
    put_u(countOneBits(u)); put_u(countLeadingZeros(u)); put_u(countTrailingZeros(u));
    put_u(firstLeadingBit(u)); put_i(firstLeadingBit(i)); put_u(firstTrailingBit(u));
    put_u(reverseBits(u)); put_u(extractBits(u, 3u, 7u)); put_i(extractBits(i, 3u, 7u));
    put_u(insertBits(u, 0x5au, 4u, 9u));
    put_u(pack4x8unorm(vec4(f, 0.5, -1, 2))); put_u(pack2x16float(vec2f(f, 1.5)));
    put_f(unpack4x8snorm(u).y); put_f(unpack2x16unorm(u).x);
    put_i(i32(f)); put_u(u32(max(f, 0.0)));)");
    compare("", R"(
    put_u(bitcast<u32>(f)); put_i(i32(u)); put_u(u32(i)); put_f(f32(u)); put_f(f32(i));
    put_u(u32(true)); put_f(f32(u > 5u)); put_u(u32(bool(u)));
    put_u(bitcast<vec2<u32>>(vec2f(f, 2)).x); put_f(vec3f(vec3u(u, 2u, 3u)).x);
    put_i(min(i, 4)); put_u(max(u, 9u)); put_i(clamp(i, -5, 5)); put_i(abs(i)); put_i(sign(i));
    put_i(select(1, i, u > 9u));)");
}

TEST_CASE("webgpu translated: control flow") {
    if (!have_device()) return;
    compare("fn early(n: u32) -> u32 { if n > 3u { return 1u; } else if n == 2u { return 2u; } "
            "return 3u; }",
            R"(
    var sum = 0u;
    for (var k = 0u; k < 10u; k++) { if k % 3u == 0u { continue; } if k == 8u { break; } sum += k; }
    put_u(sum);
    var n = id.x;
    loop { if n % 2u == 1u { continue; } sum += n; continuing { n += 1u; break if n > 40u; } }
    put_u(sum); put_u(n);
    loop { n -= 1u; if n < 10u { break; } }
    put_u(n);
    while n < 30u { n *= 2u; }
    put_u(n);
    switch id.x % 5u { case 0u, 1u: { sum = 10u; } case 2u { sum = 20u; break; } case 3u, default { sum += 1u; } }
    put_u(sum);
    for (var k = 0; k < 3; k++) { switch k { case 1: { continue; } default: {} } sum += 100u; }
    put_u(sum);
    put_u(early(id.x));
    { let sum = 5u; put_u(sum); { let sum = sum + 1u; put_u(sum); } }
    var outer = 0;
    loop {
        var inner = 0;
        loop { inner += 1; if inner == 2 { let outer = 9; if outer > inner { continue; } }
            continuing { outer += inner; break if inner > 3; } }
        if outer > 40 { break; }
    }
    put_i(outer);
    var t = 0u;
    for (;;) { t += 2u; if t > u % 17u { break; } }
    put_u(t);)");
}

TEST_CASE("webgpu translated: vectors, matrices, functions of floats") {
    if (!have_device()) return;
    compare("", R"(
    var v = vec4(f, 1, 2, 3);
    v.y += 2; v[2] = v.x * v.w; v = v.wzyx;
    put_f(v.x); put_f(v.y); put_f(v.z); put_f(v.a);
    let w = vec3(v.xy, 1) * 2 + vec3f(1);
    put_f(dot(w, v.rgb)); put_f(length(w)); put_f(cross(w, vec3(1, f, 2)).y);
    put_f(normalize(w).x); put_f(distance(w.xy, vec2(f)));
    let m = mat2x3(1, 2, f, 4, 5, 6);
    put_f((m * vec2(f, 2)).z); put_f((vec3(1, f, 2) * m).y); put_f((transpose(m) * m)[1].x);
    put_f(determinant(mat3x3f(vec3(1, 2, f), vec3(0, 1, 4), vec3(5, 6, 0))));
    put_u(u32(all(v < vec4(100)))); put_f(select(v, w.xyzx, v > vec4(1.0)).x);)");
    compare("", R"(
    let x = abs(f) + 0.25;
    put_f(sqrt(x)); put_f(inverseSqrt(x)); put_f(exp(f * 0.1)); put_f(log(x)); put_f(exp2(f * 0.2));
    put_f(sin(f)); put_f(atan2(f, x)); put_f(pow(x, 1.5)); put_f(fract(f)); put_f(floor(f));
    put_f(round(f)); put_f(mix(f, 3, 0.25)); put_f(smoothstep(-2.0, 3, f)); put_f(step(0.5, f));
    put_f(fma(f, 2, x)); put_f(f % 1.25);)");
    compare("", R"(
    put_f(modf(f).fract); put_f(modf(f).whole); put_f(frexp(f).fract); put_i(frexp(f).exp);
    put_f(ldexp(f, 3)); put_f(saturate(f)); put_f(trunc(f)); put_f(sign(f)); put_f(tanh(f));
    put_f(degrees(f)); put_f(reflect(vec2(f, 1), normalize(vec2(1.0, 2))).x);
    put_f(quantizeToF16(f * 0.1)); put_f(clamp(f, -1, 1)); put_f(max(f, 0)); put_f(-f); put_f(f / 3);)");
}

TEST_CASE("webgpu translated: constants, structs, arrays, pointers") {
    if (!have_device()) return;
    compare(R"(
const N = 4;
const weights = array<f32, N>(0.5, 1, 1.5, 2);
const offsets = array(vec2(1.0, 2), vec2(3.0, 4));
override scale: f32 = 2 * N;
alias row = array<f32, N>;
struct particle { at: vec3f, mass: f32, kind: u32, next: vec2<f32> }
var<private> seen = 3u;
var<private> table: array<u32, 5>;
fn bump(p: ptr<function, u32>, by: u32) -> u32 { *p += by; return *p * 2u; }
fn total(p: ptr<function, row>) -> f32 { var s = 0.0; for (var k = 0; k < N; k += 1) { s += (*p)[k] * weights[k]; } return s; }
fn moved(p: particle, by: f32) -> particle { var q = p; q.at += vec3(by, 0, by); q.kind = 1u << 3u; return q; }
)",
            R"(
    var n = u % 100u;
    put_u(bump(&n, 3)); put_u(n);
    let p = &n; *p = *p + 1; put_u(*p);
    seen += n; put_u(seen);
    var r: row; for (var k = 0; k < N; k++) { r[k] = f + f32(k); }
    put_f(total(&r)); put_f(scale); put_f(offsets[id.x % 2u].y);
    var q = moved(particle(vec3(1, 2, 3), f, 2, vec2()), 0.5);
    put_f(q.at.x); put_f(q.at.z); put_u(q.kind); q.next.y = 4; put_f(q.next.y + q.next.x);
    table[id.x % 5u] = 9u; put_u(table[2]);
    let copy = r; r[1] = 0; put_f(copy[1]);
    let nested = array<array<u32, 2>, 2>(array(1u, 2u), array(3u, 4u)); put_u(nested[id.x % 2u][1]);
    const twice = 2 * N; put_i(twice);)");
}

TEST_CASE("webgpu translated: structs in buffers lie where WGSL has them") {
    if (!have_device()) return;
    support::trial t = wgsl(R"(
struct item { a: u32, at: vec3f, b: f32, m: mat3x3f, small: array<vec3<u32>, 2>, c: vec2<u32> }
struct items { n: u32, all: array<item> }
struct ids { @builtin(global_invocation_id) global: vec3u, @builtin(workgroup_id) group: vec3<u32> }
struct settings { gain: f32, add: vec3<u32>, which: u32 }
@group(0) @binding(0) var<storage, read_write> data: items;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> how: settings;
@group(0) @binding(3) var<storage, read> three: array<vec3<f32>>;
@compute @workgroup_size(4)
fn k(in: ids) {
    let i = in.global.x;
    if i >= arrayLength(&data.all) { return; }
    let it = &data.all[i];
    (*it).b += 1;
    it.m[1].z = 5;
    data.all[i].small[1].y = i + how.add.z;
    data.all[i].at = data.all[i].at.zyx * how.gain;
    out[4 * i] = f32(data.n) + f32(arrayLength(&data.all)) + f32(in.group.x);
    out[4 * i + 1] = three[i % arrayLength(&three)].z;
    out[4 * i + 2] = f32(how.which) + f32(arrayLength(&three));
    out[4 * i + 3] = it.m[2][1] + f32(it.c.y);
})",
                            {2},
                            {4},
                            {});
    constexpr std::size_t words = 4 + 6 * 32; // six items of 128 bytes behind n
    std::vector<std::uint32_t> data(words);
    for (std::size_t k = 0; k < words; ++k) data[k] = static_cast<std::uint32_t>(k);
    t.arguments = {support::inout(data),
                   support::inout(std::vector<float>(32, 0.0F)),
                   support::value(1.5F),
                   {lkt::argument_data{{lkt::scalar_type::uint32, 3},
                                       false,
                                       std::vector<std::byte>(12, std::byte{1})},
                    {}},
                   support::value(std::uint32_t{4}),
                   support::in(std::vector<float>{1, 2, 3, 4, 5, 6}, 3)};
    auto const device = support::outputs(shared(), t);
    t.checked = true;
    auto const host = support::outputs(support::wgsl_host(), t);
    CHECK(support::numbers<std::uint32_t>(device.at(0)) ==
          support::numbers<std::uint32_t>(host.at(0)));
    CHECK(support::numbers<float>(device.at(1)) == support::numbers<float>(host.at(1)));
    CHECK(support::numbers<std::uint32_t>(host.at(0)) != data);
}

TEST_CASE("webgpu translated: what invocations do together") {
    if (!have_device()) return;
    compare(R"(
var<workgroup> total: atomic<u32>;
var<workgroup> most: array<atomic<i32>, 3>;
var<workgroup> line: array<vec3<u32>, 32>;
var<workgroup> flag: u32;
struct atomic_result_word { v: u32 }
fn add(k: u32) -> u32 { let p = &line; return (*p)[k].y; }
)",
            R"(
    put_u(atomicLoad(&total));
    put_u(flag);
    workgroupBarrier();
    atomicAdd(&total, u % 7u);
    atomicMax(&most[1], i % 50); atomicMin(&most[2], i % 50); atomicXor(&most[0], i);
    line[lane] = vec3(lane, u % 9u, 1);
    if lane == 3 { flag = 77u; }
    workgroupBarrier();
    put_u(atomicLoad(&total)); put_i(atomicLoad(&most[0])); put_i(atomicLoad(&most[1]));
    put_i(atomicLoad(&most[2]));
    put_u(add(31u - lane));
    put_u(workgroupUniformLoad(&flag));
    var w: atomic_result_word;
    put_u(w.v);
    let r = atomicCompareExchangeWeak(&total, 0xffffffffu, 1u);
    put_u(u32(r.exchanged));
    storageBarrier();)");
}

TEST_CASE("webgpu translated: the kernels of this repository") {
    if (!have_device()) return;
    std::filesystem::path const tests = LKT_TEST_SOURCE_DIR;
    int compared = 0;
    for (auto const& folder : {tests / "lkt_verify/cases/problems", tests / "../examples/kernels"})
        for (auto const& file : std::filesystem::directory_iterator(folder)) {
            std::string const name = file.path().filename().string();
            // Of 65,535 rounds the software driver makes no more.
            if (!name.ends_with(".wgsl.json") || name.starts_with("vecadd_long")) continue;
            CAPTURE(name);
            auto const task = lkt::read_problem(file.path().string());
            REQUIRE_MESSAGE(task.has_value(), lkt::to_string(task.error()));
            auto const suite = suite_of(*task);
            lkt::compile_request request;
            request.source = task->reference;
            request.signature = lkt::find_kernel(task->reference, task->signature.name).value();
            request.definitions = suite.reference_configuration;
            request.checked = true;
            auto const made = support::wgsl_host().compile(request);
            REQUIRE_MESSAGE(made.has_value(), lkt::to_string(made.error()));
            REQUIRE(std::holds_alternative<lkt::compiled_kernel>(*made));
            auto const wrong = lkt::verify_kernel(support::wgsl_host(),
                                                  std::get<lkt::compiled_kernel>(*made),
                                                  *task,
                                                  task->launch,
                                                  request.definitions,
                                                  suite,
                                                  {});
            REQUIRE_MESSAGE(wrong.has_value(), lkt::to_string(wrong.error()));
            // Of points at the edge of the set, where one rounding more or less counts.
            auto const* const some = *wrong ? std::get_if<lkt::wrong_output>(&**wrong) : nullptr;
            bool const few = name == "mandelbrot.wgsl.json" && some != nullptr &&
                             some->wrong * 100 < some->total;
            CHECK_MESSAGE((!*wrong || few), lkt::describe(**wrong));
            ++compared;
        }
    CHECK(compared >= 18);
}
