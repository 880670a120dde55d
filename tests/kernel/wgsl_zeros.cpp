// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/wgsl_zeros.hpp>

#include <lkt/kernel/wgsl.hpp>

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

TEST_CASE("an entry point that is not there, and a text that is none") {
    CHECK(lkt::with_workgroup_zeros({lkt::language::wgsl, "const k = 1;", {}}, "k").error().code ==
          "lkt.kernel.unknown");
    CHECK(lkt::with_workgroup_zeros({lkt::language::wgsl, "fn (", {}}, "k").error().code ==
          "lkt.kernel.text");
}
