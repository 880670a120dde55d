// SPDX-License-Identifier: BSL-1.0
#include <lkt/gpu/device/detail/standard_headers.hpp>

#include "support.hpp"

#include <lkt/gpu/device/detail/compile_record.hpp>
#include <lkt/lang/find_kernel.hpp>

using namespace lkt::cuda_detail;
using cuda_support::cubin;
using cuda_support::job;
using cuda_support::plain_options;

namespace {

nvrtc_place const nowhere{"/nowhere/libnvrtc.so.13", {"/nowhere/include"}, "test"};

std::string implied(std::string const& text, lkt::configuration const& definitions = {}) {
    return standard::prelude(text, "k", definitions, nowhere);
}
bool has(std::string const& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

/// Compiles statements of a kernel; throws with the log.
void compiles(compile_pool& pool, std::string const& head, std::string const& body) {
    auto const text = head + "\n__global__ void k(float* p, int n) { " + body + " }\n";
    CAPTURE(text);
    CHECK_NOTHROW((void)cubin(pool, job(text)));
}

} // namespace

TEST_CASE("What a text uses without an include is declared before it, and nothing else") {
    CHECK(implied(cuda_support::adder).empty());
    auto const both = implied("float m = -INFINITY, n = FLT_MAX; uint32_t i;");
    CHECK(has(both, "#define INFINITY "));
    CHECK(has(both, "#define FLT_MAX "));
    CHECK(has(both, "typedef unsigned int uint32_t;"));
    CHECK_FALSE(has(both, "include"));
    CHECK_FALSE(has(both, "NAN"));
    CHECK(implied("float f() { return std::sqrt(2.f); }") == "#include <cmath>\n");
    CHECK(implied("float f() { return cuda::std::sqrt(2.f); }").empty());
    CHECK(implied("namespace std { float sqrt(float); } float x = std::sqrt(2.f);").empty());
    CHECK(implied("// INFINITY\nchar const* s = \"FLT_MAX\";").empty());
    CHECK(
        has(standard::prelude("T x = LIMIT;",
                              "k<uint8_t>",
                              {{{"T", std::string{"int64_t"}}, {"LIMIT", std::string{"INT_MAX"}}}},
                              nowhere),
            "INT_MAX"));
}

TEST_CASE("What a text declares itself is left to it") {
    for (auto const* const text : {"#define INFINITY 1e30f\nfloat m = INFINITY;",
                                   "#ifndef FLT_MAX\n#define FLT_MAX 3e38f\n#endif\n",
                                   "constexpr float FLT_MAX = 3e38f; float m = FLT_MAX;",
                                   "enum { INT_MAX = 3 };",
                                   "typedef unsigned long uint64_t; uint64_t x;",
                                   "using uint = unsigned; uint x;",
                                   "#undef NAN\n#define NAN 0\nfloat x = NAN;"}) {
        CAPTURE(text);
        CHECK(implied(text).empty());
    }
    CHECK(implied("int x = INT_MAX;", {{{"INT_MAX", std::int64_t{7}}}}).empty());
    CHECK(has(implied("#define MOST INT_MAX\n"), "INT_MAX"));
    CHECK(has(implied("using index = int64_t;"), "int64_t"));
    // A header of the user's: what nvcc knows is there for it, what it does not know is its own.
    auto const mine = implied("#include \"mine.h\"\nuint32_t x; int64_t y;");
    CHECK(has(mine, "#define INFINITY "));
    CHECK_FALSE(has(mine, " int64_t"));
    CHECK_FALSE(has(mine, " uint32_t"));
}

TEST_CASE("The headers are part of the key of what includes some") {
    nvrtc_program p{"text", "k", {}};
    auto const without = program_key(p, standard::hash_of_headers());
    p.headers = standard::headers_for(nowhere, {});
    CHECK(program_key(p, standard::hash_of_headers()) != without);
    CHECK(standard::find_header("math.h") != nullptr);
    CHECK(standard::find_header("vector") == nullptr);
    cuda_support::scratch const folder;
    cuda_support::write(folder.path() / "math.h", "");
    CHECK(standard::headers_for(nowhere, {folder.text()}).size() + 1 == p.headers.size());
}

TEST_CASE("Each header can be included, alone and with the toolkit's") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    bool const cccl = has_header(*find_nvrtc(), "cuda/std/limits");
    std::string all;
    for (auto const& name : standard::headers_for(nowhere, {})) {
        if (!cccl && (name == "limits" || name == "utility")) continue;
        auto const line = "#include <" + name + ">\n";
        all += line;
        compiles(pool, line, "p[0] = n;");
    }
    compiles(pool, all + all, "p[0] = FLT_MAX + INFINITY + uint8_t(n) + std::min(n, 3);");
    if (!cccl) return;
    compiles(
        pool,
        all + "#include <cuda_fp16.h>\n#include <cuda/std/climits>\n#include <cuda/std/cstdint>\n"
              "#include <cuda/std/cmath>\n#include <cooperative_groups.h>",
        "std::swap(p[0], p[1]); p[2] = std::numeric_limits<float>::infinity() + INT_MAX;");
}

TEST_CASE("What nvcc knows without an include, NVRTC knows here") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    for (auto const* const value : {"INFINITY",
                                    "NAN",
                                    "HUGE_VAL",
                                    "HUGE_VALF",
                                    "FLT_MAX",
                                    "DBL_EPSILON",
                                    "INT_MAX + INT_MIN",
                                    "LONG_MIN",
                                    "ULLONG_MAX",
                                    "CHAR_MIN",
                                    "M_PI",
                                    "UINT32_MAX",
                                    "SIZE_MAX",
                                    "RAND_MAX",
                                    "offsetof(float4, y)",
                                    "sizeof(uint) + sizeof(ushort) + sizeof(ulong)",
                                    "sizeof(std::size_t) + sizeof(std::nullptr_t)",
                                    "int8_t(n) + int64_t(n) + uint64_t(n) + uintptr_t(p)",
                                    "std::uint32_t(n)",
                                    "std::sqrt(2.f) + std::abs(-n) + std::pow(p[1], 2.f)",
                                    "std::isnan(p[1])",
                                    "std::min(n, 2) + std::max(p[1], 2.f)",
                                    "isnan(p[1]) + isinf(p[1])",
                                    "std::is_same<int, float>::value",
                                    "(float)((__int128)n * n >> 64)"})
        compiles(pool, "", std::string{"p[0] = "} + value + ";");
    compiles(pool, "constexpr float worst = -INFINITY; __device__ float best = FLT_MAX;", "");
    compiles(pool, "", "printf(\"%d\", n); assert(n > 0); memcpy(p, p + n, 4); free(malloc(4));");
    // A maximum and a nearest centre, as many write them.
    compiles(
        pool, "", "float m = -INFINITY; for (int i = 0; i < n; ++i) m = fmaxf(m, p[i]); *p = m;");
    compiles(
        pool,
        "",
        "int best = 0; float nearest = FLT_MAX; for (int c = 0; c < n; ++c) { float d = p[c] - "
        "p[0]; if (d * d < nearest) nearest = d * d, best = c; } p[0] = best;");
}

TEST_CASE("A text with its own INFINITY, types and folders compiles") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    for (auto const* const head : {"#define INFINITY 1e30f",
                                   "#include <math.h>\n#define INFINITY 1e30f",
                                   "#define INFINITY 1e30f\n#include <cmath>",
                                   "__device__ const float INFINITY = 1e30f;",
                                   "#define INFINITY M_PI"})
        compiles(pool, head, "p[0] = INFINITY;");
    compiles(pool,
             "typedef unsigned long uint64_t;\ntypedef unsigned int uint;",
             "uint64_t x = n; *p = uint(x);");
    cuda_support::scratch const mine;
    cuda_support::write(mine.path() / "mine.h",
                        "#include <math.h>\ntypedef long int64_t;\n"
                        "__device__ inline float top() { return INFINITY + OWN + INT_MAX; }\n");
    cuda_support::write(mine.path() / "math.h", "#define OWN 3\n");
    auto j = job(
        "#include \"mine.h\"\n__global__ void k(float* p) { int64_t x = 1; p[0] = top() + x; }");
    j.options = {"-I" + mine.text()};
    CHECK_NOTHROW((void)cubin(pool, j));
}

TEST_CASE("Lines stay the user's after lines of ours") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    for (auto const* const head : {"\n", "#include <cmath>\n", "#include <cuda_fp16.h>\n"}) {
        CAPTURE(head);
        auto const f = cuda_support::failure_of<lkt::compile_failed>(
            pool,
            job(head + std::string{"__global__ void k(float* p) {\n"
                                   "    p[0] = -INFINITY + std::sqrt(p[0]) + FLT_MAX;\n"
                                   "    p[1] = missing;\n}\n"}));
        CHECK(f.where == lkt::text_location{4, 12});
        CHECK(f.log.find("kernel(4): error") != std::string::npos);
    }
}

TEST_CASE("The kernels that every back end computes compile") {
    if (!cuda_support::have_nvrtc()) return;
    compile_pool pool{plain_options()};
    std::string file;
    for (auto const& each :
         cuda_support::fs::directory_iterator{LKT_TEST_SOURCE_DIR "/gpu/conformance/kernels"})
        file += cuda_support::read(each.path());
    int compiled = 0;
    constexpr std::string_view begin = "R\"(", end = ")\"";
    for (std::size_t at = 0; (at = file.find(begin, at)) != file.npos;) {
        at += begin.size();
        auto const text = file.substr(at, file.find(end, at) - at);
        if (text.find("template <typename T, int PER_THREAD") != text.npos) continue; // an instance
        if (text.find("__global__") == text.npos) continue;                           // WGSL
        CAPTURE(text);
        auto j = job(text);
        auto const kernel = lkt::find_kernel(j.source);
        if (!kernel) continue; // one takes a dim3, which is no typed argument
        j.kernel = kernel->name;
        j.definitions.values = {{"ROWS", std::int64_t{8}},
                                {"FACTOR", 0.125},
                                {"NEGATE", true},
                                {"TYPE", std::string{"__half"}},
                                {"PAIR", std::string{"__half2"}},
                                {"MAKE", std::string{"__halves2half2"}}};
        if (text.find("define TILE") == text.npos)
            j.definitions.values.emplace_back("TILE", std::int64_t{32});
        CHECK_NOTHROW((void)cubin(pool, j));
        ++compiled;
    }
    CHECK(compiled > 20);
}
