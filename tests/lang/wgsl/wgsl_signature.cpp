// SPDX-License-Identifier: BSL-1.0
// Rewrites: which WGSL text can take a kernel's place, and how configurations reach it.
#include <lkt/lang/wgsl/wgsl.hpp>

#include <lkt/lang/find_kernel.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

lkt::kernel_source wgsl(std::string text) { return {lkt::language::wgsl, std::move(text), {}}; }
/// A kernel `k` with these buffers, numbered one after another, each of them used.
std::string kernel(std::vector<std::string> const& buffers, std::string const& before = {}) {
    std::string text = before, body;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        text += "@group(0) @binding(" + std::to_string(i) + ") var<" + buffers[i] + ";\n";
        std::string name = buffers[i].substr(buffers[i].find('>') + 1);
        body += "_ = " + name.substr(0, name.find(':')) + "; ";
    }
    return text + "@compute @workgroup_size(64) fn k() { " + body + "}";
}
bool same(lkt::signature const& reference, std::string const& text) {
    return !lkt::check_signature(reference, wgsl(text));
}
lkt::signature of(std::string const& text) { return lkt::find_kernel(wgsl(text)).value(); }
lkt::signature cuda(std::string const& parameters) {
    return lkt::find_kernel({lkt::language::cuda, "__global__ void k(" + parameters + ") {}", {}})
        .value();
}

} // namespace

TEST_CASE("wgsl signatures: a rewrite in the same language") {
    auto const reference = of(kernel(
        {"storage, read> a: array<f32>", "storage, read_write> o: array<f32>", "uniform> p: P"},
        "struct P { n: u32, m: u32 }"));
    CHECK(reference.arguments.size() == 4);
    CHECK(same(
        reference,
        kernel(
            {"storage, read> x: array<f32>", "storage, read_write> y: array<f32>", "uniform> q: Q"},
            "struct Q { rows: u32, columns: u32 }")));
    // Where the buffers are bound is the text's own business; their order counts.
    CHECK(same(reference,
               "struct P { n: u32, m: u32 }"
               "@group(1) @binding(7) var<storage, read_write> o: array<f32>;"
               "@group(1) @binding(9) var<uniform> p: P;"
               "@group(1) @binding(3) var<storage, read> a: array<f32>;"
               "@compute @workgroup_size(8, 8) fn k() { o[0] = a[p.n]; }"));
    CHECK(same(reference,
               kernel({"storage, read> a: array<vec4<f32>>",
                       "storage, read_write> o: array<vec2f>",
                       "uniform> n: u32",
                       "uniform> m: u32"})));
    CHECK(same(reference,
               kernel({"storage, read_write> a: array<f32>",
                       "storage, read_write> o: array<f32>",
                       "uniform> n: i32",
                       "uniform> m: i32"})));
    auto const differs = [&](std::vector<std::string> const& buffers) {
        return !same(reference, kernel(buffers));
    };
    CHECK(differs(
        {"storage, read> a: array<f32>", "storage, read_write> o: array<f32>", "uniform> n: u32"}));
    CHECK(differs({"storage, read_write> o: array<f32>",
                   "storage, read> a: array<f32>",
                   "uniform> n: u32",
                   "uniform> m: u32"})); // what is written must be writable
    CHECK(differs({"storage, read> a: array<u32>",
                   "storage, read_write> o: array<f32>",
                   "uniform> n: u32",
                   "uniform> m: u32"}));
    CHECK(differs({"storage, read> a: array<vec3<f32>>",
                   "storage, read_write> o: array<f32>",
                   "uniform> n: u32",
                   "uniform> m: u32"}));
    CHECK(differs({"storage, read> a: array<f32>",
                   "storage, read_write> o: array<f32>",
                   "uniform> n: u32",
                   "storage, read> m: array<u32>"}));
    CHECK(differs({"storage, read> a: array<f32>",
                   "storage, read_write> o: array<f32>",
                   "uniform> n: u32",
                   "uniform> m: f32"}));
    auto const wrong = lkt::check_signature(reference, wgsl("fn k() {}"));
    REQUIRE(wrong);
    CHECK(wrong->expected.starts_with("@compute fn k; @group(0) @binding(0)"));
    CHECK(wrong->got == "there is no @compute entry point");
}

TEST_CASE("wgsl signatures: a rewrite of a CUDA kernel, and the other way round") {
    auto const reference =
        cuda("float const* a, unsigned char* b, half* h, unsigned const* u, int n, bool flip");
    std::string const fits = kernel({"storage, read> a: array<f32>",
                                     "storage, read_write> b: array<u32>",
                                     "storage, read_write> h: array<u32>",
                                     "storage, read> u: array<i32>",
                                     "uniform> n: u32",
                                     "uniform> flip: u32"});
    CHECK(same(reference, fits));
    CHECK_FALSE(lkt::compare_signatures(of(fits), reference));
    CHECK(same(reference,
               kernel({"storage, read> a: array<f32>",
                       "storage, read_write> b: array<u32>",
                       "storage, read_write> h: array<f16>",
                       "storage, read> u: array<atomic<u32>>",
                       "uniform> p: P"},
                      "enable f16; struct P { n: i32, flip: u32 }")));
    CHECK_FALSE(same(reference,
                     kernel({"storage, read> a: array<u32>", // float32 is no pair of halves
                             "storage, read_write> b: array<u32>",
                             "storage, read_write> h: array<u32>",
                             "storage, read> u: array<i32>",
                             "uniform> n: u32",
                             "uniform> flip: u32"})));
    // Without WGSL nothing is loosened.
    CHECK(lkt::compare_signatures(cuda("int* a"), cuda("unsigned* a")));
    CHECK(lkt::compare_signatures(cuda("float* a"), cuda("float4* a")));
    auto const structure =
        lkt::find_kernel({lkt::language::cuda,
                          "struct P { int n; float x; }; __global__ void k(float* a, P p) {}",
                          {}})
            .value();
    CHECK(same(structure,
               kernel({"storage, read_write> a: array<f32>", "uniform> p: P"},
                      "struct P { n: i32, x: f32 }")));
}

TEST_CASE("wgsl signatures: buffers that nobody uses keep their places") {
    std::string const text = "@group(0) @binding(0) var<storage, read> a: array<f32>;"
                             "@group(0) @binding(1) var<storage, read_write> o: array<f32>;"
                             "@group(0) @binding(2) var<uniform> n: u32;"
                             "@compute @workgroup_size(64) fn k() { o[0] = 1; }";
    auto const s = of(text);
    REQUIRE(s.arguments.size() == 3);
    CHECK(s.arguments[0].flow == lkt::direction::in);
    CHECK(s.arguments[2].name == "n");
}

TEST_CASE("wgsl signatures: the block over parameters, defaults put in") {
    auto const m = lkt::reflect_wgsl(wgsl("override X: u32 = 16; override Y = X / 2;"
                                          "override Z: u32; override Q: f32 = sqrt(4.0);"
                                          "@compute @workgroup_size(X, u32(Y)) fn k() {}"
                                          "@compute @workgroup_size(Z) fn l() {}"
                                          "@compute @workgroup_size(u32(Q)) fn m() {}"))
                       .value();
    lkt::tunable_parameter const x{"X", {std::int64_t{8}, std::int64_t{32}}};
    lkt::tunable_parameter const z{"Z", {std::int64_t{8}}};
    auto const fixed = lkt::wgsl_block(m, 0, {}).value();
    CHECK(fixed[0].evaluate_integer({}).value() == 16);
    CHECK(fixed[1].evaluate_integer({}).value() == 8);
    auto const tuned = lkt::wgsl_block(m, 0, std::vector{x}).value();
    CHECK(tuned[0].text() == "X");
    lkt::expression_scope scope;
    scope.values.emplace_back("X", std::int64_t{32});
    CHECK(tuned[1].evaluate_integer(scope).value() == 16);
    CHECK(lkt::wgsl_block(m, 1, std::vector{z}).value()[0].text() == "Z");
    auto const none = lkt::wgsl_block(m, 1, {});
    REQUIRE(none.has_error());
    CHECK(none.error().message.find("`Z`, which is not a tunable parameter and has no default") !=
          std::string::npos);
    CHECK(lkt::wgsl_block(m, 2, {}).error().message.find("lkt cannot evaluate") !=
          std::string::npos);
    auto const circle = lkt::reflect_wgsl(wgsl("override A: u32 = B; override B: u32 = A;"
                                               "@compute @workgroup_size(A) fn k() {}"))
                            .value();
    CHECK(lkt::wgsl_block(circle, 0, {}).error().message.find("depends on itself") !=
          std::string::npos);
}

TEST_CASE("wgsl signatures: a configuration becomes a pipeline's constants") {
    auto const m = lkt::reflect_wgsl(wgsl("@id(7) override X: u32 = 16; override S: f32 = 1;"
                                          "override B = false; override NEEDED: i32;"
                                          "@compute @workgroup_size(X) fn k() { _ = NEEDED; }"
                                          "@compute @workgroup_size(X) fn l() { }"))
                       .value();
    auto const values = [&](lkt::configuration const& c, std::size_t entry = 1) -> std::string {
        auto const v = lkt::override_values_of(m, entry, c);
        if (auto const* no = std::get_if<lkt::refused>(&v)) return no->what + ": " + no->why;
        std::string text;
        for (auto const& [key, value] : std::get<lkt::override_values>(v))
            text += key + "=" + std::to_string(value) + " ";
        return text;
    };
    using i64 = std::int64_t;
    CHECK(values({{{"X", i64{32}}, {"S", 0.5}, {"B", true}}}) ==
          "7=32.000000 S=0.500000 B=1.000000 ");
    CHECK(values({{{"S", i64{2}}, {"B", i64{1}}}}) == "S=2.000000 B=1.000000 ");
    CHECK(values({{{"TILE", i64{4}}}}).find("`override TILE: u32 = 16;`") != std::string::npos);
    CHECK(values({{{"X", i64{-1}}}}).find("X = -1: the text declares") == 0);
    CHECK(values({{{"X", 1.5}}}).find("cannot hold this value") != std::string::npos);
    CHECK(values({{{"X", true}}}).find("cannot hold this value") != std::string::npos);
    CHECK(values({{{"S", std::string("float")}}}).find("cannot hold") != std::string::npos);
    CHECK(values({{{"X", i64{1}}}}, 0).find("override NEEDED: it has no default") == 0);
    CHECK(values({{{"NEEDED", i64{-3}}}}, 0) == "NEEDED=-3.000000 ");
}

TEST_CASE("wgsl signatures: counts that the text says") {
    auto const source = wgsl(kernel({"storage, read> a: array<f32>",
                                     "storage, read> b: array<vec3f, 5>",
                                     "storage, read_write> c: u32",
                                     "uniform> n: u32",
                                     "uniform> w: array<vec4f, 3>"}));
    auto const s = lkt::find_kernel(source).value();
    CHECK(lkt::fixed_counts(source, s) == std::vector<std::uint64_t>{0, 5, 1, 0, 3});
    lkt::kernel_source const c{
        lkt::language::cuda,
        "__constant__ float w[17]; __global__ void k(float* a) { a[0] = w[0]; }",
        {}};
    CHECK(lkt::fixed_counts(c, lkt::find_kernel(c).value()) == std::vector<std::uint64_t>{0, 17});
}
