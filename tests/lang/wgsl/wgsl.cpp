// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/wgsl/wgsl.hpp>

#include <lkt/lang/find_kernel.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

namespace {

lkt::kernel_source wgsl(std::string text) {
    return {lkt::language::wgsl, std::move(text), "test.wgsl"};
}
constexpr char const* head = "@group(0) @binding(0) var<storage, read_write> o: array<f32>;\n";
std::string entry(std::string const& body = {}, std::string const& size = "64") {
    return "@compute @workgroup_size(" + size + ") fn k() {" + body + "}\n";
}
lkt::wgsl_module module_of(std::string const& text) {
    auto m = lkt::reflect_wgsl(wgsl(text));
    if (m.has_error()) FAIL(to_string(m.error()) << "\n" << text);
    return std::move(*m);
}
/// Code and message of the error, or `no error`.
std::string refusal(std::string const& text) {
    auto const m = lkt::reflect_wgsl(wgsl(text));
    return m ? "no error" : m.error().code + " " + m.error().message;
}
/// `name(in float32* a, float32 b)`, or the error.
std::string found(std::string const& text, std::string_view name = {}) {
    auto const s = lkt::find_kernel(wgsl(text), name);
    if (!s) return s.error().code + ": " + s.error().message;
    std::string shown = s->name + "(";
    for (lkt::argument const& a : s->arguments) {
        shown += shown.ends_with('(') ? "" : ", ";
        if (a.pointer) shown += std::string(to_string(a.flow)) + " ";
        shown += to_string(a.type) + (a.pointer ? "* " : " ") + a.name;
    }
    return shown + ")";
}
/// What the first extent of @workgroup_size comes to, given declarations.
std::string extent(std::string const& size, std::string const& before = {}) {
    auto const m = lkt::reflect_wgsl(wgsl(before + entry({}, size)));
    if (!m) return m.error().code + ": " + m.error().message;
    return m->entry_points[0].workgroup_size[0].text();
}
/// The direction of `o`.
std::string flow(std::string const& body, std::string const& before = {}) {
    auto const s = lkt::find_kernel(wgsl(head + before + entry(body)));
    if (!s) return s.error().message;
    return std::string(to_string(s->arguments.at(0).flow));
}

} // namespace

TEST_CASE("wgsl: a plain kernel") {
    std::string const text = R"(// adds
enable f16; requires readonly_and_readwrite_storage_textures, packed_4x8_integer_dot_product,;
diagnostic(off, derivative_uniformity);
override BLOCK: u32 = 128;
struct Params { n: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b : array<f32>; /* and /* nested */ */
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;
@compute @workgroup_size(BLOCK)
fn add(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < params.n) { c[id.x] = params.scale * (a[id.x] + b[id.x]); }
}
)";
    CHECK(found(text) ==
          "add(in float32* a, in float32* b, out float32* c, uint32 n, float32 scale)");
    auto const m = module_of(text);
    CHECK(m.enables == std::vector<std::string>{"f16"});
    CHECK(m.requirements.size() == 2);
    REQUIRE(m.overrides.size() == 1);
    CHECK(m.overrides[0].type == lkt::scalar_type::uint32);
    CHECK(m.overrides[0].value->text() == "128");
    CHECK(m.overrides[0].line == 4);
    REQUIRE(m.entry_points.size() == 1);
    CHECK(m.entry_points[0].line == 11);
    CHECK(m.entry_points[0].overrides == std::vector<std::string>{"BLOCK"});
    CHECK(m.entry_points[0].workgroup_size[0].text() == "BLOCK");
    CHECK(m.entry_points[0].workgroup_size[1].text() == "1");
    CHECK_FALSE(m.entry_points[0].barriers);
    CHECK_FALSE(m.entry_points[0].num_workgroups);
    auto const k = lkt::find_wgsl_kernel(wgsl(text), m).value();
    CHECK(k.signature.arguments[1].spelling ==
          "@group(0) @binding(1) var<storage, read> b : array<f32>");
    CHECK(k.signature.arguments[1].is_const);
    CHECK_FALSE(k.signature.arguments[2].is_const);
    CHECK(k.signature.arguments[4].within == lkt::record_member{"params", 4, 8});
    CHECK(k.signature.arguments[4].spelling ==
          "@group(0) @binding(3) var<uniform> params: Params { scale: f32 }");
    REQUIRE(k.slots.size() == 5);
    CHECK(k.slots[4].binding == 3);
    CHECK(k.slots[4].offset == 4);
    CHECK(to_string(k.signature) ==
          "@compute fn add; @group(0) @binding(0) var<storage, read> a: array<f32>; "
          "@group(0) @binding(1) var<storage, read> b : array<f32>; "
          "@group(0) @binding(2) var<storage, read_write> c: array<f32>; "
          "@group(0) @binding(3) var<uniform> params: Params { n: u32, scale: f32 }");
}

TEST_CASE("wgsl: several entry points, and what each of them uses") {
    std::string const text = R"(
@group(0) @binding(0) var<storage, read_write> a: array<f32>;
@group(1) @binding(0) var<storage, read_write> b: array<f32>;
@group(0) @binding(5) var<storage, read> idle: array<i32>;
@group(0) @binding(0) var<storage, read> taken: array<i32>;
override N = 4; override M = 2.5; override UNUSED: bool = true;
var<workgroup> part: array<f32, N * 2>;
var<workgroup> flag: u32;
var<private> own: array<f32, 1000>;
fn helper(i: u32) -> f32 { return deeper(i) * f32(M); }
fn deeper(i: u32) -> f32 { workgroupBarrier(); return part[i]; }
struct Ids { @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) i: u32 }
@compute @workgroup_size(8, 4) fn first(ids: Ids) { flag = 1u; own[0] = 1; a[ids.i] = helper(ids.i); }
@compute @workgroup_size(1) fn second() { let a = 3; b[a] = 1; }
@fragment fn picture() -> @location(0) vec4<f32> { return vec4<f32>(a[0]); }
)";
    auto const m = module_of(text);
    CHECK(lkt::kernel_names(wgsl(text)).value() == std::vector<std::string>{"first", "second"});
    CHECK(found(text, "first") == "first(out float32* a, in int32* idle)");
    CHECK(found(text, "second") == "second(in int32* taken, in int32* idle, out float32* b)");
    CHECK(found(text) == "lkt.kernel.several: test.wgsl: there are several kernels: first, second");
    CHECK(found(text, "third") ==
          "lkt.kernel.unknown: test.wgsl: there is no kernel `third`; found first, second");
    CHECK(found("fn f() {}") == "lkt.kernel.none: test.wgsl: there is no @compute entry point");
    CHECK(lkt::find_kernels(wgsl(text)).value().size() == 2);
    CHECK(m.entry_points[0].barriers);
    CHECK_FALSE(m.entry_points[1].barriers);
    CHECK(m.entry_points[0].num_workgroups);
    CHECK_FALSE(m.entry_points[1].num_workgroups);
    CHECK(m.entry_points[0].overrides == std::vector<std::string>{"N", "M"});
    CHECK(m.entry_points[1].overrides.empty());
    CHECK(m.overrides[1].type == lkt::scalar_type::float32);
    CHECK(m.overrides[2].type == lkt::scalar_type::boolean);
    CHECK(m.entry_points[1].workgroup_bytes.text() == "0");
    lkt::expression_scope scope;
    scope.values.emplace_back("N", std::int64_t{5});
    // Ten floats take 48 bytes in steps of 16, the flag 16.
    CHECK(m.entry_points[0].workgroup_bytes.evaluate_integer(scope).value() == 64);
}

TEST_CASE("wgsl: constants are folded, overrides stay") {
    CHECK(extent("64") == "64");
    CHECK(extent("0x40u") == "64");
    CHECK(extent("W * 2", "const W = 16;") == "32");
    CHECK(extent("W / H", "const W: u32 = 17; const H = 4;") == "4");
    CHECK(extent("(7 - 10) % 2 + 2") == "1");
    CHECK(extent("-7 / 2 + 10") == "7");
    CHECK(extent("1u << 6u") == "64");
    CHECK(extent("256 >> 2") == "64");
    CHECK(extent("4294967295u + 9u") == "8"); // concrete integers wrap around
    CHECK(extent("abs(2147483647i * 2i)") == "2");
    CHECK(extent("(12 & 10) | 1") == "9");
    CHECK(extent("select(1, 2, 3 < 4 && !false)") == "2");
    CHECK(extent("min(4, max(2, 3))") == "3");
    CHECK(extent("clamp(9, 1, 8)") == "8");
    CHECK(extent("abs(-8)") == "8");
    CHECK(extent("u32(2.9)") == "2");
    CHECK(extent("i32(0x1p4)") == "16");
    CHECK(extent("u32(1.5e1 + .5 + 1.)") == "16");
    CHECK(extent("u32(true) + 1u") == "2");
    CHECK(extent("T(16)", "alias T = U; alias U = u32;") == "16");
    CHECK(extent("W", "override W = 16;") == "W");
    CHECK(extent("W * H", "override W: u32 = 16; const H = 4;") == "(W * 4)");
    CHECK(extent("W / 2", "override W: u32 = 16;") == "(W // 2)");
    CHECK(extent("W - 1", "override W: u32 = 16;") == "((W - 1) % 4294967296)");
    CHECK(extent("W - 1", "override W: i32 = 16;") == "(W - 1)");
    CHECK(extent("W / 2", "override W: i32 = 16;") == "int(W / 2)");
    CHECK(extent("select(1u, W, B)", "override W: u32 = 16; override B: bool;") ==
          "(W if B else 1)");
    CHECK(extent("1u << L", "override L: u32 = 4;") == "(1 * 2 ** L)");
    CHECK(extent("min(W, 64u)", "override W: u32 = 4;") == "min(W, 64)");
    CHECK(extent("u32(F * 2.0)", "override F = 1.5;") == "int((F * 2.0))");
    // What is not asked for need not be understood.
    CHECK(extent("4", "const weights = array<f32, 3>(0.25, sqrt(2.0), f(1)[2].x);") == "4");
    CHECK(extent("W", "override W: u32 = u32(sqrt(16.0));") == "W");
}

TEST_CASE("wgsl: expressions without a value say where and why") {
    auto const says = [](std::string const& text, std::string const& part) {
        CAPTURE(text);
        CAPTURE(refusal(text));
        CHECK(refusal(text).find(part) != std::string::npos);
    };
    says(entry({}, "1 / 0"),
         "lkt.kernel.constant test.wgsl:1:28: this expression cannot be evaluated: "
         "division by zero");
    says(entry({}, "1u + 1i"), "expected u32, found a value of type i32");
    says(entry({}, "4294967296u"), "4294967296 does not fit u32");
    says(entry({}, "9223372036854775807 + 1"), "does not fit 64 bits");
    says(entry({}, "1.5"), "an extent of @workgroup_size is an abstract float");
    says(entry({}, "0"), "an extent of @workgroup_size is 0");
    says(entry({}, "2u - 3u"), "an extent of @workgroup_size is 4294967295");
    says(entry({}, "1 << 70"), "a shift by 70 bits");
    says(entry({}, "sqrt(4.0)"), "`sqrt` has no value before the kernel runs");
    says(entry({}, "x"), "`x` has no value");
    says("const a = b; const b = a;" + entry({}, "a"), "`a` is defined in terms of itself");
    says("alias A = B; alias B = A; " + std::string(head) +
             "@group(0) @binding(1) var<uniform> u: A;" + entry(),
         "contains itself");
    says(entry({}, "007"), "`007` is not a WGSL number");
    says(entry({}, "1e"), "`1e` is not a WGSL number");
    says(entry({}, "12x"), "this number is followed by `x`");
    says(entry({}, "W & 3u") + "override W: u32 = 1;", "bit operations on overrides");
    says("override W;" + entry({}, "W"), "neither a type nor a default");
    says("override W: vec2<u32>;" + entry(), "override `W` is not a scalar");
}

TEST_CASE("wgsl: text that is no module says where and what next") {
    auto const says = [](std::string const& text, std::string const& part) {
        CAPTURE(text);
        auto const m = lkt::reflect_wgsl(wgsl(text));
        REQUIRE(m.has_error());
        CAPTURE(m.error().message);
        CHECK(m.error().message.find(part) != std::string::npos);
        CHECK_FALSE(m.error().hint.empty());
        CHECK(m.error().code.starts_with("lkt.kernel."));
    };
    says("/* a /* b */\n", "test.wgsl:1:1: this comment is never closed");
    says("\n  #define N 3\n", "test.wgsl:2:3: `#` is not a WGSL character");
    says(std::string("fn f() {}\0", 10), "NUL byte");
    says("fn f() { {", "the body of `f` is never closed");
    says("__global__ void k() {}", "test.wgsl:1:1: expected a declaration");
    says("var<storage> a: array<f32>;", "buffer `a` has no @group");
    says("@group(0) var<storage> a: array<f32>;", "buffer `a` has no @binding");
    says("@group(-1) @binding(0) var<storage> a: array<f32>;", "@group(-1) is not between 0");
    says("@group(0) @binding(0) var<storage, write> a: array<f32>;",
         "is not an access mode of a storage");
    says("@group(0) @binding(0) var<shared> a: array<f32>;", "is not an address space");
    says("@group(0) @binding(0) var image: texture_2d<f32>;", "`image` is a texture_2d");
    says("@group(0) @binding(0) var s: sampler;", "`s` is a sampler");
    says("@group(0) @binding(0) var<storage> a: array<bool>;", "a buffer cannot contain bool");
    says("@group(0) @binding(0) var<storage> a: array<f64>;", "`f64` is not a type");
    says("@group(0) @binding(0) var<storage> a: vec5<f32>;", "`vec5` is not a type");
    says("@group(0) @binding(0) var<storage> a: array<f32, 0>;", "cannot have 0 elements");
    says("@group(0) @binding(0) var<uniform> a: array<f32>;",
         "a uniform buffer must have a fixed size");
    says("@group(0) @binding(0) var<uniform> a: array<f32, 4>;", "4 bytes apart");
    says("struct S { a: array<f32>, b: f32 } @group(0) @binding(0) var<storage> a: S;",
         "member `a` has no fixed size");
    says("struct S { @align(3) a: f32 } @group(0) @binding(0) var<storage> a: S;", "@align(3)");
    says("struct S { @size(2) a: f32 } @group(0) @binding(0) var<storage> a: S;", "@size(2)");
    says("fn f() {} fn f() {}", "`f` is already declared at line 1, column 4");
    says("@compute fn k() {}", "entry point `k` has no @workgroup_size");
    says("@compute @workgroup_size(1, 1, 1, 1) fn k() {}", "one to three extents");
    says("@group(0) @binding(0) var<storage> a: array<f32>;"
         "@group(0) @binding(0) var<storage> b: array<f32>;" +
             entry("_ = a[0] + b[0];"),
         "uses two buffers at @group(0) @binding(0)");
}

TEST_CASE("wgsl: which way data flows") {
    CHECK(flow("o[0] = 1.0;") == "out");
    CHECK(flow("if (x < arrayLength(&o)) { o[x] = 1.0; } else { o[y + f(z)[1]] = 2; }") == "out");
    CHECK(flow("h(3u);", "fn h(i: u32) { o[i] = 1.0; }") == "out");
    CHECK(flow("") == "inout"); // nobody uses it
    CHECK(flow("o[0] += 1.0;") == "inout");
    CHECK(flow("o[0] = o[1];") == "inout");
    CHECK(flow("o[u32(o[1])] = 1;") == "inout");
    CHECK(flow("let p = &o; (*p)[0] = 1;") == "inout");
    CHECK(flow("h(&o[0]);", "fn h(p: ptr<storage, f32, read_write>) { *p = 1.0; }") == "inout");
    CHECK(flow("o[0] = 1.0; _ = o[0];") == "inout");
    CHECK(flow("o[0]++;") == "inout");
    CHECK(flow("for (o[0] = 1; ; ) {}") == "inout");
    CHECK(flow("o[0] = 1; h();", "fn h() { let y = o[0]; }") == "inout");
    CHECK(
        flow("o[0] = 1; { var o = 3; o += 1; } for (var o = 1; o < 3; o++) { _ = o; } o[1] = 2;") ==
        "out");
    CHECK(flow("o[0] = 1; let o = o[1];") == "inout"); // the scope begins behind the statement
    CHECK(flow("o[0] = 1; h(1);", "fn h(o: i32) -> i32 { return o; }") == "out");
    CHECK(flow("o[0] = a.o;") == "out");
    auto const element = [](std::string const& type, std::string const& body) {
        auto const s = lkt::find_kernel(
            wgsl("struct S { a: f32, b: vec3<f32> } @group(0) @binding(0) var<storage, "
                 "read_write> o: " +
                 type + ";" + entry(body)));
        return s ? std::string(to_string(s->arguments[0].flow)) : s.error().message;
    };
    CHECK(element("array<vec4<f32>>", "o[0] = vec4<f32>();") == "out");
    CHECK(element("array<vec4<f32>>", "o[0].x = 1;") == "inout");
    CHECK(element("array<array<f32, 4>>", "o[0][1] = 1;") == "inout");
    CHECK(element("array<S>", "o[0] = S();") == "inout"); // padding stays as it was
    CHECK(element("f32", "o = 1.0;") == "out");
    CHECK(element("array<atomic<u32>>", "atomicStore(&o[0], 1u);") == "inout");
}

TEST_CASE("wgsl: arguments take their members' names, or the buffer's too where they meet") {
    CHECK(found("struct P { n: u32, q: Q } struct Q { @align(16) m: vec2<i32>, w: f32 }"
                "@group(0) @binding(1) var<uniform> p: P;"
                "@group(0) @binding(0) var<storage> a: array<vec3<f32>>;" +
                entry("_ = p.n; _ = a[0];")) ==
          "k(in float32x3* a, uint32 n, int32x2 m, float32 w)");
    CHECK(found("struct P { n: u32, m: u32 } @group(0) @binding(0) var<uniform> p: P;"
                "@group(0) @binding(1) var<uniform> q: P;"
                "@group(0) @binding(2) var<uniform> m: f32;" +
                entry()) == "k(uint32 p.n, uint32 p.m, uint32 q.n, uint32 q.m, float32 m)");
    CHECK(found("struct P { q: array<Q, 2>, r: array<vec4f, 2>, m: mat2x4<f32> }"
                "struct Q { @size(16) x: f32 } @group(0) @binding(0) var<uniform> p: P;" +
                entry()) ==
          "k(float32 p.q[0].x, float32 p.q[1].x, float32x4 r[0], float32x4 r[1], float32x4 m[0], "
          "float32x4 m[1])");
    CHECK(found("@group(0) @binding(2) var<uniform> w: array<vec4<f32>, 3>;" +
                entry("_ = w[0];")) == "k(in float32x4* w)");
}

TEST_CASE("wgsl: template lists and comparisons are told apart") {
    CHECK(extent("select(1, 2, 3 < 4)") == "2");
    CHECK(extent("select(1, 2, (W < 4) == (4 > 3))", "const W = 3;") == "2");
    CHECK(extent("a", "const a = select(u32(W<4 || W>>1 >= 4), 7u, W<=3);const W = 3;") == "7");
    auto const m = module_of("const N = 2; @group(0) @binding(0) var<storage> a: "
                             "array<array<vec4<f32>,N>,(N>>1)>;");
    CHECK(m.bindings[0].count == 2);
    CHECK(m.bindings[0].type == lkt::value_type{lkt::scalar_type::float32, 4});
}
