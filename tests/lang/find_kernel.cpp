// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/find_kernel.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace {

lkt::kernel_source cuda(std::string text) {
    return {lkt::language::cuda, std::move(text), "test.cu"};
}

/// `name(in float32* a, float32 b)`, or the error.
std::string shown(lkt::signature const& s) {
    std::string text = s.name + "(";
    for (std::size_t i = 0; i < s.arguments.size(); ++i) {
        lkt::argument const& a = s.arguments[i];
        text += i == 0 ? "" : ", ";
        if (a.pointer) text += std::string(to_string(a.flow)) + " ";
        text += to_string(a.type) + (a.pointer ? "* " : " ") + a.name;
    }
    return text + ")";
}
std::string found(std::string const& text, std::string_view name = {}) {
    auto const s = find_kernel(cuda(text), name);
    return s ? shown(*s) : s.error().code + ": " + s.error().message;
}
std::string hint(std::string const& text, std::string_view name = {}) {
    auto const s = find_kernel(cuda(text), name);
    return s ? "no error" : s.error().hint;
}
/// The type of a parameter declared as `declaration`.
std::string type(std::string const& declaration, std::string const& before = {}) {
    std::string const all = found(before + "\n__global__ void k(" + declaration + ") {}");
    return all.starts_with("k(") ? all.substr(2, all.size() - 3) : all;
}
/// The direction of `float* o`, given the body.
std::string flow(std::string const& body, std::string const& before = {}) {
    auto const s = find_kernel(
        cuda(before + "\n__global__ void k(float* o, float const* a, int n) {\n" + body + "}"));
    return s ? std::string(to_string(s->arguments[0].flow)) : s.error().message;
}

} // namespace

TEST_CASE("a plain kernel") {
    auto const s =
        find_kernel(cuda("// c\n\n__global__ void vector_add(float const* __restrict__ A,\n"
                         "    const float *B, float* C, int n) {\n"
                         "  int i = threadIdx.x; if (i < n) C[i] = A[i] + B[i];\n}\n"));
    REQUIRE(s.has_value());
    CHECK(shown(*s) == "vector_add(in float32* A, in float32* B, out float32* C, int32 n)");
    CHECK(s->line == 3);
    CHECK(s->template_parameters.empty());
    CHECK(s->arguments[0].spelling == "float const* __restrict__ A");
    CHECK(s->arguments[0].is_restrict);
    CHECK(s->arguments[0].is_const);
    CHECK_FALSE(s->arguments[2].is_const);
    CHECK(to_string(*s) ==
          "void vector_add(float const* __restrict__ A, const float *B, float* C, int n)");
}

TEST_CASE("helpers before and after do not confuse it") {
    CHECK(found("__device__ float f(float x, int y) { return x * y; }\n"
                "static __host__ __device__ inline void g(float*);\n"
                "__global__ void k(float* a) { a[0] = f(1, 2); }\n"
                "__device__ void g(float* z) { *z = 0; }\n"
                "int main() { k<<<1, 1>>>(0); }") == "k(out float32* a)");
}

TEST_CASE("all the ways to decorate a kernel") {
    for (char const* head :
         {"__global__ void k",
          "extern \"C\" __global__ void k",
          "static __global__ void k",
          "__global__ static void k",
          "void __global__ k",
          "__global__ void __launch_bounds__(256) k",
          "__global__ __launch_bounds__(MAX(16, 16), 2) void k",
          "__global__ void __launch_bounds__(256, 4) __maxnreg__(64) k",
          "extern \"C\" __attribute__((used)) __global__ __attribute__((noinline)) void k",
          "[[maybe_unused]] __global__ void [[gnu::used]] k",
          "inline __global__ void k",
          "__global__ void __cluster_dims__(2, 1, 1) k",
          "__global__ auto k",
          "__global__ void BOUNDS_OF_AN_INCLUDE(256) k"}) {
        CAPTURE(head);
        CHECK(found(std::string(head) + "(float* a, int n) { a[n] = 1; }") ==
              "k(out float32* a, int32 n)");
    }
    CHECK(found("extern \"C\" { __global__ void k(int n) {} }") == "k(int32 n)");
    CHECK(found("__global__ void k(void) {}") == "k()");
    CHECK(found("__global__ void k() {}") == "k()");
    CHECK(found("__global__ void k(int n) noexcept {}") == "k(int32 n)");
    CHECK(found("__global__ auto k(int n) -> void {}") == "k(int32 n)");
}

TEST_CASE("comments, strings and preprocessor lines hide nothing and show nothing") {
    CHECK(found("/* __global__ void a(int x) {} */\n"
                "// __global__ void b(int x) {}\n"
                "char const* s = \"__global__ void c(int x) {}\";\n"
                "#pragma message \"__global__ void d() {}\"\n"
                "#include <cuda_fp16.h>\n"
                "__global__ void k(/* in */ int x, // first\n int y /* second */) {}") ==
          "k(int32 x, int32 y)");
    CHECK(found("__glo\\\nbal__ void k(int n) {}") == "k(int32 n)");
    CHECK(found("const char* r = R\"(\n__global__ void a() {}\n)\"; __global__ void k(int n) {}") ==
          "k(int32 n)");
}

TEST_CASE("a declaration is not a definition") {
    CHECK(found("__global__ void k(float* a, int n = 4);\n"
                "__global__ void k(float* a, int n) { a[n] = 0; }") ==
          "k(out float32* a, int32 n)");
    CHECK(found("__global__ void k(float* a);") ==
          "lkt.kernel.none: test.cu: there is no __global__ function with a body; found only `k`");
}

TEST_CASE("namespaces are part of the name") {
    std::string const text = "namespace a::b { namespace { inline namespace c {\n"
                             "__global__ void k(int n) {} } } }\n"
                             "namespace d = a::b; using namespace d;\n"
                             "namespace [[deprecated]] e { __global__ void k2(int n) {} }";
    CHECK(found(text, "k") == "a::b::c::k(int32 n)");
    CHECK(found(text, "a::b::c::k") == "a::b::c::k(int32 n)");
    CHECK(found(text, "k2") == "e::k2(int32 n)");
    CHECK(kernel_names(cuda(text)).value() == std::vector<std::string>{"a::b::c::k", "e::k2"});
}

TEST_CASE("fundamental types in every order") {
    CHECK(type("unsigned long long n") == "uint64 n");
    CHECK(type("long unsigned int long n") == "uint64 n");
    CHECK(type("long long int n") == "int64 n");
    CHECK(type("long n") == "int64 n");
    CHECK(type("unsigned n") == "uint32 n");
    CHECK(type("int unsigned n") == "uint32 n");
    CHECK(type("short n") == "int16 n");
    CHECK(type("unsigned short int n") == "uint16 n");
    CHECK(type("signed char n") == "int8 n");
    CHECK(type("unsigned char n") == "uint8 n");
    CHECK(type("char n") == "int8 n");
    CHECK(type("bool n") == "bool n");
    CHECK(type("double n") == "float64 n");
    CHECK(type("signed n") == "int32 n");
}

TEST_CASE("named types") {
    CHECK(type("std::uint32_t n") == "uint32 n");
    CHECK(type("::size_t n") == "uint64 n");
    CHECK(type("int8_t a, uint8_t b, int16_t c, uint16_t d") ==
          "int8 a, uint8 b, int16 c, uint16 d");
    CHECK(type("int32_t a, cuda::std::int64_t b, uint64_t c, ptrdiff_t d, uint e") ==
          "int32 a, int64 b, uint64 c, int64 d, uint32 e");
    CHECK(type("half a, __half* b, const __nv_bfloat16* c, half2* d") ==
          "float16 a, inout float16* b, in bfloat16* c, inout float16x2* d");
    CHECK(type("const __nv_fp8_e4m3* a, __nv_fp8x4_e5m2* b, __nv_fp8x2_e4m3 c") ==
          "in float8_e4m3fn* a, inout float8_e5m2x4* b, float8_e4m3fnx2 c");
    CHECK(type("const __nv_fp8_storage_t* a, __nv_fp8x4_storage_t b, __nv_bfloat162* c") ==
          "in uint8* a, uint32 b, inout bfloat16x2* c");
    CHECK(type("const __nv_fp4x2_e2m1* a, __nv_fp4x4_e2m1* b, __nv_fp4x2_storage_t const* c") ==
          "in float4_e2m1fnx2* a, inout float4_e2m1fnx4* b, in uint8* c");
    CHECK(type("float2 a, float3* b, const float4* c, int2 d, uchar4* e") ==
          "float32x2 a, inout float32x3* b, in float32x4* c, int32x2 d, inout uint8x4* e");
    CHECK(type("ulonglong2 a, double4* b, short3 c, longlong1 d") ==
          "uint64x2 a, inout float64x4* b, int16x3 c, int64 d");
}

TEST_CASE("declarators") {
    CHECK(type("float a[]") == "inout float32* a");
    CHECK(type("float a[16]") == "inout float32* a");
    CHECK(type("const float a[16 * 4]") == "in float32* a");
    CHECK(type("float const *const __restrict a") == "in float32* a");
    CHECK(type("float* const a") == "inout float32* a");
    CHECK(type("const int n = 1 + (2, 3)") == "int32 n");
    CHECK(type("const volatile float* a") == "inout float32* a");
    CHECK(type("int, float*") == "int32 argument_1, inout float32* argument_2");
    CHECK(type("__grid_constant__ const int n") == "int32 n");
    CHECK(type("[[maybe_unused]] int n, alignas(8) int m") == "int32 n, int32 m");
    CHECK(type("int n = (a < b), int m = c > d") == "int32 n, int32 m");
}

TEST_CASE("aliases of the text") {
    CHECK(type("real* a, real b", "typedef float real;") == "inout float32* a, float32 b");
    CHECK(type("real a", "using real = double;") == "float64 a");
    CHECK(type("REAL* a", "#define REAL float") == "inout float32* a");
    CHECK(type("u64 a", "typedef unsigned long long u64;") == "uint64 a");
    CHECK(type("T a", "#define T U\n#define U V\ntypedef int V;") == "int32 a");
    CHECK(type("b a", "using a_t = float4; using b = a_t const;") == "float32x4 a");
    // const before a pointer alias makes the pointer const, not what it points to.
    CHECK(type("const fp a", "typedef float* fp;") == "inout float32* a");
    CHECK(type("cfp a", "typedef const float* cfp;") == "in float32* a");
    CHECK(type("cf* a", "typedef const float cf;") == "in float32* a");
    CHECK(type("real a", "namespace n { using real = float; }") == "float32 a");
    auto const s = find_kernel(cuda("#define REAL float\n__global__ void k(REAL *  a) {}"));
    CHECK(s.value().arguments[0].spelling == "REAL * a");
}

TEST_CASE("macros around the kernel") {
    CHECK(found("#define KERNEL extern \"C\" __global__ void\n"
                "#define RESTRICT __restrict__\n"
                "KERNEL k(float* RESTRICT a, int n) { a[n] = 1; }") ==
          "k(out float32* a, int32 n)");
    CHECK(found("#define IN(T, name) T const* __restrict__ name\n"
                "__global__ void k(IN(float, a), IN(unsigned int, b)) {}") ==
          "k(in float32* a, in uint32* b)");
    CHECK(found("#define MAKE(name, T) __global__ void name##_k(T* a) { a[0] = 0; }\n"
                "MAKE(first, float)\n") == "first_k(out float32* a)");
    CHECK(found("#define BODY { a[0] = 1; }\n__global__ void k(float* a) BODY") ==
          "k(out float32* a)");
    CHECK(found("#define F(...) __VA_ARGS__\n__global__ void k(F(int a, int b)) {}") ==
          "k(int32 a, int32 b)");
    CHECK(found("#define int long\n#undef int\n__global__ void k(int a) {}") == "k(int32 a)");
    CHECK(found("#define F G\n#define G(x) x a\n__global__ void k(F(int)) {}") == "k(int32 a)");
    CHECK(found("#define MAKE(n) __global__ void n(int a) {}\n").starts_with("lkt.kernel.none"));
    CHECK(hint("#define MAKE(n) __global__ void n(int a) {}\n") ==
          "the macro at line 1 would define a kernel, but it is not used; write the kernel out");
}

TEST_CASE("conditional compilation") {
    CHECK(found("#if 0\n__global__ void a(int x) {}\n#else\n__global__ void k(int n) {}\n#endif") ==
          "k(int32 n)");
    CHECK(type("real a",
               "#define DOUBLE 1\n#if DOUBLE\ntypedef double real;\n#else\n"
               "typedef float real;\n#endif") == "float64 a");
    CHECK(type("real a",
               "#define P 32\n#if P == 16\n#define real half\n#elif P == 32\n"
               "#define real float\n#else\n#define real double\n#endif") == "float32 a");
    CHECK(type("real a", "#ifndef real\n#define real float\n#endif") == "float32 a");
    CHECK(type("int a", "#ifdef __cplusplus\nextern \"C\" {\n#endif") == "int32 a");
    // Undecided: both branches are read.
    CHECK(found("#ifdef FAST\n__global__ void k(float* a) { a[0] = 1; }\n#else\n"
                "__global__ void k(float* b) { b[0] = 2; }\n#endif") == "k(out float32* a)");
    CHECK(found("__global__ void k(int n) {\n#if X\n if (n) {\n#else\n {\n#endif\n } }\n"
                "__global__ void l(int m) {}",
                "l") == "l(int32 m)");
    std::string const differs = "#ifdef A\n#define real float\n#else\n#define real double\n#endif";
    CHECK(type("real a", differs) ==
          "lkt.kernel.type: test.cu:6: parameter 1 of kernel `k`, `real a`: `real` means different "
          "types in different parts of the text");
    CHECK(found("#if A\n__global__ void k(float a) {}\n#else\n__global__ void k(int a) {}\n#endif")
              .starts_with(
                  "lkt.kernel.several: test.cu:4: the parameters of kernel `k` here differ"));
    CHECK(
        found("__global__ void k(int a\n#if A\n, int b\n#endif\n) {}") ==
        "lkt.kernel.conditional: test.cu: line 1, column 1: a kernel's declaration depends on the "
        "#if at line 2, column 1");
    CHECK(found("#define A 1\n__global__ void k(int a\n#if A\n, int b\n#endif\n) {}") ==
          "k(int32 a, int32 b)");
}

TEST_CASE("templates") {
    std::string const text = "template <typename T, int N = 4, class U = double>\n"
                             "__global__ void k(T* a, U b, int n) { a[n] = N; }";
    CHECK(found(text, "k<float>") == "k<float, 4, double>(out float32* a, float64 b, int32 n)");
    CHECK(found(text, "k<half, 8 * (2 > 1), int>") ==
          "k<half, 8 * (2 > 1), int>(out float16* a, int32 b, int32 n)");
    CHECK(found(text, "k<unsigned int, BLOCK>") ==
          "k<unsigned int, BLOCK, double>(out uint32* a, float64 b, int32 n)");
    CHECK(found(text) == "lkt.kernel.type: test.cu:2: parameter 1 of kernel `k`, `T* a`: `T` is a "
                         "template parameter without a value");
    CHECK(found(text, "k<>").find("its parameter `typename T` has no value") != std::string::npos);
    CHECK(hint(text) == "pass its arguments, for example --kernel 'k<float, 16, float>'");
    CHECK(found(text, "k<1, 2, 3, 4>").find("takes 3 arguments, not 4") != std::string::npos);
    CHECK(found(text, "k<16>").find("`T = 16` is not a declaration") != std::string::npos);
    CHECK(found(text, "k<float").find("does not end in >") != std::string::npos);
    CHECK(found("template <int B> __global__ void k(float* a) { a[0] = B; }", "k<BLOCK>") ==
          "k<BLOCK>(out float32* a)");
    CHECK(found("template <typename... T> __global__ void k(T*... a) {}", "k<float>")
              .find("packs are not supported") != std::string::npos);
    CHECK(found("__global__ void k(int n) {}", "k<float>").find("is not a template") !=
          std::string::npos);
    // A specialisation and an instantiation define no kernel of their own.
    CHECK(found(text + "\ntemplate <> __global__ void k<int, 4, int>(int* a, int b, int n) {}\n"
                       "template __global__ void k<float>(float*, double, int);",
                "k<float>") == "k<float, 4, double>(out float32* a, float64 b, int32 n)");
    // Without arguments, values may come from tunable parameters of the same names.
    auto const plain = find_kernel(cuda("template <int BLOCK, typename T = float> __global__ void "
                                        "k(T* a) { a[0] = BLOCK; }"));
    REQUIRE(plain.has_value());
    CHECK(shown(*plain) == "k(out float32* a)");
    CHECK(plain->template_parameters ==
          std::vector<std::string>{"int BLOCK", "typename T = float"});
    CHECK(find_kernel(cuda(text), "k<float>").value().template_parameters.empty());
    CHECK(kernel_names(cuda(text)).value() == std::vector<std::string>{"k"});
}

TEST_CASE("types that lkt does not know are named, with what to do") {
    CHECK(type("params p") == "lkt.kernel.type: test.cu:2: parameter 1 of kernel `k`, `params p`: "
                              "`params` is not a type that lkt knows");
    CHECK(hint("__global__ void k(params p) {}").find("--type params=float") != std::string::npos);
    CHECK(type("params* p", "struct params { int n; };").find("is a structure") !=
          std::string::npos);
    CHECK(type("struct params* p", "struct params { int n; };").find("is a structure") !=
          std::string::npos);
    CHECK(type("float** a").find("pointer to pointers") != std::string::npos);
    CHECK(type("float a[][4]").find("array of arrays") != std::string::npos);
    CHECK(type("float (*a)[4]").find("pointer to a function or an array") != std::string::npos);
    CHECK(type("void* a").find("does not say what it points to") != std::string::npos);
    CHECK(type("float& a").find("is a reference") != std::string::npos);
    CHECK(type("long double a").find("`long double a` is not a type") != std::string::npos);
    CHECK(type("std::complex<float> a").find("class template") != std::string::npos);
    CHECK(type("other::real a").find("is not a type that lkt knows") != std::string::npos);
    CHECK(type("auto a").find("does not state the type") != std::string::npos);
    CHECK(type("cudaTextureObject_t t").find("`cudaTextureObject_t` is not") != std::string::npos);
    CHECK(type("real r", "typedef enum { a } real;").find("is not a type") != std::string::npos);
    CHECK(type("A a", "typedef B A; typedef A B;").find("defined in terms of itself") !=
          std::string::npos);
    CHECK(type("int a, int a").find("two parameters called `a`") != std::string::npos);
    CHECK(type("real a", "typedef float real; namespace x { typedef double real; }")
              .find("means different types") != std::string::npos);
}

TEST_CASE("the caller may say what a type stands for") {
    std::vector<std::pair<std::string, std::string>> const types{{"real", "float"},
                                                                 {"vec", "float4 const"}};
    auto const s = find_kernel(cuda("__global__ void k(real* a, vec* b) {}"), {}, types);
    REQUIRE(s.has_value());
    CHECK(shown(*s) == "k(inout float32* a, in float32x4* b)");
}

TEST_CASE("none, several, unknown") {
    CHECK(found("") == "lkt.kernel.none: test.cu: there is no __global__ function");
    CHECK(found("__device__ void helper(int a) {}\nvoid other() {}") ==
          "lkt.kernel.none: test.cu: there is no __global__ function with a body; found only "
          "`helper`");
    CHECK(hint("__kernel void k(__global float* a) {}").find("OpenCL") != std::string::npos);
    std::string const two = "__global__ void first(int a) {}\n__global__ void second(int b) {}";
    CHECK(found(two) == "lkt.kernel.several: test.cu: there are several kernels: first, second");
    CHECK(hint(two) == "choose one, for example --kernel first");
    CHECK(found(two, "second") == "second(int32 b)");
    CHECK(found(two, "third") ==
          "lkt.kernel.unknown: test.cu: there is no kernel `third`; found first, second");
    auto const all = find_kernels(cuda(two));
    REQUIRE(all.has_value());
    REQUIRE(all->size() == 2);
    CHECK((*all)[1].line == 2);
    CHECK(find_kernels(cuda("")).has_error());
    CHECK(find_kernels(cuda("__global__ void k(odd x) {}")).has_error());
    CHECK(kernel_names(cuda("")).value().empty());
    CHECK(found("__global__ void k(float* a) {}\n__global__ void k(int* a) {}")
              .find("here differ from those at") != std::string::npos);
}

TEST_CASE("what is not finished says so") {
    CHECK(found("__global__ void k(int a) { if (a) {").find("is never closed") !=
          std::string::npos);
    CHECK(found("__global__ void k(int a").find("is never closed") != std::string::npos);
    CHECK(found("__global__ int k(int a) {}").find("does not return void") != std::string::npos);
    CHECK(found("__global__") == "lkt.kernel.none: test.cu: there is no __global__ function");
    CHECK(found("/* __global__").find("never closed") != std::string::npos);
    auto const wgsl = lkt::find_kernel({lkt::language::wgsl, "@compute fn main() {}", "a.wgsl"});
    REQUIRE(wgsl.has_error()); // tests/lang/wgsl/wgsl.cpp has those that are found
    CHECK(wgsl.error().message == "a.wgsl:1:13: entry point `main` has no @workgroup_size");
}

TEST_CASE("out is only what is only stored to") {
    CHECK(flow("o[n] = 1;") == "out");
    CHECK(flow("if (n) o[n] = a[n]; else o[0] = 1;") == "out");
    CHECK(flow("for (int i = 0; i < n; ++i) { o[i] = a[i] * 2; }") == "out");
    CHECK(flow("*o = 1;") == "out");
    CHECK(flow("if (n) *o = 1;") == "out");
    CHECK(flow("o[a[0] > 1 ? n : 0] = 1; s.o = 3;") == "out");
    CHECK(flow("#if X\n o[0] = 1;\n#else\n o[1] = 2;\n#endif\n") == "out");
    CHECK(flow("AT(n) = 1;", "#define AT(i) o[i]") == "out");
    CHECK(flow("float sum = 0; for (;;) { sum += a[n]; } o[n * 2 + 1] = sum;") == "out");
}

TEST_CASE("whatever is less certain is inout") {
    for (char const* body : {"",
                             "o[n] += 1;",
                             "o[n]++;",
                             "++o[n];",
                             "float x = o[n];",
                             "o[n] = o[n + 1];",
                             "float* p = o; p[0] = 1;",
                             "f(o); o[0] = 1;",
                             "f(&o[1]); o[0] = 1;",
                             "o[o[0] > 0] = 1;",
                             "atomicAdd(&o[n], 1.f);",
                             "atomicAdd(o + n, 1.f);",
                             "reinterpret_cast<float4*>(o)[n] = v;",
                             "((float4*)o)[n] = v;",
                             "o[n].x = 1;",
                             "*o += 1;",
                             "*(o + 1) = 2; o[0] = 1;",
                             "o += n; o[0] = 1;",
                             "o[0] = 1; g = [&] { return o[1]; };",
                             "a * o[0];",
                             "{ float o[4]; o[0] = 1; }",
                             "{ float *o = s; o[0] = 1; }",
                             "{ float o[2] = {}; }",
                             "{ auto* o = s; *o = 1; }",
                             "{ decltype(a) *o = s; o[0] = 1; }",
                             "asm(\"\" :: \"l\"(x)); o[0] = 1;",
                             "o[0] == 1;",
                             "(o)[0] = 1;",
                             "o[0] = 1; swap(o, p);",
                             "#if READS\n x = o[0];\n#endif\n o[0] = 1;",
                             "o[0] = 1;\n#if READS\n o[1] += 1;\n#endif\n",
                             "o\n#if A\n[0]\n#else\n[1]\n#endif\n = 1;",
                             "x = y * o[0] = 1;"}) {
        CAPTURE(body);
        CHECK(flow(body) == "inout");
    }
    CHECK(flow("AT(n) += 1;", "#define AT(i) o[i]") == "inout");
    // A tunable parameter may switch on what the text's own definition switches off.
    CHECK(flow("#if READS\n x = o[0];\n#endif\n o[0] = 1;", "#define READS 0") == "inout");
    CHECK(flow("o[0] = 1; UPDATE;",
               "#ifdef A\n#define UPDATE o[1] += 1\n#else\n#define UPDATE\n#endif") == "inout");
}

TEST_CASE("const means in, unless it is cast away") {
    auto const in = [](std::string const& body) {
        return found("__global__ void k(float const* a) {" + body + "}").substr(2, 3);
    };
    CHECK(in("x = a[0]; f(a);") == "in ");
    CHECK(in("float4 const* v = (float4 const*)a;") == "in ");
    CHECK(in("float y = (x) * a[0];") == "in ");
    CHECK(in("const_cast<float*>(a)[0] = 1;") == "ino");
    CHECK(in("((float*)a)[0] = 1;") == "ino");
}

TEST_CASE("checking a text against a signature") {
    auto const reference =
        find_kernel(cuda("__global__ void k(float* a, int n) { a[n] = 1; }")).value();
    CHECK_FALSE(check_signature(
        reference, cuda("__global__ void helper(int x) {} __global__ void k(float* b, int m) {}")));
    CHECK(check_signature(reference, cuda("__global__ void kk(float* b, int m) {}"))->got ==
          "test.cu: there is no kernel `k`; found kk");
    CHECK(check_signature(reference, cuda("")).has_value());
    auto const unread =
        check_signature(reference, cuda(std::string("__global__ void k() {\0}", 23)));
    REQUIRE(unread);
    CHECK(describe(lkt::failure(*unread))
              .find("cannot be read: test.cu: line 1, column 22: the text "
                    "contains a NUL byte") != std::string::npos);
    auto const redefined = check_signature(
        reference, cuda("#define float double\n__global__ void k(float* a, int n) {}"));
    REQUIRE(redefined); // the same words
    CHECK(redefined->got != redefined->expected);
    auto const templated =
        find_kernel(cuda("template <class T> __global__ void t(T* a) { a[0] = 1; }"), "t<float>")
            .value();
    CHECK_FALSE(check_signature(
        templated, cuda("template <typename E> __global__ void t(E* x) { x[0] = 1; }")));
}

TEST_CASE("macro bombs and deep nests end in an error") {
    std::string bomb = "#define A0 int\n";
    for (int i = 1; i < 60; ++i) {
        std::string const before = "A" + std::to_string(i - 1);
        bomb += "#define A" + std::to_string(i) + " " + before + " " + before + "\n";
    }
    CHECK(found(bomb + "A59\n__global__ void k(int n) {}").find("too much text") !=
          std::string::npos);
    std::string paste = "#define P0(x) x##x\n";
    for (int i = 1; i < 60; ++i)
        paste += "#define P" + std::to_string(i) + "(x) P" + std::to_string(i - 1) + "(x##x)\n";
    CHECK(found(paste + "P59(abcdefgh)\n__global__ void k(int n) {}").find("too much text") !=
          std::string::npos);
    std::string calls = "#define F(x) x\n";
    for (int i = 0; i < 150; ++i) calls += "F(";
    CHECK(found(calls + "1" + std::string(150, ')') + "\n__global__ void k(int n) {}")
              .find("nested more than 100 deep") != std::string::npos);
    std::string const deep(300000, '(');
    CHECK(found("__global__ void k(int n) {" + deep + "}").find("never closed") !=
          std::string::npos);
    CHECK(found("__global__ void k(int n = " + deep + ") {}").find("is never closed") !=
          std::string::npos);
    CHECK(found(std::string(300000, '{')).find("nested more than 256") != std::string::npos);
    std::string conditions;
    for (int i = 0; i < 1000; ++i) conditions += "#if X\n";
    CHECK(found(conditions).find("nested more than 200") != std::string::npos);
    std::string condition = "#if ";
    for (int i = 0; i < 900; ++i) condition += "!";
    CHECK(found(condition + "1\n#endif\n__global__ void k(int n) {}") == "k(int32 n)");
    CHECK(found("#define A A\n#define B C\n#define C B\nA B C __global__ void k(int n) {}") ==
          "k(int32 n)");
    std::string angles = "__global__ void k(int n = ";
    for (int i = 0; i < 50000; ++i) angles += "a<";
    CHECK(found(angles + "1) {}") == "k(int32 n)");
}

TEST_CASE("mutated kernels are read or refused, and never more") {
    std::string const original =
        "#define TILE 16\n#ifdef A\ntypedef float real;\n#else\nusing real = float;\n#endif\n"
        "template <typename T, int N = 4> __device__ T f(T* x) { return x[N]; }\n"
        "typedef struct __align__(8) tag { int m; struct { float2 v[2]; } in; real w = 1, u[TILE]; "
        "}"
        " params;\nconstexpr int L = 4 * (TILE + 1); __constant__ float c[L][2];\n"
        "namespace n { extern \"C\" __global__ void __launch_bounds__(256)\n"
        "k(real const* __restrict__ a, float o[], params p, unsigned long long n = 3 /* c */) {\n"
        "  __shared__ float s[TILE][TILE + 1]; // d\n"
        "#if TILE > 8\n  o[n] = a[n];\n#else\n  *o = f(a);\n#endif\n  o[0] = R\"(x)\"[0]; } }\n";
    static char const* const pieces[] = {"__global__",
                                         "void",
                                         "(",
                                         ")",
                                         "{",
                                         "}",
                                         "<",
                                         ">",
                                         ",",
                                         ";",
                                         "*",
                                         "#define F(x) x##x\n",
                                         "\n#if X\n",
                                         "\n#else\n",
                                         "\n#endif\n",
                                         "F(",
                                         "template <class T>",
                                         "typedef ",
                                         "using ",
                                         "=",
                                         "/*",
                                         "*/",
                                         "\"",
                                         "R\"(",
                                         "\\\n",
                                         "[",
                                         "]",
                                         "::",
                                         "namespace ",
                                         "const ",
                                         "o[0] = ",
                                         "TILE",
                                         "\xc3",
                                         "\t",
                                         "0x",
                                         "'",
                                         "struct ",
                                         "...",
                                         "%:",
                                         "%>"};
    std::mt19937 engine(7);
    auto const below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
    int read = 0, refused = 0;
    for (int round = 0; round < 1000; ++round) {
        std::string text = original;
        for (std::size_t edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
            std::size_t const at = below(text.size());
            switch (below(4)) {
            case 0:
                text.erase(at, 1 + below(20));
                break;
            case 1:
                text.insert(at, pieces[below(std::size(pieces))]);
                break;
            case 2:
                text[at] = static_cast<char>(engine() % 255 + 1);
                break;
            default:
                text.insert(at, text.substr(below(text.size()), below(60)));
                break;
            }
        }
        auto const s = find_kernel(cuda(text));
        if (s) {
            ++read;
            REQUIRE_FALSE(s->name.empty());
        } else {
            ++refused;
            REQUIRE_FALSE(s.error().message.empty());
        }
    }
    CHECK(read > 100);
    CHECK(refused > 100);
}

TEST_CASE("a reference that casts a const of its own away may stand in its own place") {
    lkt::kernel_source const source{lkt::language::cuda,
                                    "__global__ void k(float const* x, float* y) {\n"
                                    "    ((float*)x)[threadIdx.x] = 1; y[0] = 2;\n}\n",
                                    "test"};
    auto const found = lkt::find_kernel(source);
    REQUIRE(found.has_value());
    CHECK(found->arguments[0].flow != lkt::direction::in);
    CHECK_FALSE(lkt::check_signature(*found, source).has_value());
    // What it declares writable must stay so.
    lkt::kernel_source const both_const{
        lkt::language::cuda, "__global__ void k(float const* x, float const* y) {}", "test"};
    CHECK(lkt::check_signature(*found, both_const).has_value());
}
