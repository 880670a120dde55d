// SPDX-License-Identifier: BSL-1.0
// Expected numbers are worked out by hand from the table of alignments and sizes in the WGSL
// specification, "Memory layout".
#include <lkt/lang/wgsl/wgsl.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

lkt::wgsl_binding storage(std::string const& type, std::string const& before = {}) {
    auto const m =
        lkt::reflect_wgsl({lkt::language::wgsl,
                           before + "\n@group(0) @binding(0) var<storage, read> b: " + type + ";",
                           "layout"});
    if (m.has_error()) FAIL(to_string(m.error()));
    return m->bindings.at(0);
}
lkt::result<lkt::wgsl_module>
uniform(std::string const& type, std::string const& before, std::string const& first = {}) {
    return lkt::reflect_wgsl(
        {lkt::language::wgsl,
         first + before + "\n@group(0) @binding(0) var<uniform> b: " + type + ";",
         "layout"});
}
/// `n:uint32@0 v:float32x3@16 [32]`: members, offsets, and the size of all.
std::string members(std::string const& structure) {
    auto const m = uniform("S", structure);
    if (m.has_error()) return m.error().message;
    std::string text;
    for (lkt::wgsl_member const& each : m->bindings[0].members)
        text += each.path + ":" + to_string(each.type) + "@" + std::to_string(each.offset) + " ";
    return text + "[" + std::to_string(m->bindings[0].bytes) + "]";
}
/// `float32x3 stride 16 count 4 bytes 64`, with `padded` where some are.
std::string seen(std::string const& type, std::string const& before = {}) {
    auto const b = storage(type, before);
    return to_string(b.type) + " stride " + std::to_string(b.stride) + " count " +
           std::to_string(b.count) + " bytes " + std::to_string(b.bytes) +
           (b.padded ? " padded" : "");
}

} // namespace

TEST_CASE("wgsl layout: values and arrays") {
    struct row {
        char const *type, *expected;
    };
    for (row const& r : {row{"f32", "float32 stride 4 count 1 bytes 4"},
                         row{"f16", "float16 stride 2 count 1 bytes 2"},
                         row{"vec2<f32>", "float32x2 stride 8 count 1 bytes 8"},
                         row{"vec3<f32>", "float32x3 stride 12 count 1 bytes 12"},
                         row{"vec4h", "float16x4 stride 8 count 1 bytes 8"},
                         row{"atomic<i32>", "int32 stride 4 count 1 bytes 4"},
                         row{"array<f32>", "float32 stride 4 count 0 bytes 4"},
                         row{"array<u32, 7>", "uint32 stride 4 count 7 bytes 28"},
                         row{"array<f16, 3>", "float16 stride 2 count 3 bytes 6"},
                         row{"array<vec2u, 3>", "uint32x2 stride 8 count 3 bytes 24"},
                         row{"array<vec3<f32>>", "float32x3 stride 16 count 0 bytes 16"},
                         row{"array<vec3<f32>, 4>", "float32x3 stride 16 count 4 bytes 64"},
                         row{"array<vec3<f16>, 4>", "float16x3 stride 8 count 4 bytes 32"},
                         row{"array<vec4<i32>>", "int32x4 stride 16 count 0 bytes 16"},
                         row{"array<atomic<u32>, 5>", "uint32 stride 4 count 5 bytes 20"},
                         row{"array<array<f32, 3>, 2>", "float32 stride 4 count 6 bytes 24"},
                         row{"array<array<vec3f, 3>>", "float32x3 stride 16 count 0 bytes 48"},
                         row{"mat2x2<f32>", "float32 stride 4 count 4 bytes 16"},
                         row{"mat2x3<f32>", "float32 stride 4 count 8 bytes 32 padded"},
                         row{"mat3x3f", "float32 stride 4 count 12 bytes 48 padded"},
                         row{"mat3x2f", "float32 stride 4 count 6 bytes 24"},
                         row{"mat4x3<f16>", "float16 stride 2 count 16 bytes 32 padded"},
                         row{"mat4x4<f16>", "float16 stride 2 count 16 bytes 32"},
                         row{"array<mat3x3f, 2>", "float32 stride 4 count 24 bytes 96 padded"}}) {
        CAPTURE(r.type);
        CHECK(seen(r.type) == r.expected);
    }
}

TEST_CASE("wgsl layout: structs in storage are words") {
    CHECK(seen("S", "struct S { a: f32, b: vec3<f32> }") ==
          "float32 stride 4 count 8 bytes 32 padded");
    CHECK(seen("S", "struct S { a: vec3<f32>, b: f32 }") == "float32 stride 4 count 4 bytes 16");
    CHECK(seen("array<S>", "struct S { a: vec3<f32>, b: u32 }") ==
          "uint32 stride 4 count 0 bytes 16");
    CHECK(seen("array<S, 3>", "struct S { a: vec2<f32>, b: f32 }") ==
          "float32 stride 4 count 12 bytes 48 padded");
    CHECK(seen("S", "struct S { n: u32, data: array<u32> }") == "uint32 stride 4 count 0 bytes 8");
    CHECK(seen("S", "struct S { n: u32, data: array<vec4<f32>> }") ==
          "uint32 stride 4 count 0 bytes 32 padded");
    // With one element at least, and rounded up as any struct is.
    CHECK(seen("S", "struct S { v: vec3<u32>, n: u32, data: array<u32> }") ==
          "uint32 stride 4 count 0 bytes 32");
    CHECK(seen("S", "struct S { a: f16, b: f32 }") == "uint32 stride 4 count 2 bytes 8 padded");
    CHECK(seen("S", "struct S { a: f16, b: vec3h }") == "float16 stride 2 count 8 bytes 16 padded");
    CHECK(seen("array<A, N>",
               "alias A = array<B, 2>; alias B = vec2<T>; alias T = f32; const N = 3;") ==
          "float32x2 stride 8 count 6 bytes 48");
}

TEST_CASE("wgsl layout: members of a uniform struct") {
    struct row {
        char const *structure, *expected;
    };
    for (row const& r :
         {row{"struct S { n: u32, m: i32, x: f32 }", "n:uint32@0 m:int32@4 x:float32@8 [12]"},
          row{"struct S { n: u32, v: vec3<f32> }", "n:uint32@0 v:float32x3@16 [32]"},
          row{"struct S { v: vec3<f32>, n: u32 }", "v:float32x3@0 n:uint32@12 [16]"},
          row{"struct S { a: vec2<f32>, b: f32, c: vec2<f32> }",
              "a:float32x2@0 b:float32@8 c:float32x2@16 [24]"},
          row{"struct S { a: f16, b: f16, c: f32, d: vec3h }",
              "a:float16@0 b:float16@2 c:float32@4 d:float16x3@8 [16]"},
          row{"struct S { a: u32, b: vec4<u32>, c: u32 }",
              "a:uint32@0 b:uint32x4@16 c:uint32@32 [48]"},
          row{"struct S { a: u32, @align(16) b: u32 }", "a:uint32@0 b:uint32@16 [32]"},
          row{"struct S { @size(16) a: u32, b: u32 }", "a:uint32@0 b:uint32@16 [20]"},
          row{"struct S { @size(8 * K) @align(1 << 5) a: u32, b: vec2u } const K = 3;",
              "a:uint32@0 b:uint32x2@24 [32]"},
          row{"struct T { x: f32 } struct S { @size(16) t: T, u: f32 }",
              "t.x:float32@0 u:float32@16 [20]"},
          row{"struct T { x: vec3f, y: f32 } struct S { n: u32, @align(16) t: T, @align(16) u: f32 "
              "}",
              "n:uint32@0 t.x:float32x3@16 t.y:float32@28 u:float32@32 [48]"}}) {
        CAPTURE(r.structure);
        CHECK(members(r.structure) == r.expected);
    }
}

TEST_CASE("wgsl layout: what the rules of uniform memory refuse") {
    CHECK(members("struct T { x: f32 } struct S { t: T, u: f32 }").find("multiple of 16") !=
          std::string::npos);
    CHECK(members("struct T { x: f32 } struct S { n: u32, t: T }").find("is at offset 4") !=
          std::string::npos);
    std::string const packed = "struct S { n: u32, w: array<f32, 4> }";
    CHECK(uniform("S", packed).has_error());
    CHECK(uniform("S", packed, "requires uniform_buffer_standard_layout;").has_value());
    CHECK(members("struct S { n: u32, w: array<vec4<f32>, 2>, m: mat3x3f }") ==
          "n:uint32@0 w[0]:float32x4@16 w[1]:float32x4@32 m[0]:float32x3@48 m[1]:float32x3@64 "
          "m[2]:float32x3@80 [96]");
    // More than 64 values are a buffer of words.
    auto const m = uniform("S", "struct S { n: u32, w: array<vec4<f32>, 64> }").value();
    CHECK(m.bindings[0].members.empty());
    CHECK_FALSE(m.bindings[0].by_value());
    CHECK(m.bindings[0].type == lkt::value_type{lkt::scalar_type::uint32, 1});
    CHECK(m.bindings[0].count == 4 + 64 * 4);
    CHECK(uniform("vec3<f32>", "")->bindings[0].by_value());
}
