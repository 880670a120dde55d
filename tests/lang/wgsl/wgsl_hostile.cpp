// SPDX-License-Identifier: BSL-1.0
// Text of unknown origin: an answer, right or an error, and that soon.
#include <lkt/lang/wgsl/wgsl.hpp>

#include <lkt/lang/find_kernel.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

namespace {

std::string repeated(std::string const& part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
}
/// The error's code, or `read`. Ten times slower than it is would still pass, quadratic would not.
std::string outcome(std::string const& text) {
    auto const start = std::chrono::steady_clock::now();
    auto const m = lkt::reflect_wgsl({lkt::language::wgsl, text, "hostile"});
    auto const spent = std::chrono::steady_clock::now() - start;
    CHECK(spent < std::chrono::seconds(20));
    if (m.has_value()) return "read";
    CHECK_FALSE(m.error().hint.empty());
    CHECK(m.error().message.size() < 2000);
    return m.error().code;
}

} // namespace

TEST_CASE("wgsl hostile: floods of one token") {
    CHECK(outcome(repeated("<", 1 << 16)) == "lkt.kernel.text");
    CHECK(outcome(repeated("a<", 1 << 16)) == "lkt.kernel.text");
    CHECK(outcome("const x = " + repeated("a<", 1 << 16)) == "lkt.kernel.text");
    CHECK(outcome("const x = " + repeated("(", 1 << 16)) == "lkt.kernel.text");
    CHECK(outcome("const x = " + repeated("-", 1 << 16)) == "lkt.kernel.text");
    CHECK(outcome("const x = 1" + repeated("+1", 1 << 16) + ";") == "lkt.kernel.text");
    CHECK(outcome("const x = a" + repeated("[0]", 1 << 16) + ";") == "lkt.kernel.text");
    CHECK(outcome(repeated("/*", 1 << 16)) == "lkt.kernel.text");
    CHECK(outcome(repeated("a ", 1 << 19)) == "lkt.kernel.text");
    CHECK(outcome(repeated(";", 1 << 20)) == "read");
    CHECK(outcome(repeated("x", (1 << 20) + 1)) == "lkt.kernel.text");
    CHECK(outcome("fn f() " + repeated("{", 1 << 19)) == "lkt.kernel.text");
    CHECK(outcome("fn f() {" + repeated("{", 1 << 18) + repeated("}", 1 << 18) + "}") == "read");
    CHECK(outcome("fn f() {" + repeated("for(", 1 << 17) + "}") == "read");
    CHECK(outcome(repeated("@a", 1 << 18)) == "lkt.kernel.text");
    CHECK(outcome("alias T = " + repeated("array<", 1 << 16)) == "lkt.kernel.text");
}

TEST_CASE("wgsl hostile: buffers that are asked for from everywhere") {
    std::string const buffer = "@group(0) @binding(0) var<storage, read_write> o: array<f32>;";
    CHECK(outcome(buffer + "@compute @workgroup_size(1) fn k() {" + repeated(";o[", 1 << 17) +
                  "}") == "read");
    CHECK(outcome(buffer + "@compute @workgroup_size(1) fn k() {" + repeated(";o[o", 1 << 17) +
                  "}") == "read");
    std::string entries = buffer;
    for (int i = 0; i < 2000; ++i)
        entries += "@compute @workgroup_size(1) fn k" + std::to_string(i) + "() { o[0] = 1; }";
    CHECK(outcome(entries) == "lkt.kernel.text");
    std::string chain = buffer + "@compute @workgroup_size(1) fn k() { g0(); }";
    for (int i = 0; i < 20000; ++i)
        chain += "fn g" + std::to_string(i) + "(){g" + std::to_string(i + 1) + "();}";
    CHECK(outcome(chain + "fn g20000(){g0();o[0]=1;}") == "read");
}

TEST_CASE("wgsl hostile: definitions that lead through one another") {
    auto const numbered = [](std::string const& before, std::string const& middle, int count) {
        std::string text;
        for (int i = 1; i < count; ++i)
            text += before + std::to_string(i) + middle + std::to_string(i - 1) + ";";
        return text;
    };
    std::string const use = "@group(0) @binding(0) var<storage> o: ";
    CHECK(outcome("alias t0 = f32;" + numbered("alias t", " = t", 20000) + use + "t19999;") ==
          "lkt.kernel.type");
    CHECK(outcome("const c0 = 1;" + numbered("const c", " = 1 + c", 20000) + use +
                  "array<f32, c19999>;") == "lkt.kernel.constant");
    // Each struct holds the one before twice: 2^39 scalars, but only 39 types.
    std::string structs = "struct s0 { a: f32 }";
    for (int i = 1; i < 36; ++i)
        structs += "struct s" + std::to_string(i) + " { a: s" + std::to_string(i - 1) + ", b: s" +
                   std::to_string(i - 1) + " }";
    CHECK(outcome(structs + use + "s35;") == "read");
    CHECK(outcome(structs + "@group(0) @binding(0) var<uniform> o: s35;") == "lkt.kernel.type");
    // Each override names the one before twice: the formula would double with each.
    std::string overrides = "override v0: u32 = 1;";
    for (int i = 1; i < 60; ++i)
        overrides += "override v" + std::to_string(i) + ": u32 = v" + std::to_string(i - 1) +
                     " + v" + std::to_string(i - 1) + ";";
    std::string const text = overrides + "@compute @workgroup_size(v59) fn k() {}";
    auto const m = lkt::reflect_wgsl({lkt::language::wgsl, text, ""});
    REQUIRE(m.has_value());
    auto const block = lkt::wgsl_block(*m, 0, {});
    REQUIRE(block.has_error());
    CHECK(block.error().code == "lkt.kernel.constant");
    CHECK(outcome("override x = " + repeated("x % (", 100) + "x" + repeated(")", 100) + ";") !=
          "no outcome");
}

TEST_CASE("wgsl hostile: mutations of a kernel") {
    std::string const seed = R"(enable f16; /* c */ alias V = vec4<f32>; const N: u32 = 0x10u;
@id(3) override TILE: u32 = N * 2u; override F = 1.5; override B = TILE > 4u && true;
struct P { n: u32, @align(16) @size(16) v: vec3<f32>, m: mat2x2<f32>, }
@group(0) @binding(0) var<storage, read> a: array<V>;
@group(0) @binding(1) var<storage, read_write> c: array<atomic<u32>, N>;
@group(1) @binding(2) var<uniform> p: P;
var<workgroup> w: array<f32, TILE * 4u>;
fn f(x: u32) -> f32 { for (var i = 0u; i < x; i++) { if (i << 2u >= 3u) { return w[i]; } } return a[x].y; }
@compute @workgroup_size(TILE, select(1u, 2u, B), 1)
fn k(@builtin(num_workgroups) g: vec3<u32>) { let q = f(p.n); workgroupBarrier(); atomicAdd(&c[0], u32(q)); }
)";
    REQUIRE(lkt::find_kernel({lkt::language::wgsl, seed, ""}).has_value());
    std::mt19937 random(20240607);
    std::string const alphabet = "<>(){}[];:,.@=+-*/%&|!~^ \n\"#09azTu_\x80\xe2\xa8";
    auto const below = [&](std::size_t n) { return std::size_t{random()} % n; };
    std::size_t read = 0, refused = 0;
    for (int round = 0; round < 5000; ++round) {
        std::string text = seed;
        for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
            std::size_t const at = below(text.size()), length = 1 + below(12);
            switch (below(4)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, 1, alphabet[below(alphabet.size())]);
                break;
            case 2:
                text.insert(at, text.substr(below(text.size()), length));
                break;
            default:
                text[at] = alphabet[below(alphabet.size())];
            }
        }
        auto const m = lkt::reflect_wgsl({lkt::language::wgsl, text, ""});
        if (m.has_error()) {
            ++refused;
            CHECK(m.error().code.starts_with("lkt.kernel."));
            continue;
        }
        ++read;
        for (std::size_t e = 0; e < m->entry_points.size(); ++e) {
            (void)lkt::find_wgsl_kernel({}, *m, m->entry_points[e].name);
            (void)lkt::wgsl_block(*m, e, {});
            (void)lkt::override_values_of(*m, e, {{{"TILE", std::int64_t{4}}}});
        }
    }
    CHECK(read > 250);
    CHECK(refused > 1000);
}

TEST_CASE("An override without type and default is refused wherever it is met first") {
    for (std::string const text : {"override S: u32 = B; override B;",
                                   "override B;",
                                   "override B; const C = B + 1; override S = C;"}) {
        auto const m = lkt::reflect_wgsl({lkt::language::wgsl, text, ""});
        REQUIRE(m.has_error());
        CHECK(m.error().code == "lkt.kernel.text");
        CHECK(m.error().message.find("neither a type nor a default") != std::string::npos);
    }
}
