// SPDX-License-Identifier: BSL-1.0
// Shaders as language models get them wrong: each ends in the right class of failure, which names
// the line or the limit, and the next kernel runs.
#include "support_webgpu.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using namespace support;
using namespace webgpu_support;

namespace {

struct broken_shader {
    std::string what;
    std::string_view verdict; ///< as `name_of_failure`; two where an adapter may say either
    char const* text;
    int line = 0;          ///< of the fault; 0: the failure names none
    char const* says = ""; ///< what the description has to contain
    lkt::dim3 grid{1}, block{64};
    char const* name = ""; ///< of the entry point, where it is not the only one
    lkt::configuration definitions{};
    std::vector<passed> arguments{};
};

lkt::configuration with(char const* name, lkt::parameter_value v) {
    lkt::configuration c;
    c.values = {{name, std::move(v)}};
    return c;
}

/// Lines 1 and 2 of most shaders; their faults are on line 3 and below.
#define TWO_BUFFERS                                                                                \
    "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"                                    \
    "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n"
#define MAIN "@compute @workgroup_size(64) fn k(@builtin(local_invocation_index) i: u32) {\n"

std::vector<broken_shader> shaders() {
    std::uint32_t const many = 65'536;
    return {
        // Syntax.
        {"a bracket that is not closed", "compile-error", TWO_BUFFERS MAIN "  y[i] = x[i;\n}", 4},
        {"a semicolon that is missing",
         "compile-error",
         TWO_BUFFERS MAIN "  let v = x[i]\n  y[i] = v;\n}",
         5},
        {"a body that does not end", "compile-error", TWO_BUFFERS MAIN "  y[i] = x[i];\n"},
        {"a declaration of C",
         "compile-error",
         TWO_BUFFERS MAIN "  float v = x[i];\n y[i] = v;\n}",
         4},
        {"a comment that does not end",
         "compile-error",
         TWO_BUFFERS MAIN "  y[i] = x[i]; /* and so on\n}"},
        {"a reserved word",
         "compile-error",
         TWO_BUFFERS MAIN "  let of = x[i];\n  y[i] = of;\n}",
         4},
        {"CUDA instead of WGSL",
         "compile-error",
         "__global__ void k(float const* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }",
         1},
        {"no text", "compile-error build-escape", ""},
        // Names and types.
        {"a name that nobody declared",
         "compile-error",
         TWO_BUFFERS MAIN "  y[i] = x[i] * factor;\n}",
         4,
         "factor"},
        {"a function that there is not",
         "compile-error",
         TWO_BUFFERS MAIN "  y[i] = rsqrt(x[i]);\n}",
         4,
         "rsqrt"},
        {"an integer for a float", "compile-error", TWO_BUFFERS MAIN "  y[i] = i;\n}", 3},
        {"a float times an integer", "compile-error", TWO_BUFFERS MAIN "  y[i] = x[i] * i;\n}", 4},
        {"an argument too many",
         "compile-error",
         TWO_BUFFERS MAIN "  y[i] = sqrt(x[i], 1.0);\n}",
         4},
        {"a condition that is no bool",
         "compile-error",
         TWO_BUFFERS MAIN "  if (i) { y[i] = x[i]; }\n}",
         3},
        {"a constant that is assigned to",
         "compile-error",
         TWO_BUFFERS MAIN "  let v = 1.0;\n  v = 2.0;\n  y[i] = v;\n}",
         4},
        {"a function that returns nothing",
         "compile-error",
         TWO_BUFFERS "fn f(v: f32) -> f32 { let w = v; }\n" MAIN "  y[i] = f(x[i]);\n}",
         3},
        {"f16 without asking for it",
         "compile-error",
         TWO_BUFFERS MAIN "  y[i] = f32(f16(x[i]));\n}",
         4,
         "f16"},
        {"f64", "compile-error", TWO_BUFFERS MAIN "  y[i] = f32(f64(x[i]));\n}", 4},
        // Memory.
        {"a store to what is read-only",
         "compile-error",
         TWO_BUFFERS MAIN "  y[i] = x[i];\n  x[i] = 0.0;\n}",
         5},
        {"an atomic operation on what is not atomic",
         "compile-error",
         TWO_BUFFERS MAIN "  atomicAdd(&y[i], 1.0);\n}",
         4},
        {"an index that is out of bounds for certain",
         "compile-error",
         TWO_BUFFERS "var<workgroup> tile: array<f32, 8>;\n" MAIN
                     "  tile[8] = x[i];\n  y[i] = tile[0];\n}",
         5},
        {"a negative index", "compile-error", TWO_BUFFERS MAIN "  y[i] = x[-1];\n}", 4},
        {"two buffers in one place",
         "compile-error build-escape wrong-signature",
         "@group(0) @binding(0) var<storage, read> x: array<f32>;\n"
         "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n" MAIN
         "  y[i] = x[i];\n}"},
        {"a buffer without its place",
         "compile-error build-escape wrong-signature",
         "var<storage, read> x: array<f32>;\n"
         "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n" MAIN
         "  y[i] = x[i];\n}"},
        {"a texture",
         "compile-error build-escape wrong-signature",
         "@group(0) @binding(0) var x: texture_2d<f32>;\n"
         "@group(0) @binding(1) var<storage, read_write> y: array<f32>;\n" MAIN
         "  y[i] = textureLoad(x, vec2(i, 0u), 0).x;\n}"},
        {"a buffer more than there are arguments",
         "wrong-signature compile-error build-escape",
         TWO_BUFFERS "@group(0) @binding(2) var<storage, read> z: array<f32>;\n" MAIN
                     "  y[i] = x[i] + z[i];\n}"},
        {"workgroup memory without end",
         "launch-error compile-error",
         TWO_BUFFERS "var<workgroup> tile: array<f32, 1000000>;\n" MAIN
                     "  tile[i] = x[i];\n  y[i] = tile[63u - i];\n}",
         0,
         "3.815 MiB"},
        // Barriers and loops. wgpu-native does not look whether barriers are reached by all, though
        // WGSL demands it; what happens then is the device's affair.
        {"a barrier that not every thread reaches",
         "compile-error timeout ran",
         TWO_BUFFERS MAIN "  if (i < 10u) {\n    workgroupBarrier();\n  }\n  y[i] = x[i];\n}",
         5},
        {"a barrier after some have returned",
         "compile-error timeout ran",
         TWO_BUFFERS MAIN "  if (i > 40u) { return; }\n  workgroupBarrier();\n  y[i] = x[i];\n}",
         5},
        {"a loop that has no way out",
         "compile-error timeout",
         TWO_BUFFERS MAIN "  loop { y[i] = x[i]; }\n}",
         0,
         "",
         {60'000}},
        {"a loop whose way out is never taken",
         "timeout",
         TWO_BUFFERS MAIN "  while (y[i] < 1e30) { y[i] = x[i]; }\n}",
         0,
         "",
         {60'000}},
        {"recursion",
         "compile-error",
         TWO_BUFFERS "fn f(v: f32) -> f32 { if (v < 0.0) { return v; } return f(v - 1.0); }\n" MAIN
                     "  y[i] = f(x[i]);\n}"},
        // Entry points and parameters.
        {"no entry point",
         "compile-error build-escape wrong-signature",
         TWO_BUFFERS "fn k(i: u32) { y[i] = x[i]; }"},
        {"an entry point of another stage",
         "compile-error build-escape wrong-signature",
         TWO_BUFFERS "@fragment fn k() { y[0] = x[0]; }"},
        {"an entry point of another name",
         "compile-error build-escape wrong-signature",
         TWO_BUFFERS "@compute @workgroup_size(64) fn main() { y[0] = x[0]; }",
         0,
         "k",
         {1},
         {64},
         "k"},
        {"no workgroup size",
         "compile-error build-escape wrong-signature",
         TWO_BUFFERS "@compute fn k() { y[0] = x[0]; }"},
        {"a parameter that the text does not declare",
         "build-escape",
         TWO_BUFFERS MAIN "  y[i] = x[i];\n}",
         0,
         "TILE",
         {1},
         {64},
         "",
         with("TILE", std::int64_t{4})},
        {"a parameter that has no value",
         "build-escape compile-error",
         TWO_BUFFERS "override TILE: u32;\n" MAIN "  y[i] = x[i / TILE];\n}",
         0,
         "TILE"},
        {"a parameter out of its type's range",
         "build-escape compile-error launch-error",
         TWO_BUFFERS "override TILE: u32;\n" MAIN "  y[i] = x[i / TILE];\n}",
         0,
         "TILE",
         {1},
         {64},
         "",
         with("TILE", std::int64_t{-4})},
        {"a division by a parameter that is zero",
         "compile-error",
         TWO_BUFFERS "override TILE: u32;\nconst n = 64u;\noverride PER: u32 = n / TILE;\n" MAIN
                     "  y[i] = x[i / PER];\n}",
         0,
         "",
         {1},
         {64},
         "",
         with("TILE", std::int64_t{0})},
        // Launches.
        {"a workgroup that is too large",
         "compile-error launch-error",
         TWO_BUFFERS
         "@compute @workgroup_size(64, 64) fn k(@builtin(local_invocation_index) i: u32) {\n"
         "  y[i] = x[i];\n}",
         0,
         "4096",
         {1},
         {64, 64}},
        {"a workgroup of no threads",
         "compile-error launch-error build-escape wrong-signature",
         TWO_BUFFERS "override N: u32;\n@compute @workgroup_size(N) fn k() { y[0] = x[0]; }",
         0,
         "",
         {1},
         {0},
         "",
         with("N", std::int64_t{0})},
        {"a block that is not the text's",
         "launch-error",
         TWO_BUFFERS MAIN "  y[i] = x[i];\n}",
         0,
         "64",
         {1},
         {32}},
        {"a grid that is too long",
         "launch-error",
         TWO_BUFFERS MAIN "  y[i] = x[i];\n}",
         0,
         "65535",
         {1, many}},
        {"no grid", "launch-error", TWO_BUFFERS MAIN "  y[i] = x[i];\n}", 0, "", {0}},
    };
}

#undef TWO_BUFFERS
#undef MAIN

} // namespace

TEST_CASE("broken shaders end in the right class of failure, and the next kernel runs") {
    if (!have_device()) return;
    auto const all = shaders();
    CHECK(all.size() >= 40);
    for (auto const& s : all) {
        CAPTURE(s.what);
        auto t = wgsl(s.text, s.grid, s.block, {in(std::vector<float>(64, 1)), out<float>(64)});
        t.definitions = s.definitions;
        t.name = s.name;
        t.time_limit = lkt::seconds{0.5};
        auto request = compile_request_of(t);
        // Whatever the text says: the signature that a rewrite has to have.
        request.signature = signature_of(t);
        request.signature.name = "k";
        auto const compiled = shared().compile(request);
        REQUIRE_MESSAGE(compiled.has_value(), lkt::to_string(compiled.error()));
        lkt::run_outcome outcome;
        if (auto const* const f = std::get_if<lkt::failure>(&*compiled))
            outcome = *f;
        else
            outcome = run_compiled(shared(), std::get<lkt::compiled_kernel>(*compiled), t);
        auto const* const why = std::get_if<lkt::failure>(&outcome);
        if (why == nullptr) {
            CHECK(s.verdict.find("ran") != s.verdict.npos);
            CHECK(works(shared()));
            continue;
        }
        auto const said = lkt::describe(*why);
        CAPTURE(said);
        auto const name = lkt::name_of_failure(*why);
        CAPTURE(name);
        CHECK(s.verdict.find(name) != s.verdict.npos);
        CHECK(said.find(s.says) != said.npos);
        if (auto const* const f = std::get_if<lkt::compile_failed>(why); f && s.line > 0)
            CHECK(f->where.line == s.line);
        CHECK(works(shared()));
    }
}
