// SPDX-License-Identifier: BSL-1.0
// WGSL in the checked mode of the host back end: what translations compute, the races that are
// found in them, and the kernels that have none. tests/gpu/webgpu/translated.cpp compares them with
// a device.
#include "support.hpp"
#include "support_host.hpp"

#include <lkt/kernel/signature.hpp>

#include <string>
#include <vector>

using namespace support;

namespace {

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// `out[64]` (f32) over `groups` workgroups of 32; `i` is the global index, `lane` the local one.
/// `body` begins on line 3.
trial kernel(std::string const& body, std::string const& module = {}, unsigned groups = 2) {
    trial t{"@group(0) @binding(0) var<storage, read_write> out: array<f32>; " + module +
                "\n@compute @workgroup_size(32) fn k(@builtin(global_invocation_id) id: vec3u, "
                "@builtin(local_invocation_index) lane: u32) { let i = id.x;\n" +
                body + "\n}",
            {groups},
            {32},
            {inout(std::vector<float>(64, -1.0F))}};
    t.language = lkt::language::wgsl;
    t.checked = true;
    return t;
}
std::vector<float> result_of(trial const& t) {
    return numbers<float>(outputs(shared_host(), t).at(0));
}
lkt::race race_in(trial const& t) { return failure_of<lkt::race>(shared_host(), t); }

constexpr char const* line_of_floats = "var<workgroup> line: array<f32, 32>;";

} // namespace

TEST_CASE("host wgsl: only the checked mode runs it") {
    auto t = kernel("out[i] = 1;");
    t.checked = false;
    CHECK(failure_of<lkt::refused>(shared_host(), t).what == "WGSL");
}

TEST_CASE("host wgsl: what is not translated is an error with its line") {
    auto const request = compile_request_of(kernel("out[i] = dpdx(1.0);"));
    auto const made = shared_host().compile(request);
    CHECK(made.error().code == "lkt.kernel.untranslated");
    CHECK(has(made.error().message, "line 3"));
}

TEST_CASE("host wgsl: accesses outside of an array leave everything as it is") {
    auto const v =
        result_of(kernel("out[i + 60] = 5; if i == 0 { out[1] = out[700] + f32(t[i + 9]); }",
                         "var<private> t: array<u32, 3>;"));
    CHECK(v[0] == -1);
    CHECK(v[1] == 0);
    CHECK(v[60] == 5);
    CHECK(v[63] == 5);
}

TEST_CASE("host wgsl: workgroup variables begin as zero in each workgroup") {
    auto const v = result_of(kernel("out[i] = line[lane]; line[lane] = 7;", line_of_floats));
    CHECK(v == std::vector<float>(64, 0.0F));
}

TEST_CASE("host wgsl: a barrier that is missing") {
    auto const what =
        race_in(kernel("line[lane] = f32(i);\nout[i] = line[31 - lane];", line_of_floats)).what;
    CHECK(has(what, "the workgroup variable line: "));
    CHECK(has(what, "of workgroup 0 (line 3)"));
    CHECK(has(what, "of workgroup 0 (line 4)"));
    CHECK(has(what, "is a workgroupBarrier or an atomic missing?"));
    CHECK_FALSE(has(what, "__sync"));
    auto const v = result_of(kernel(
        "line[lane] = f32(lane); workgroupBarrier(); out[i] = line[31 - lane];", line_of_floats));
    CHECK(v[0] == 31);
    CHECK(v[63] == 0);
}

TEST_CASE("host wgsl: a race that no order of invocations shows") {
    // Each order adds up the same whole numbers.
    CHECK(has(race_in(kernel("out[0] += 1;")).what, "data race on out[0]: "));
    CHECK(
        has(race_in(kernel("out[lane] += 1;")).what, "is a second dispatch or an atomic missing?"));
}

TEST_CASE("host wgsl: neighbours that no barrier separates are no instruction stream") {
    CHECK(has(race_in(kernel("line[lane] = 1; workgroupBarrier();\n"
                             "if lane < 16 { line[lane] += line[lane + 16];\n"
                             "line[lane] += line[lane + 8]; } out[i] = line[lane];",
                             line_of_floats))
                  .what,
              "data race on"));
}

TEST_CASE("host wgsl: a barrier that not all invocations reach") {
    auto const waits = race_in(kernel("if lane < 16 {\nworkgroupBarrier(); } out[i] = 1;")).what;
    CHECK(has(waits, "the barrier in line 4 is reached by 16 invocations of a workgroup of 32"));
    CHECK(has(race_in(kernel("if lane < 16 {\nworkgroupBarrier(); } else {\nworkgroupBarrier(); }"
                             " out[i] = 1;"))
                  .what,
              "wait at different barriers, in lines 4 and 5"));
    // A workgroup that has nothing to do may leave as a whole.
    CHECK(result_of(kernel("if id.x >= 32 { return; } workgroupBarrier(); out[i] = 1;"))[31] == 1);
}

TEST_CASE("host wgsl: honest ways to share memory are no race") {
    // Sums of floats by the bits of an atomic, in whatever order.
    trial t = kernel("var old = 0u; loop { let r = atomicCompareExchangeWeak(&sum, old, "
                     "bitcast<u32>(bitcast<f32>(old) + 0.1 * f32(i))); if r.exchanged { break; } "
                     "old = r.old_value; } out[i] = 1;",
                     "@group(0) @binding(1) var<storage, read_write> sum: atomic<u32>;");
    t.arguments.push_back(inout(std::vector<std::uint32_t>{0}));
    CHECK(result_of(t)[5] == 1);
    CHECK(result_of(kernel("if lane == 3 { flag = 2; } let f = workgroupUniformLoad(&flag);"
                           " out[i] = f32(f);",
                           "var<workgroup> flag: u32;"))[40] == 2);
    CHECK(result_of(
              kernel("line[lane] = 1; workgroupBarrier();\n"
                     "for (var half = 16u; half > 0; half /= 2) { if lane < half { line[lane] += "
                     "line[lane + half]; } workgroupBarrier(); } out[i] = line[0];",
                     line_of_floats))[33] == 32);
}

TEST_CASE("host wgsl: subgroups, of whatever size") {
    auto const v =
        result_of(kernel("let first = subgroupBroadcastFirst(lane);"
                         "let all = subgroupAdd(1.0); let mine = subgroupExclusiveAdd(1u);"
                         "let other = subgroupShuffleXor(lane, 1u);"
                         "let most = subgroupMax(vec2(f32(lane), 1));"
                         "let odd = countOneBits(subgroupBallot(lane % 2 == 1).x);"
                         "var wrong = f32(first + mine != lane) + f32(other != (lane ^ 1));"
                         "wrong += f32(most.x != f32(first) + all - 1) + f32(f32(odd) != all / 2);"
                         "out[i] = wrong;"));
    CHECK(v == std::vector<float>(64, 0.0F));
}

TEST_CASE("host wgsl: taking a subgroup for 32 invocations is no property of all devices") {
    auto const found = race_in(kernel("let all = subgroupAdd(f32(lane)); out[i] = all;"));
    CHECK(found.as == lkt::verdict::portability);
    CHECK(has(found.what, "between subgroups of 32 and of 8 invocations"));
    CHECK(has(lkt::describe(found), "how many threads make a subgroup"));
    auto const sized =
        kernel("if s == 32 { out[i] = subgroupAdd(f32(lane)); } else { out[i] = 496; }");
    auto with_size = sized;
    with_size.text.replace(
        with_size.text.find("lane: u32"), 9, "lane: u32, @builtin(subgroup_size) s: u32");
    CHECK(result_of(with_size)[7] == 496);
}
