// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/wgsl_as_cpp/wgsl_as_cpp.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

// What translations compute is looked at where they run: tests/gpu/host_wgsl.cpp,
// tests/gpu/webgpu/translated.cpp.

namespace {

lkt::result<lkt::wgsl_cpp> translation(std::string text, lkt::configuration const& values = {}) {
    return lkt::wgsl_as_cpp({lkt::language::wgsl, std::move(text), {}}, "", values);
}
lkt::wgsl_cpp translated(std::string text, lkt::configuration const& values = {}) {
    auto made = translation(std::move(text), values);
    if (!made) FAIL(lkt::to_string(made.error()));
    return std::move(*made);
}
bool holds(std::string const& text, std::string const& what) {
    return text.find(what) != std::string::npos;
}

/// The body of an entry point with one buffer, from line 3 on.
std::string kernel(std::string const& body, std::string const& before = {}) {
    return "@group(0) @binding(0) var<storage, read_write> a: array<f32>; " + before +
           "\n@compute @workgroup_size(4) fn k(@builtin(local_invocation_index) i: u32) {\n" +
           body + "\n}\n";
}
std::string refusal(std::string const& body, std::string const& before = {}) {
    auto const made = translation(kernel(body, before));
    if (made) return "translated";
    return made.error().code + std::string{": "} + made.error().message;
}

} // namespace

TEST_CASE("wgsl_as_cpp: names get a prefix, statements keep their lines") {
    auto const made = translated(kernel("var std = a[i];\n\na[i] = std * 2;"));
    CHECK(made.entry == "lkt_entry");
    CHECK(holds(made.text, "#line 3 \"kernel\"\nauto l_std_2 = lkt_value("));
    CHECK(holds(made.text, "#line 5 \"kernel\"\nlkt_put("));
    CHECK_FALSE(holds(made.text, " std"));
    CHECK_FALSE(made.waits);
    CHECK_FALSE(made.atomics);
    CHECK_FALSE(made.subgroups);
}

TEST_CASE("wgsl_as_cpp: no word of the text gets through, whatever alphabet it is of") {
    auto const made =
        translated("const \xc3\xa4 = 1u; fn system(x: u32) -> u32 { return x + \xc3\xa4; }" +
                   kernel("let asm = system(i); let lkt_host = asm; a[lkt_host] = 1;"));
    CHECK(holds(made.text, "g__u195__u164_"));
    CHECK(holds(made.text, "f_system("));
    CHECK(holds(made.text, "l_asm_"));
    CHECK(holds(made.text, "l_lkt_host_"));
}

TEST_CASE("wgsl_as_cpp: what a variable's own value refers to was declared before") {
    auto const made = translated(kernel("let x = a[i]; { let x = x + 1; a[i] = x; } a[0] = x;"));
    CHECK(holds(made.text, "l_x_3 = lkt_value((l_x_2 + lkt_ai{1}))"));
    CHECK(holds(made.text, "lkt_put(lkt_at(g_a, l_i_1), l_x_3)"));
    CHECK(holds(made.text, "lkt_put(lkt_at(g_a, lkt_ai{0}), l_x_2)"));
}

TEST_CASE("wgsl_as_cpp: what WGSL leaves open is left to where it runs") {
    auto const made = translated(kernel("let x = a[i] != a[0]; if !x && i <= 2u { a[i] = 1; }"));
    CHECK(holds(made.text, "auto l_x_2 = lkt_value(lkt_ne(lkt_at(g_a, l_i_1), "));
    CHECK(holds(made.text, "((!l_x_2) && lkt_le(l_i_1, 2u))"));
}

TEST_CASE("wgsl_as_cpp: only what the entry point reaches, in an order that C++ takes") {
    auto const made =
        translated(kernel("a[i] = last(); p.x = N;",
                          "fn unused() { textureBarrierX(); }"
                          "fn last() -> f32 { return first(); }"
                          "fn first() -> f32 { return f32(M); }"
                          "var<private> p: pair; struct pair { x: u32, y: row }"
                          "alias row = array<f32, N>; const M = N * 2; const N = 4;"));
    CHECK_FALSE(holds(made.text, "unused"));
    CHECK(made.text.find("g_N =") < made.text.find("g_M ="));
    CHECK(made.text.find("using t_row") < made.text.find("struct t_pair"));
}

TEST_CASE("wgsl_as_cpp: overrides have the configuration's values") {
    std::string const text = kernel("a[i] = f32(n) + s;", "override n: u32 = 3; override s = 0.5;");
    CHECK(holds(translated(text).text, "g_n = lkt_to<unsigned>(lkt_ai{3})"));
    auto const made = translated(text, {{{"n", std::int64_t{7}}, {"s", 0.25}}});
    CHECK(holds(made.text, "g_n = (unsigned)7"));
    CHECK(holds(made.text, "g_s = (float)0x1p-2"));
    CHECK(translation(kernel("a[i] = f32(n);", "override n: u32;")).error().code ==
          "lkt.kernel.untranslated");
}

TEST_CASE("wgsl_as_cpp: who waits, and for whom") {
    CHECK(translated(kernel("workgroupBarrier();")).waits);
    auto const counted =
        translated(kernel("atomicAdd(&n, 1u); a[i] = 1;", "var<workgroup> n: atomic<u32>;"));
    CHECK(counted.atomics);
    CHECK_FALSE(counted.waits);
    CHECK(holds(counted.behind, "lkt_zero(g_n);"));
    auto const together = translated(kernel("a[i] = subgroupAdd(a[i]);"));
    CHECK(together.subgroups);
    CHECK(together.waits);
}

TEST_CASE("wgsl_as_cpp: continuing is written at each continue, in the scope of its loop") {
    auto const made = translated(kernel("var n = 0; loop { if n > 3 { let n = 9; continue; } "
                                        "continuing { n += 1; break if n > 5; } }"));
    auto const first = made.text.find("lkt_put_add(l_n_2, lkt_ai{1})");
    CHECK(first != std::string::npos);
    CHECK(made.text.find("lkt_put_add(l_n_2, lkt_ai{1})", first + 1) != std::string::npos);
    CHECK(holds(made.text, "goto lkt_behind_1; } continue; "));
}

TEST_CASE("wgsl_as_cpp: what is not translated is named with its place") {
    CHECK(refusal("a[i] = dpdx(a[i]);") ==
          "lkt.kernel.untranslated: line 3, column 8: `dpdx` is not a function that is translated");
    CHECK(holds(refusal("discard;"), "line 3, column 1: `discard` is for fragment shaders"));
    CHECK(holds(refusal("a[i] = b;"), "`b` is not declared"));
    CHECK(holds(refusal("var x: texture_2d<f32>;"), "`texture_2d` is not a type"));
    CHECK(holds(refusal("f(1);", "fn f() {}"), "another number of arguments"));
    CHECK(holds(refusal("a = a + k;"), "`k` is not a value"));
    CHECK(holds(refusal("let x = vec3<f32, 2>(1);"), "the wrong number of parts"));
    CHECK(refusal("a[i] 1;").starts_with("lkt.kernel.text: line 3, column 6"));
    CHECK(holds(refusal("return 1;"), "expected `;`"));
    CHECK(holds(refusal("w = 1;", "var<workgroup> w;"), "has no explicit type"));
    CHECK(holds(refusal("continuing { }"), "expected a statement"));
}

TEST_CASE("wgsl_as_cpp: texts that are built to be too much end in an error") {
    std::string deep;
    for (int k = 0; k < 5000; ++k) deep += "if true { ";
    CHECK(refusal(deep + std::string(10'000, '}')).starts_with("lkt.kernel."));
    CHECK(refusal("a[0] = " + std::string(5000, '-') + "1;").starts_with("lkt.kernel."));
    // Each continue repeats what stands in continuing, which holds loops that do the same.
    std::string nested = "a[0] = 1;";
    for (int k = 0; k < 25; ++k) nested = "loop { continue; continuing { " + nested + " } }";
    CHECK(holds(refusal(nested), "too long"));
    // Each refers to the next one.
    std::string constants;
    for (int k = 0; k < 5000; ++k)
        constants += "const c" + std::to_string(k) + " = c" + std::to_string(k + 1) + ";";
    CHECK(refusal("a[0] = f32(c0);", constants + "const c5000 = 1;").starts_with("lkt.kernel."));
    CHECK(refusal("var x: b;", "alias b = c; alias c = b;") ==
          "translated"); // the compiler says no
}
