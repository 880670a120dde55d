// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/wgsl/wgsl_zeros.hpp>

#include <lkt/lang/wgsl/wgsl.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace {

std::string zeroed(std::string text, std::string const& entry = "k") {
    auto const made = lkt::with_workgroup_zeros({lkt::language::wgsl, std::move(text), {}}, entry);
    if (!made) FAIL(lkt::to_string(made.error()));
    return *made;
}
bool holds(std::string const& text, std::string const& what) {
    return text.find(what) != std::string::npos;
}

} // namespace

TEST_CASE("a text without workgroup variables stays as it is") {
    std::string const text = "var<private> p: f32;\nvar<workgroup> other: f32;\n@compute "
                             "@workgroup_size(64) fn k() { p = 1; }";
    CHECK(zeroed(text) == text);
}

TEST_CASE("arrays are shared out among the threads, what is used alone is written, lines stay") {
    std::string const text = "override N: u32;\n"
                             "var<workgroup> a: array<array<f32, 8>, N /* rows */>;\n"
                             "var<workgroup> unused: f32;\n"
                             "fn f() { a[0][0] = 1; }\n"
                             "@compute @workgroup_size(N, 4)\nfn k() { f(); }\n";
    auto const made = zeroed(text);
    CHECK(std::count(text.begin(), text.end(), '\n') + 5 ==
          std::count(made.begin(), made.end(), '\n'));
    CHECK(holds(made,
                "fn k(@builtin(local_invocation_index) lkt_local_index: u32) { "
                "lkt_zero_workgroup(lkt_local_index); workgroupBarrier(); f(); }"));
    CHECK(holds(made, "let lkt_threads = u32(N) * u32(4);"));
    CHECK(holds(made, "lkt_i < u32(N) * u32(8)"));
    CHECK(holds(made, "a[lkt_i / (u32(8))][lkt_i % u32(8)] = f32();"));
    CHECK_FALSE(holds(made, "unused ="));
    // It is still WGSL, with the same signature.
    auto const module = lkt::reflect_wgsl({lkt::language::wgsl, made, {}});
    REQUIRE(module.has_value());
    CHECK(module->entry_points.at(0).name == "k");
}

TEST_CASE("a thread's number is asked for once, wherever it stands") {
    auto const inside = zeroed("struct ids { @builtin(local_invocation_index) n: u32 }\n"
                               "var<workgroup> x: f32;\n"
                               "@compute @workgroup_size(2) fn k(i: ids) { x = 1; }");
    CHECK(holds(inside, "{ lkt_zero_workgroup(i.n); workgroupBarrier();"));
    CHECK_FALSE(holds(inside, "lkt_local_index"));
    CHECK(holds(inside, "if (lkt_index == 0u) { x = f32(); }"));
    auto const other = zeroed("var<workgroup> x: f32;\n@compute @workgroup_size(2) fn "
                              "k(@builtin(workgroup_id) g: vec3u) { x = 1; }");
    CHECK(holds(other, "lkt_local_index: u32, @builtin(workgroup_id) g: vec3u)"));
}

TEST_CASE("atomics are stored to, wherever they are") {
    auto const made =
        zeroed("alias word = atomic<u32>;\n"
               "struct inner { n: word, m: vec2f }\n"
               "struct cell { v: array<inner, 3>, f: f32 }\n"
               "alias cells = array<cell, 5>;\n"
               "var<workgroup> c: cells;\nvar<workgroup> n: word;\n"
               "@compute @workgroup_size(2) fn k() { c[0].f = 1; atomicAdd(&n, 1); }");
    CHECK(holds(made, "lkt_i < u32(5)"));
    CHECK(holds(made, "lkt_i0 < u32(3)") != holds(made, "lkt_i1 < u32(3)"));
    CHECK(holds(made, "].n, 0);"));
    CHECK(holds(made, "].m = vec2f();"));
    CHECK(holds(made, "c[lkt_i].f = f32();"));
    CHECK(holds(made, "if (lkt_index == 0u) { atomicStore(&n, 0); }"));
}

TEST_CASE("structs that unfold without end are refused, and not unfolded") {
    std::string text = "struct s0 { a: atomic<u32>, b: f32 }\n";
    for (int k = 1; k < 40; ++k) {
        std::string const inner = "s" + std::to_string(k - 1);
        text += "struct s" + std::to_string(k) + " { a: " + inner + ", b: " + inner + " }\n";
    }
    text += "struct endless { a: endless, b: endless }\n"
            "var<workgroup> x: s39;\nvar<workgroup> y: endless;\n"
            "@compute @workgroup_size(2) fn k() { x.a = x.b; }\n"
            "@compute @workgroup_size(2) fn e() { y.a = y.b; }";
    CHECK(lkt::with_workgroup_zeros({lkt::language::wgsl, text, {}}, "k").error().code ==
          "lkt.kernel.type");
    CHECK(lkt::with_workgroup_zeros({lkt::language::wgsl, text, {}}, "e").has_value());
    // Without atomics the type's zero value is one word, however much it unfolds to.
    text.replace(text.find("atomic<u32>"), 11, "u32");
    CHECK(holds(zeroed(text), "{ x = s39(); }"));
}

TEST_CASE("an entry point that is not there, and a text that is none") {
    CHECK(lkt::with_workgroup_zeros({lkt::language::wgsl, "const k = 1;", {}}, "k").error().code ==
          "lkt.kernel.unknown");
    CHECK(lkt::with_workgroup_zeros({lkt::language::wgsl, "fn (", {}}, "k").error().code ==
          "lkt.kernel.text");
}
