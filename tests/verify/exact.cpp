// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/exact.hpp>

#include <doctest/doctest.h>

#include <lkt/gpu/host.hpp>
#include <lkt/lang/find_kernel.hpp>
#include <lkt/verify/detail/conditioning.hpp>
#include <lkt/verify/oracle.hpp>
#include <lkt/verify/signature_tests.hpp>
#include <lkt/verify/sound_tests.hpp>
#include <lkt/verify/verify.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::string version_of(std::string_view text) {
    auto made = lkt::in_float64(text);
    REQUIRE(made.has_value());
    return made->substr(made->find("float64_ne(")); // after the last of the helpers
}
bool contains(std::string const& text, std::string_view what) {
    return text.find(what) != text.npos;
}

lkt::host& gpu() {
    static lkt::host backend;
    return backend;
}

/// A kernel that sums N floats of a row, in each of 128 rows.
lkt::problem row_sums(std::string const& body) {
    auto const parse = [](char const* text) { return lkt::expression::parse(text).value(); };
    lkt::problem task;
    task.reference.text = "extern \"C\" __global__ void rows(const float* x, float* y, int n) {\n"
                          "    int r = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                          body + "}\n";
    task.signature = lkt::find_kernel(task.reference).value();
    lkt::argument_spec x, y, n;
    x.count = parse("128 * N");
    x.fill = lkt::uniform{0.09999999, 0.1}; // hardly random: the errors of sums add up
    y.count = parse("128");
    y.flow = lkt::direction::out;
    n.value = parse("N");
    task.arguments = {x, y, n};
    task.size = {{"N", 2000}};
    task.launch.grid[0] = 4;
    task.launch.block[0] = 32;
    return task;
}
char const* const plain = "    float s = 0.0f;\n"
                          "    for (int i = 0; i < n; ++i) s += x[r * n + i];\n"
                          "    y[r] = s * (1.0f + 1e-3f * r);\n";

lkt::test_suite suite_of(lkt::problem const& task) {
    lkt::signature_tests const few{.other_values = false};
    auto made = lkt::prepare_suite(gpu(), task, few.generate(task, {}).value(), {});
    REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().message));
    return std::move(*made);
}

} // namespace

TEST_CASE("text becomes float64: types, literals, functions, intrinsics, and nothing else") {
    auto const t =
        version_of("float4 v = make_float4(1.5f, .5F, 1e-3f, 0x1p-3f); // float\n"
                   "int k = 0x1f; const char* s = \"float\";\n"
                   "float x = expf(__logf(v.x)) + __fdividef(v.y, fmaxf(2.f, sinf(3)));\n");
    CHECK(contains(t, "double4 v = make_double4(1.5, .5, 1e-3, 0x1p-3); // float\n"));
    CHECK(contains(t, "int k = 0x1f; const char* s = \"float\";\n"));
    CHECK(contains(t, "double x = exp(log(v.x)) + float64_div(v.y, fmax(2., sin(3)));\n"));
    CHECK(contains(version_of("__nv_fp8_e4m3 h = __nv_fp8_e4m3(x); float f = float(h);"),
                   "double h = double(x); double f = double(h);"));
    CHECK_FALSE(lkt::in_float64("y[0] = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);"));
    CHECK_FALSE(lkt::in_float64("__nv_fp8x4_e4m3 four = x[0];"));
    CHECK(contains(version_of("__half h = __float2half(x); float f = __half2float(h);"),
                   "double h = double(x); double f = double(h);"));
    CHECK(contains(version_of("__half h = __hfma(__hadd(a, b), __hneg(c), d);"),
                   "double h = fma(float64_add(a, b), float64_neg(c), d);"));
    CHECK(contains(version_of("#define T float\nT erf(T);"), "#define T double\nT erf(T);"));
}

TEST_CASE("what looks at bits has no counterpart") {
    for (char const* text : {"int i = __float_as_int(x);",
                             "__half h = __hadd_sat(a, b);", // would round
                             "int i = __half2int_rn(h);",
                             "int* p = (int*)x;",
                             "auto p = reinterpret_cast<float4*>(x);",
                             "union { float f; int i; };",
                             "asm(\"add.f32 %0, %1, %2;\");",
                             "__half2 h;",
                             "/* never closed"}) {
        CAPTURE(text);
        CHECK_FALSE(lkt::in_float64(text).has_value());
    }
    CHECK(lkt::in_float64("float4* p = (float4*)x;").has_value());
}

TEST_CASE("a problem's float64 version has its arguments in float64") {
    auto const task = row_sums(plain);
    auto const wide = lkt::float64_version(task);
    REQUIRE(wide.has_value());
    CHECK(wide->signature.arguments[0].type.scalar == lkt::scalar_type::float64);
    CHECK(wide->signature.arguments[2].type.scalar == lkt::scalar_type::int32);
    CHECK(contains(wide->signature.arguments[0].spelling, "double"));
    auto wgsl = task;
    wgsl.reference.language = lkt::language::wgsl;
    CHECK_FALSE(lkt::float64_version(wgsl).has_value());
    CHECK_FALSE(lkt::float64_version(*wide).has_value()); // nothing left to widen
}

TEST_CASE("an original that errs widens its bounds, within limits; an exact one does not") {
    auto const task = row_sums(plain);
    auto const before = suite_of(task);
    auto suite = before;
    REQUIRE(lkt::fit_bounds(gpu(), task, suite, {}).has_value());
    auto const& was = before.tests[0];
    auto const& now = suite.tests[0];
    CHECK(suite.notes == before.notes);
    CHECK(now.limits[0].rms > was.limits[0].rms);
    CHECK(now.limits[0].rms <= 16 * was.limits[0].rms);
    CHECK(now.limits[0].bias > was.limits[0].bias);
    CHECK(now.bounds[0].absolute <= 16 * was.bounds[0].absolute);
    // Sums without rounding are the right answer, and stand beside these.
    auto exact = task;
    exact.reference.text = "extern \"C\" __global__ void rows(const float* x, float* y, int n) {\n"
                           "    int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    double s = 0;\n"
                           "    for (int i = 0; i < n; ++i) s += x[r * n + i];\n"
                           "    y[r] = (float)s * (1.0f + 1e-3f * r);\n}\n";
    auto const compiled =
        gpu()
            .compile({exact.reference, task.signature, {}, {}, false, lkt::seconds{60}}, {})
            .value();
    auto const& kernel = std::get<lkt::compiled_kernel>(compiled);
    CHECK(!lkt::verify_kernel(gpu(), kernel, task, task.launch, {}, suite, {})->has_value());
    CHECK(lkt::verify_kernel(gpu(), kernel, task, task.launch, {}, before, {})->has_value());
    auto right = suite_of(exact);
    auto const narrow = right;
    REQUIRE(lkt::fit_bounds(gpu(), exact, right, {}).has_value());
    CHECK(right.tests[0].limits == narrow.tests[0].limits);
    CHECK(right.tests[0].bounds == narrow.tests[0].bounds);
}

TEST_CASE("large tests follow the others; bounds of the user's stay") {
    auto task = row_sums(plain);
    task.further_sizes = {{{"N", 100}}};
    auto suite = suite_of(task);
    auto const before = suite;
    lkt::exact_options options;
    options.test_bytes = 8192;
    REQUIRE(lkt::fit_bounds(gpu(), task, suite, {}, options).has_value());
    CHECK(suite.tests[1].limits[0].rms / before.tests[1].limits[0].rms ==
          doctest::Approx(suite.tests[0].limits[0].rms / before.tests[0].limits[0].rms));
    task.arguments[1].bound = lkt::tolerance{1e-5, 0};
    auto own = suite_of(task);
    REQUIRE(lkt::fit_bounds(gpu(), task, own, {}).has_value());
    CHECK(own.tests[0].bounds[0] == lkt::tolerance{1e-5, 0});
}

TEST_CASE("on a test of lkt's the original may lose its digits, if it keeps them on most") {
    auto task = row_sums(plain);
    task.further_sizes = {{{"N", 100}}, {{"N", 50}}};
    auto tests = lkt::signature_tests{.other_values = false}.generate(task, {}).value();
    REQUIRE(tests.size() == 3);
    // Beside 1e8 float32 absorbs 3, and half of what remains is lost.
    float const terms[] = {1e8F, 3, -1e8F, 3}, none = 0;
    for (std::size_t k = 0; k < tests[2].arguments[0].lanes(); ++k)
        std::memcpy(tests[2].arguments[0].bytes.data() + 4 * k,
                    k % 50 < 48 ? &terms[k % 50 % 4] : &none,
                    4);
    auto const widened_by = [&](lkt::test_origin origin) {
        auto mine = tests;
        mine[2].origin = origin;
        auto suite = lkt::prepare_suite(gpu(), task, std::move(mine), {}).value();
        double const before = suite.tests[2].bounds[0].absolute;
        REQUIRE(lkt::fit_bounds(gpu(), task, suite, {}).has_value());
        return suite.tests[2].bounds[0].absolute / before;
    };
    CHECK(widened_by(lkt::test_origin::menu) > 1000);
    CHECK(widened_by(lkt::test_origin::asked) <= 16);
}

TEST_CASE("narrow inputs do not move, but what is rounded behind them does") {
    auto const kept = [](char const* value) {
        auto task = row_sums(plain);
        task.arguments[0].fill = lkt::uniform{0.125, 1};
        task.reference.text =
            "#include <cuda_fp16.h>\n"
            "extern \"C\" __global__ void rows(const __half* x, __half* y, int n) {\n"
            "    int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    float v = __half2float(x[r * n]);\n"
            "    y[r] = __float2half(" +
            std::string(value) + ");\n}\n";
        task.signature = lkt::find_kernel(task.reference).value();
        auto tests = lkt::signature_tests{.other_values = false}.generate(task, {}).value();
        tests.push_back(tests[0]);
        tests[1].name = "of lkt's", tests[1].origin = lkt::test_origin::menu;
        auto suite = lkt::prepare_suite(gpu(), task, std::move(tests), {}).value();
        REQUIRE(lkt::fit_bounds(gpu(), task, suite, {}).has_value());
        REQUIRE(lkt::keep_sound_tests(gpu(), task, suite, {}).has_value());
        return suite;
    };
    CHECK(kept("2.0f * v").tests.size() == 2);
    CHECK(kept("2.0f * v").notes.empty());
    auto const wild = kept("sinf(1e7f * v)");
    REQUIRE_FALSE(wild.notes.empty());
    CHECK(contains(wild.notes.back(), "1 of 2 tests asks only that outputs be finite"));
}

TEST_CASE("what the original rounds at inputs nearby is not asked of an element that is exact by "
          "chance") {
    auto task = row_sums("    float s = 0.0f;\n"
                         "    for (int i = 0; i < n; ++i) s += x[r * n + i];\n"
                         "    y[r] = s;\n");
    task.arguments[0].fill = lkt::uniform{50, 8192};
    auto const chosen = [&](bool promises) {
        task.properties.compensated = promises;
        auto tests = lkt::signature_tests{.other_values = false}.generate(task, {}).value();
        tests.push_back(tests[0]);
        tests[1].name = "of lkt's", tests[1].origin = lkt::test_origin::menu;
        // In row 5 a number whose multiples float32 holds, elsewhere smaller ones.
        for (auto& t : tests)
            for (std::size_t k = 0; k < t.arguments[0].lanes(); ++k) {
                float const x = k / 2000 == 5 ? 8192 : 50 + t.arguments[0].lane<float>(k) / 1024;
                std::memcpy(t.arguments[0].bytes.data() + 4 * k, &x, 4);
            }
        auto suite = lkt::prepare_suite(gpu(), task, std::move(tests), {}).value();
        REQUIRE(lkt::detail::fit_to_original(lkt::gpu_ref(gpu()), task, suite, {}, {}).has_value());
        return suite;
    };
    auto const suite = chosen(false);
    auto const& asked = suite.tests.at(0);
    auto const& menu = suite.tests.at(1);
    CHECK(menu.expected[0].lane<float>(5) == 8192 * 2000);
    CHECK((asked.open.empty() || !asked.open[0][5]));
    REQUIRE(menu.open.size() == 1);
    CHECK(menu.open[0][5]);
    CHECK(menu.open[0].count() == 1);
    REQUIRE_FALSE(suite.notes.empty());
    CHECK(contains(suite.notes.back(), "at inputs nearby the original itself is off"));
    CHECK(chosen(true).tests.at(1).open.empty());
}

TEST_CASE("whole numbers of narrow inputs that are others in float64 are left out") {
    auto task = row_sums(plain);
    task.arguments[0].fill = lkt::indices{lkt::expression::parse("500").value()};
    task.reference.text =
        "#include <cuda_fp16.h>\n"
        "extern \"C\" __global__ void rows(const __half* x, int* y, int n) {\n"
        "    int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    float v = __half2float(x[r * n]);\n"
        "    y[r] = (int)(v * (1.0f / 49.0f) * 49.0f + (r % 32 ? 0.5f : 0.0f));\n}\n";
    task.signature = lkt::find_kernel(task.reference).value();
    auto tests = lkt::signature_tests{.other_values = false}.generate(task, {}).value();
    auto suite = lkt::prepare_suite(gpu(), task, std::move(tests), {}).value();
    REQUIRE(lkt::fit_bounds(gpu(), task, suite, {}).has_value());
    REQUIRE(lkt::keep_sound_tests(gpu(), task, suite, {}).has_value());
    auto const& t = suite.tests.at(0);
    REQUIRE(!t.exact.at(0).bytes.empty());
    std::size_t lower = 0;
    for (std::size_t r = 0; r < t.expected[0].lanes(); ++r) {
        if (t.expected[0].lane<int>(r) == t.exact.at(0).lane<int>(r)) continue;
        ++lower;
        REQUIRE(t.open.size() == 1);
        CHECK(t.open[0][r]);
    }
    CHECK(lower > 0);
}

TEST_CASE("factors that tensor cores would round are allowed for, sums that are rounded are not") {
    auto task = row_sums(plain);
    task.arguments[0].fill = lkt::uniform{-1, 1};
    auto const text = [](std::string const& sum) {
        return "#include <cuda_fp16.h>\n"
               "extern \"C\" __global__ void rows(const __half* x, __half* y, int n) {\n"
               "    int r = blockIdx.x * blockDim.x + threadIdx.x;\n    float s = 0.0f;\n"
               "    for (int i = 0; i < n; ++i) {\n"
               "        float w = exp2f(-(float)(i / 2 % 13)), v = __half2float(x[r * n + i]);\n"
               "        float c = i % 2 ? 0.7f : 0.83f; // what a rewrite refers weights to\n" +
               sum + "    }\n    y[r] = __float2half(s);\n}\n";
    };
    task.reference.text = text("        s += w * __half2float(x[r * n + i]);\n");
    task.signature = lkt::find_kernel(task.reference).value();
    auto made = lkt::in_float64(task.reference.text, lkt::float64_numbers::factors).value();
    CHECK(contains(made, "float64_factor s = float64_factor(0.0);"));
    auto tests = lkt::signature_tests{.other_values = false}.generate(task, {}).value();
    for (int i = 0; i < 7; ++i) tests.push_back(tests[0]);
    // Each number is followed by nearly its opposite, so that little is left of a row.
    for (std::size_t t = 0; t < tests.size(); ++t)
        for (std::size_t k = 1; k < tests[t].arguments[0].lanes(); k += 2) {
            auto& bytes = tests[t].arguments[0].bytes;
            std::uint16_t bits = 0;
            std::memcpy(&bits, bytes.data() + 2 * k - 2, 2);
            bits ^= k % 97 == t + 1 ? 0x8011 : 0x8010;
            std::memcpy(bytes.data() + 2 * k, &bits, 2);
        }
    for (std::size_t t = 1; t < tests.size(); ++t)
        tests[t].name += std::to_string(t), tests[t].origin = lkt::test_origin::menu;
    auto suite = lkt::prepare_suite(gpu(), task, std::move(tests), {}).value();
    REQUIRE(lkt::fit_bounds(gpu(), task, suite, {}).has_value());
    REQUIRE(lkt::keep_sound_tests(gpu(), task, suite, {}).has_value());
    auto const before = suite;
    REQUIRE(lkt::detail::soundness::allow_rounded_factors(lkt::gpu_ref(gpu()), task, suite, {}, {})
                .has_value());
    auto const passes = [&](std::string const& sum, lkt::test_suite const& by) {
        lkt::kernel_source const source{lkt::language::cuda, text(sum), {}};
        auto const compiled =
            gpu().compile({source, task.signature, {}, {}, false, lkt::seconds{60}}, {}).value();
        auto const& kernel = std::get<lkt::compiled_kernel>(compiled);
        return !lkt::verify_kernel(gpu(), kernel, task, task.launch, {}, by, {})->has_value();
    };
    // The original's own weights are exact in half.
    std::string const rounded = "        s += __half2float(__float2half(w * c)) / c * v;\n";
    CHECK(passes(rounded, suite));
    CHECK_FALSE(passes(rounded, before));
    CHECK_FALSE(passes("        s = __half2float(__float2half(s + w * v));\n", suite));
    CHECK_FALSE(passes(
        "        s += __uint_as_float(__float_as_uint(w * c) & 0xffff0000u) / c * v;\n", suite));
}

TEST_CASE("what cancels exactly in the original alone is not asked of another formula") {
    auto const body = [](char const* value) {
        return std::string("    float s = 0.0f;\n"
                           "    for (int i = 0; i < n; ++i) s += x[r * n + i];\n"
                           "    float const mean = s / n;\n    y[r] = ") +
               value + ";\n";
    };
    auto task = row_sums(body("(x[r * n] - mean) * 300.0f + 1e-3f * r"));
    task.size = {{"N", 1}}; // so that each number is its mean
    task.arguments[0].fill = lkt::uniform{500, 1000};
    auto tests = lkt::signature_tests{.other_values = false}.generate(task, {}).value();
    tests.push_back(tests[0]);
    tests[1].name = "of lkt's", tests[1].origin = lkt::test_origin::menu;
    auto suite = lkt::prepare_suite(gpu(), task, std::move(tests), {}).value();
    auto const before = suite;
    REQUIRE(lkt::detail::fit_to_original(lkt::gpu_ref(gpu()), task, suite, {}, {}).has_value());
    CHECK(suite.tests.at(0).bounds == before.tests.at(0).bounds); // asked for
    auto const passes = [&](char const* value, lkt::test_suite const& by) {
        lkt::kernel_source const source{
            lkt::language::cuda, row_sums(body(value)).reference.text, {}};
        auto const compiled =
            gpu().compile({source, task.signature, {}, {}, false, lkt::seconds{60}}, {}).value();
        lkt::verify_options how;
        how.tests = {1};
        auto const& kernel = std::get<lkt::compiled_kernel>(compiled);
        return !lkt::verify_kernel(gpu(), kernel, task, task.launch, {}, by, {}, how)->has_value();
    };
    CHECK(passes("fmaf(x[r * n], 300.0f, 1e-3f * r - mean * 300.0f)", suite));
    CHECK_FALSE(passes("fmaf(x[r * n], 300.0f, 1e-3f * r - mean * 300.0f)", before));
    CHECK_FALSE(passes("(x[r * n] - mean * 0.9995f) * 300.0f + 1e-3f * r", suite));
}

TEST_CASE("an original that is far off is noted, and excuses nothing") {
    auto task = row_sums("    float s = 3e7f;\n" // too large for what is added
                         "    for (int i = 0; i < n; ++i) s += x[r * n + i];\n"
                         "    y[r] = s - 3e7f + 1e-3f * r;\n");
    auto suite = suite_of(task);
    auto const before = suite;
    REQUIRE(lkt::fit_bounds(gpu(), task, suite, {}).has_value());
    CHECK(suite.tests[0].bounds == before.tests[0].bounds);
    REQUIRE(suite.notes.size() == before.notes.size() + 1);
    CHECK(contains(suite.notes.back(),
                   "the original kernel's output `y` on test `N=2000` is off "
                   "by "));
}

TEST_CASE("a float64 version that does not compile changes nothing") {
    auto task = row_sums(std::string("    int only_float = sizeof(float) == 4 ? 1 : -1;\n"
                                     "    static_assert(sizeof(float) == 4, \"\");\n"
                                     "    (void)only_float;\n") +
                         plain);
    auto suite = suite_of(task);
    auto const before = suite;
    REQUIRE(lkt::fit_bounds(gpu(), task, suite, {}).has_value());
    CHECK(suite.tests[0].bounds == before.tests[0].bounds);
    CHECK(suite.tests[0].limits == before.tests[0].limits);
    CHECK(suite.notes == before.notes);
}
