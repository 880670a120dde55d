// SPDX-License-Identifier: BSL-1.0
// Translations of WGSL on the host back end: what they compute, the races that are
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
    return numbers<float>(outputs(wgsl_host(), t).at(0));
}
lkt::race race_in(trial const& t) { return failure_of<lkt::race>(wgsl_host(), t); }

constexpr char const* line_of_floats = "var<workgroup> line: array<f32, 32>;";

} // namespace

TEST_CASE("host wgsl: it runs translations, and no text") {
    auto t = kernel("out[i] = 1;");
    CHECK(failure_of<lkt::refused>(shared_host(), t).what == "WGSL");
    t.checked = false;
    CHECK(failure_of<lkt::refused>(shared_host(), t).what == "WGSL");
}

TEST_CASE("host wgsl: what is not translated is an error with its line") {
    auto const request = compile_request_of(kernel("out[i] = dpdx(1.0);"));
    auto const made = wgsl_host().compile(request);
    CHECK(made.error().code == "lkt.kernel.untranslated");
    CHECK(has(made.error().message, "line 3"));
}

TEST_CASE("host wgsl: accesses outside of an array leave everything as it is") {
    auto const v = result_of(
        kernel("out[i + 60] = 5; if i == 0 { out[1] = select(f32(t[i + 9]), out[700], out[800] < "
               "9); out[1] = f32(out[1] < 9); }",
               "var<private> t: array<u32, 3>;"));
    CHECK(v[0] == -1);
    CHECK(v[1] == 1);
    CHECK(v[60] == 5);
    CHECK(v[63] == 5);
}

TEST_CASE("host wgsl: what is read outside of an array may be any element") {
    std::string const table = "var<private> t: array<f32, 3> = array(1, 2, 3); "
                              "struct late { n: u32, at: array<u32> } "
                              "@group(0) @binding(1) var<storage, read_write> s: late;";
    for (std::string const body : {"out[i] = t[i + 3];",
                                   "out[i] = out[i + 64];",
                                   "let v = vec3f(1, 2, 3); out[i] = v[i + 3];",
                                   "let m = mat2x2f(1, 2, 3, 4); out[i] = m[i + 2].x;",
                                   "let p = &t; out[i] = p[i + 3];",
                                   "const c = array(1, 2, 3); out[i] = f32(c[i + 3]);",
                                   "out[i] = f32(s.at[i + 9]);"}) {
        CAPTURE(body);
        trial t = kernel(body, table);
        t.arguments.push_back(inout(std::vector<std::uint32_t>{1, 2, 3}));
        auto const found = race_in(t);
        CHECK(found.as == lkt::verdict::portability);
        CHECK(has(found.what, "means the last element instead of none"));
        CHECK(has(lkt::describe(found), "what differs between devices"));
    }
    // What is dropped may be read.
    auto t =
        kernel("out[i] = select(out[i + 1], 7, i == 63) * 0 + select(7.0, out[i + 64], i > 63);");
    CHECK(has(race_in(t).what, "data race on out["));
    t = kernel("out[i] = select(7.0, out[i + 64], i > 63);");
    CHECK(result_of(t)[63] == 7);
}

TEST_CASE("host wgsl: a store beyond an array may be one to its last element") {
    auto const found = race_in(kernel("out[i] = 1; if (i == 0) { out[i + 64] = 7; }"));
    CHECK(has(found.what, "means the last element instead of none"));
    auto const added = race_in(kernel("out[i] = 1; if (i == 0) { out[i + 64] += 7; }"));
    CHECK(has(added.what, "means the last element instead of none"));
    // What the same thread overwrites changes nothing, nor does a store that is not made.
    CHECK(result_of(kernel("if (i == 63) { out[i + 1] = 7; } out[i] = 1;"))[63] == 1);
    CHECK(result_of(kernel("if (i < 64) { out[i] = 1; }"))[63] == 1);
}

TEST_CASE("host wgsl: who shows what lay in an output is not blamed for its NaNs") {
    auto t = kernel("if out[i] == out[i] { return; } out[i] = 1;");
    t.arguments = {out<float>(4096)};
    t.grid = {128};
    CHECK(result_of(t).size() == 4096);
}

TEST_CASE("host wgsl: a barrier that depends on what WGSL leaves to the implementation") {
    auto const behind = [](std::string const& condition) {
        return kernel(
            "line[lane] = f32(i + 1); let nan = bitcast<f32>(0x7fc00000u | n); let t = 1 + "
            "f32(n) * 1e-4; if " +
                condition + " { workgroupBarrier(); } if lane == 31 { out[i / 32] = line[0]; }",
            std::string{line_of_floats} +
                " var<private> n: u32 = 517; var<private> zero: array<u32, 2> = array(1, 1);");
    };
    std::string const outside = "zero[n] == 0", fma = "fma(t, t, -(t * t)) != 0";
    CHECK(has(race_in(behind(outside)).what, "it is there where an index outside of an array"));
    CHECK(has(race_in(behind(fma)).what, "it is there where fma rounds twice"));
    for (std::string const nan : {"nan != nan",
                                  "!(nan == nan)",
                                  "!(nan < 1)",
                                  "!(1 >= nan)",
                                  "all(vec2(nan, 1) != vec2(nan, 2))",
                                  "max(nan, 1) == 1",
                                  "bool(nan)",
                                  "i32(nan) == 0"}) {
        CAPTURE(nan);
        CHECK(has(race_in(behind(nan)).what, "it is there where "));
    }
    // What one choice does, another one does not undo.
    CHECK(has(race_in(behind("(" + outside + ") == (" + fma + ")")).what, "it is there where"));
    // Nor is anything decided before it runs.
    CHECK(
        has(race_in(kernel("line[lane] = 1; let k = 0x7fc00001u; let differs = bitcast<f32>(k) != "
                           "bitcast<f32>(k); if differs { workgroupBarrier(); } if lane == 31 { "
                           "out[i / 32] = line[0]; }",
                           line_of_floats))
                .what,
            "it is there where comparisons"));
}

TEST_CASE("host wgsl: fma rounds as it likes, and NaNs that are not there are looked for") {
    auto const v = result_of(kernel(
        "let t = 1 + f32(i) * 1e-4; let r = fma(t, t, -(t * t)); if r != r { out[i] = 1 / r; "
        "} else { out[i] = t; } "));
    CHECK(v[1] == 1.0001F);
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

TEST_CASE("host wgsl: each barrier orders its own memory, and atomics order nothing else") {
    auto const through = [](std::string const& barrier) {
        return kernel("out[i] = f32(lane);\n" + barrier + "();\nlet v = out[i ^ 1];\n" + barrier +
                      "();\nout[i] = v;");
    };
    CHECK(result_of(through("storageBarrier"))[2] == 3);
    CHECK(has(race_in(through("workgroupBarrier")).what, "data race on out["));
    CHECK(has(race_in(kernel("line[lane] = f32(i);\nstorageBarrier();\nout[i] = line[31 - lane];",
                             line_of_floats))
                  .what,
              "the workgroup variable line"));
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
    CHECK(has(lkt::describe(found), "what differs between devices"));
    auto const sized =
        kernel("if s == 32 { out[i] = subgroupAdd(f32(lane)); } else { out[i] = 496; }");
    auto with_size = sized;
    with_size.text.replace(
        with_size.text.find("lane: u32"), 9, "lane: u32, @builtin(subgroup_size) s: u32");
    CHECK(result_of(with_size)[7] == 496);
}
