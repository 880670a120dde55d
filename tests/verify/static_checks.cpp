// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/static_checks.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using findings = std::vector<lkt::static_finding>;

std::string const plain = "__global__ void k(float const* x, float* y, int n) {\n"
                          "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i < n) y[i] = 2 * x[i];\n"
                          "}\n";
std::string const plain_wgsl = "@compute @workgroup_size(64) fn k() {}";

lkt::problem task_of(std::string reference, lkt::language in = lkt::language::cuda) {
    lkt::problem p;
    p.reference = {in, std::move(reference), "original"};
    p.size = {{"N", 12345}, {"M", 100}};
    return p;
}
findings
found(std::string text, std::string reference = plain, lkt::static_policy const& policy = {}) {
    return lkt::static_findings(lkt::kernel_source{lkt::language::cuda, std::move(text), {}},
                                task_of(std::move(reference)),
                                policy)
        .value();
}
findings found_wgsl(std::string text) {
    return lkt::static_findings(lkt::kernel_source{lkt::language::wgsl, std::move(text), {}},
                                task_of(plain_wgsl, lkt::language::wgsl))
        .value();
}
std::string listed(findings const& all) {
    std::string text;
    for (auto const& f : all) text += describe(f) + "\n";
    return text;
}
bool has(findings const& all, std::string_view code) {
    for (auto const& f : all)
        if (lkt::code_of(f.rule) == code) return true;
    return false;
}
std::size_t errors(findings const& all) {
    std::size_t n = 0;
    for (auto const& f : all) n += f.severity == lkt::static_severity::error ? 1 : 0;
    return n;
}
/// A statement within a kernel.
std::string body(std::string const& statement) {
    return "__global__ void k(float* y, int n) {\n" + statement + "\n}\n";
}

struct bad_text {
    char const* rule;
    std::string text;
};
std::vector<bad_text> const bad_texts = {
    {"include", "#include \"../answers.h\"\n"},
    {"include", "#include </proc/self/maps>\n"},
    {"include", "#include <fstream>\n"},
    {"include", "#define H <sys/mman.h>\n#include H\n"},
    {"include", "#inc\\\nlude <unistd.h>\n"},
    {"include", "%:include <dlfcn.h>\n"},
    {"include", "#embed \"expected.bin\"\n"},
    {"include", "#if __has_include(\"/tmp/expected\")\n#endif\n"},
    {"include", "#include <cuda/std/chrono>\n"},
    {"disguise", body("as\\\nm(\"mov.u32 %0, 1;\");")},
    {"disguise", body("\\u0061sm(\"\");")},
    {"host_code", "int main() { return 0; }"},
    {"host_code", "void launch(float* y) { cudaMemset(y, 0, 4); }"},
    {"host_code", "void launch(float* y) { cuMemsetD8((CUdeviceptr)y, 0, 4); }"},
    {"host_code", "void launch(float* y) { hipMemset(y, 0, 4); }"},
    {"host_code", body("k<<<1, 1>>>(y, n);")},
    {"host_code", body("cudaDeviceSynchronize();")},
    {"host_code", "#define CALL(f) cuda##f\n" + body("CALL(Malloc)(&y, n);")},
    {"state", "__device__ int calls;\n" + body("if (calls++ > 3) return;")},
    {"state", "__device__ int calls;\n" + body("atomicAdd(&calls, 1);")},
    {"state", "static __device__ float cache[1024];\n" + body("cache[n] = y[0];")},
    {"state", "__device__ float* last;\n" + body("if (last == y) return; last = y;")},
    {"state", "__managed__ int flag;\n" + body("if (flag) return;")},
    {"state", "namespace a { namespace { __device__ int c = 1; } }\n" + body("a::c += 1;")},
    {"state", "struct S { int n; };\n__device__ S state = {0};\n" + body("state.n = n;")},
    {"state", "__device__ struct { int n; } state;\n" + body("++state.n;")},
    {"state", "__device__ int a = 0, b = 0;\n" + body("b = n;")},
    {"state", "__device__ int table[4] = {1, 2};\n" + body("int* p = table; p[0] = n;")},
    {"state", "__device__ int (*rows)[4];\n" + body("rows[0][1] = n;")},
    {"state", "template <class T> __device__ T kept[4];\n" + body("kept<float>[0] = y[0];")},
    {"state", body("static int calls;\n if (++calls > 2) return;")},
    {"state", body("static int calls{0};\n if (++calls > 2) return;")},
    {"state", "struct S { static int n; };\n" + body("S::n = 1;")},
    {"state", "int counter = 0;\n" + body("counter += 1;")},
    {"state", "#define HIDE __device__\nHIDE int calls;\n" + body("calls = n;")},
    {"state",
     "#ifdef FAST\n__device__ int a; void f(\n#else\n__device__ int b; void f(\n#endif\nint x);\n" +
         body("b = n;")},
    {"state", "__device__ int table[2] = {1, 2};\n" + body("(table)[0] = n;")},
    {"state", "__device__ const float* last = nullptr;\n" + body("last = y;")},
    {"heap", body("float* p = (float*)malloc(16);")},
    {"heap", body("float* p = new float[4];")},
    {"constant_memory", "__constant__ float w[17];\n" + body("y[0] = w[n];")},
    {"clock", body("if (clock64() & 1) return;")},
    {"clock", body("y[0] = clock();")},
    {"clock", body("__nanosleep(100);")},
    {"clock", "#define T() clo##ck64()\n" + body("if (T() & 1) return;")},
    {"clock", "#ifdef A\n#define T clock64\n#else\n#define T other\n#endif\n" + body("T();")},
    {"clock", body("unsigned t; asm volatile(\"mov.u32 %0, %%clock;\" : \"=r\"(t));")},
    {"clock", body("long t; asm(\"mov.u64 %0, %%global\" \"timer;\" : \"=l\"(t));")},
    {"clock", body("long t; asm(\"mov.u64 %0, %%glob\\x61ltimer;\" : \"=l\"(t));")},
    {"clock", body("long t; asm(\"mov.u64 %0, %%gridid;\" : \"=l\"(t));")},
    {"clock", body("asm(R\"(nanosleep.u32 100;)\");")},
    {"processor", body("unsigned s; asm(\"mov.u32 %0, %%smid;\" : \"=r\"(s));")},
    {"assembly", body("asm(\"trap;\");")},
    {"assembly", body("asm(\"add.u32 %0, %0, 1; exit;\" : \"+r\"(n));")},
    {"assembly", body("asm(\"{ .global .u32 kept; }\");")},
    {"assembly", body("asm(\"@p call (r), vprintf, (a, b);\");")},
    {"assembly", body("asm(\"/* add */ griddepcontrol.launch_dependents;\");")},
    {"assembly", "#define A(x) asm(#x)\n" + body("A(trap);")},
    {"assembly", "#define GLUE(a, b) a##b\n" + body("GLUE(__as, m__)(\"brkpt;\");")},
    {"assembly", "asm(\".global .u32 kept;\");\n" + plain},
    {"address", body("float* p = (float*)0x7f0000000000; y[0] = *p;")},
    {"address", body("y[0] = *reinterpret_cast<float const*>(0x7f0000000000ull);")},
    {"address", body("y[0] = *(volatile float* const)(-4096);")},
    {"computed_address", body("y[0] = *(float*)((uintptr_t)y + 4096);")},
    {"computed_address", body("unsigned long long a = n; y[0] = *reinterpret_cast<float*>(a);")},
    {"const_cast", body("const_cast<float*>(y)[0] = 0;")},
    {"print", body("printf(\"%d\\n\", n);")},
    {"print", body("assert(n > 0);")},
    {"cache_hint",
     body("asm(\"ld.global.L2::evict_last.f32 %0, [%1];\" : \"=f\"(y[0]) : "
          "\"l\"(y));")},
    {"precision", "#include <cuda_fp16.h>\n" + body("half h = __float2half(y[0]);")},
    {"precision", body("__nv_bfloat16 b;")},
    {"size_constant", body("if (n == 12345) return;")},
    {"size_constant", body("if (n == 0x3039u) return;")},
    {"size_constant", body("if (n == 12'345 * 100) return;")},
    {"size_constant", "#define ALL 1234500\n" + body("if (n == ALL) return;")},
    {"size_constant", body("y[0] /= 12345.0f;")},
};

std::vector<std::string> const honest_texts = {
    plain,
    "// asm(\"trap;\"); clock64(); __device__ int calls;\n" + plain,
    "/* printf(malloc(3)) <<< */\n" + plain,
    "#if 0\n#include <fstream>\n__device__ int calls; void f() { calls = clock64(); }\n#endif\n" +
        plain,
    body("char const* s = \"asm clock64() <<< #include\";"),
    body("char const* s = R\"x(clock64(); __device__ int a;)x\";"),
    "#define UNUSED clock64()\n" + plain,
    "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <math.h>\n" + plain,
    "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n" + plain,
    "#include <cub/block/block_reduce.cuh>\n#include <cuda/barrier>\n#include \"mma.h\"\n" + plain,
    "__device__ const float table[3] = {1, 2, 3};\n" + body("y[0] = table[n];"),
    "__device__ float table[3] = {1, 2, 3};\n" + body("if (table[n] > 1) ++n; y[0] = table[n];"),
    "__device__ int mask = 7;\n" + body("y[n & mask] = mask + 1;"),
    "__device__ int never_used;\n" + plain,
    "__constant__ float w[3] = {1, 2, 1};\n" + body("y[0] = w[n];"),
    "__constant__ float w[2]{1, 2};\n" + body("y[0] = w[n];"),
    "static constexpr int tile = 16;\nconst int halo = 2;\n" + plain,
    "constexpr float weights[] = {1, 2, 3};\n" + plain,
    "namespace a { const int b = 3; }\nnamespace c = a;\n" + plain,
    "struct pair { float a, b; static const int n = 3; };\n" + plain,
    "struct pair;\nenum class e : int;\nenum { one = 1, two };\n" + plain,
    "template <int N> struct s { static constexpr int n = N; float v[N]; };\n"
    "template struct s<4>;\n" +
        plain,
    "template <class T, int N = 4> __device__ T sum(T const (&a)[N]) {\n"
    "    static_assert(N > 0); T s = 0; for (int i = 0; i < N; ++i) s += a[i]; return s; }\n" +
        plain,
    "typedef float real;\nusing index = unsigned;\nextern \"C\" {\n" + plain + "}\n",
    "static __device__ __forceinline__ float f(float);\n"
    "__device__ float f(float a) { return a; }\n" +
        plain,
    "__device__ __noinline__ float g(float (*row)[4], int n);\n" + plain,
    "struct v { float x; __device__ v operator+(v o) const { return {x + o.x}; }\n"
    "    __device__ bool operator<(v o) const { return x < o.x; } };\n" +
        plain,
    body("__shared__ float tile[32][33];\n static __shared__ int total;\n"
         "extern __shared__ float more[];"),
    body("static const float w[] = {1, 2}; y[0] = w[n];"),
    body("static constexpr int w[] = {1, 2}; y[0] = w[n];"),
    body("float4 v = reinterpret_cast<float4*>(y)[n]; float4* q = (float4*)(y + 4);"),
    body("if ((reinterpret_cast<uintptr_t>(y) & 15) == 0) y[0] = 1;"),
    body("float* p = (float*)0; int* q = reinterpret_cast<int*>(&y[3]);"),
    body("for (int half = n / 2; half > 0; half /= 2) y[half] = half * 2;"),
    body("unsigned r; asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(r));"),
    body("asm volatile(\"\" ::: \"memory\");"),
    "#define FENCE asm volatile(\"\" ::: \"memory\")\n" + body("FENCE;"),
    body("asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\\n\" :: \"r\"(n), \"l\"(y));\n"
         "asm volatile(\"cp.async.commit_group;\\ncp.async.wait_group 0;\\n\");"),
    body("asm(\"{\\n .reg .pred p;\\n setp.ne.s32 p, %1, 0;\\n @p add.f32 %0, %0, 1.0;\\n}\\n\"\n"
         "    : \"+f\"(y[0]) : \"r\"(n));"),
    body("asm volatile(\"{ .reg .pred P1; LAB_WAIT: mbarrier.try_wait.parity.b64 P1, [%0], %1;\"\n"
         "    \"@P1 bra DONE; bra LAB_WAIT; DONE: }\" :: \"r\"(n), \"r\"(n));"),
    body("asm(\"mma.sync.aligned.m16n8k8.row.col.f32.f32 {%0, %1}, {%2}, {%3}, {%4};\"\n"
         "    : \"=f\"(y[0]) : \"r\"(n));"),
    "#if __CUDA_ARCH__ >= 800\n"
    "#define COPY(d, s) asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(d), "
    "\"l\"(s))\n#else\n#define COPY(d, s) *(d) = *(s)\n#endif\n" +
        body("COPY(y, y + 1);"),
    body("auto f = [&](int i) { return y[i]; }; y[0] = f(n);"),
    body("int clock = 3, free = clock, main = free; y[0] = main;"),
    body("struct { int n; } s{3}; y[s.n] = 1 << 4 << 2;"),
    body("for (int i = 0; i < 1024; i += 256) __syncthreads();"),
    body("int cudaLike = n; y[0] = cudaLike * (n > 32 ? 64 : 99);"),
    "#define BLOCK 256\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n" +
        body("y[MIN(n, BLOCK)] = 0;"),
    "__device__ __align__(16) const float4 zero = {0, 0, 0, 0};\n" + body("y[0] = zero.x;"),
    "#ifndef BLOCK\n#define BLOCK 64\n#endif\n#ifdef __HIP__\nvoid h(int a) {\n#else\n"
    "__device__ void h(int a) {\n#endif\n}\n" +
        plain,
};

std::string read(std::filesystem::path const& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
/// The raw strings of a C++ file that hold kernels.
std::vector<std::pair<lkt::language, std::string>> kernels_in(std::string const& text) {
    std::vector<std::pair<lkt::language, std::string>> all;
    for (std::size_t at = 0; (at = text.find("R\"", at)) != std::string::npos;) {
        std::size_t const open = text.find('(', at);
        if (open == std::string::npos) break;
        std::string const ending = ")" + text.substr(at + 2, open - at - 2) + "\"";
        std::size_t const close = text.find(ending, open);
        if (close == std::string::npos) break;
        std::string kernel = text.substr(open + 1, close - open - 1);
        at = close;
        if (kernel.find("__global__") != std::string::npos)
            all.emplace_back(lkt::language::cuda, std::move(kernel));
        else if (kernel.find("@compute") != std::string::npos)
            all.emplace_back(lkt::language::wgsl, std::move(kernel));
    }
    return all;
}

} // namespace

TEST_CASE("Each bad text is found by its rule") {
    CHECK(bad_texts.size() >= 40);
    for (auto const& bad : bad_texts) {
        CAPTURE(bad.text);
        auto const all = found(bad.text);
        CAPTURE(listed(all));
        CHECK(has(all, std::string("lkt.static.") + bad.rule));
        for (auto const& f : all) CHECK_FALSE(f.what.empty());
    }
}

TEST_CASE("Honest texts have no findings") {
    CHECK(honest_texts.size() >= 40);
    for (auto const& text : honest_texts) {
        CAPTURE(text);
        CHECK(listed(found(text)) == "");
    }
}

TEST_CASE("No kernel of this repository is refused") {
    std::filesystem::path const root = std::filesystem::path(LKT_TEST_SOURCE_DIR).parent_path();
    std::size_t looked_at[2] = {};
    for (auto const* const folder :
         {"tests/gpu/conformance/kernels", "examples", "benchmarks", "tests/kernel/fixtures"}) {
        for (auto const& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            auto const kind = entry.path().extension();
            std::vector<std::pair<lkt::language, std::string>> texts;
            if (kind == ".cu" || kind == ".cuh")
                texts = {{lkt::language::cuda, read(entry.path())}};
            else if (kind == ".wgsl")
                texts = {{lkt::language::wgsl, read(entry.path())}};
            else if (kind == ".cpp" || kind == ".hpp")
                texts = kernels_in(read(entry.path()));
            for (auto const& [in, text] : texts) {
                bool const wgsl = in == lkt::language::wgsl;
                ++looked_at[wgsl ? 1 : 0];
                // Constant memory is an argument, so only the original's own candidates have it.
                lkt::static_policy policy;
                policy.constant_memory = lkt::static_severity::off;
                auto const all =
                    lkt::static_findings(lkt::kernel_source{in, text, entry.path().string()},
                                         task_of(wgsl ? plain_wgsl : plain, in),
                                         policy);
                CAPTURE(entry.path().string());
                CAPTURE(text);
                REQUIRE(all.has_value());
                CAPTURE(listed(*all));
                // A benchmark has a tool that reads clocks, and is no candidate.
                if (entry.path().filename() == "reference.hpp")
                    CHECK(has(*all, "lkt.static.clock"));
                else
                    CHECK(errors(*all) == 0);
            }
        }
    }
    CHECK(looked_at[0] > 20);
    CHECK(looked_at[1] > 20);
}

TEST_CASE("What the original does its candidates may do") {
    auto const timed = body("if (clock64() & 1) return;");
    CHECK(has(found(timed), "lkt.static.clock"));
    CHECK(found(timed, timed).empty());
    CHECK(found(body("y[0] = clock();"), timed).empty());
    CHECK(has(found(body("asm(\"trap;\");"), timed), "lkt.static.assembly"));
    // Of headers and constant memory the very same, of numbers the same.
    CHECK(found("#include <mine.h>\n" + plain, "#include <mine.h>\n" + plain).empty());
    CHECK_FALSE(found("#include <yours.h>\n" + plain, "#include <mine.h>\n" + plain).empty());
    auto const filled = "__constant__ float w[17];\n" + body("y[0] = w[n];");
    CHECK(found(filled, filled).empty());
    CHECK_FALSE(found("__constant__ float v[17];\n" + plain, filled).empty());
    CHECK(found(body("y[12345] = 1;"), body("y[0] = 12345;")).empty());
}

TEST_CASE("A policy says what is done about each rule") {
    auto const text = body("printf(\"\"); y[0] = clock64();");
    auto all = found(text);
    REQUIRE(all.size() == 2);
    CHECK(all[0].severity == lkt::static_severity::warning);
    CHECK(all[1].severity == lkt::static_severity::error);
    CHECK(all[1].where == lkt::text_location{2, 20});
    CHECK(describe(all[1]).starts_with("lkt.static.clock at line 2, column 20: `clock64`: what "));
    all = found(text, plain, {.clock = lkt::static_severity::off});
    REQUIRE(all.size() == 1);
    CHECK(all[0].rule == lkt::static_rule::print);
    CHECK(found(text, plain, lkt::static_policy::all(lkt::static_severity::off)).empty());
}

TEST_CASE("A macro's words are named with the macro, where it stands") {
    auto const all = found("#define NOW clock64()\n" + body("y[0] = NOW;"));
    REQUIRE(all.size() == 1);
    CHECK(all[0].what == "NOW (clock64)");
    CHECK(all[0].where == lkt::text_location{3, 8});
}

TEST_CASE("Values of parameters are part of the text") {
    lkt::candidate k;
    k.source = {lkt::language::cuda, body("y[0] = WHAT;"), {}};
    k.parameters = {{"WHAT", {std::string("n"), std::string("clock64()")}}};
    auto const all = lkt::static_findings(k, task_of(plain)).value();
    REQUIRE(all.size() == 1);
    CHECK(all[0].rule == lkt::static_rule::clock);
    CHECK(all[0].where == lkt::text_location{});
}

TEST_CASE("WGSL has the rules that mean something in it") {
    CHECK(has(found_wgsl("enable f16; @compute @workgroup_size(1) fn k() { var h: f16 = 1h; }"),
              "lkt.static.precision"));
    CHECK(has(found_wgsl("const all = 12345u; " + plain_wgsl), "lkt.static.size_constant"));
    CHECK(has(found_wgsl("fn f() -> u32 { return 12345 * 100; }" + plain_wgsl),
              "lkt.static.size_constant"));
    CHECK(found_wgsl("/* /* 12345 */ f16 */ var<private> clock: u32; fn printf() {} " + plain_wgsl)
              .empty());
}

TEST_CASE("Hostile texts end in time, with findings or an error") {
    auto const repeated = [](std::string const& piece, std::size_t bytes) {
        std::string text;
        while (text.size() < bytes) text += piece;
        return text;
    };
    constexpr std::size_t much = 100'000;
    std::vector<std::string> texts;
    for (auto const* const piece : {"{",
                                    "}",
                                    "(",
                                    "x[",
                                    "asm(",
                                    "static ",
                                    "__device__ int a;",
                                    "x {} ",
                                    "struct {",
                                    "<",
                                    "\"",
                                    "#if A\n",
                                    "#if A\n{\n#else\n(\n",
                                    "(float*)",
                                    "#define A A A\nA ",
                                    "__device__ int a = 1; int b = a[",
                                    "template <",
                                    "12345 * ",
                                    "1 << ",
                                    "asm(\"x;\"",
                                    "\\",
                                    "__device__ int a, ",
                                    "struct { } "})
        texts.push_back(repeated(piece, much));
    texts.push_back("__device__ int a[1] = {1}; void f() { " + repeated("a[", much));
    texts.push_back("__device__ int a " + repeated("b ", much / 2) + repeated("{} ", much / 2));
    texts.push_back("asm(\"" + repeated("@p ", much) + "\")");
    texts.push_back("asm(\"" + repeated("a: ", much) + "\")");
    for (std::string const& text : texts) {
        CAPTURE(text.substr(0, 60));
        auto const start = std::chrono::steady_clock::now();
        auto const all =
            lkt::static_findings(lkt::kernel_source{lkt::language::cuda, text, {}}, task_of(plain));
        if (!all) CHECK(all.error().kind == lkt::condition::rejected);
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    }
    auto const open =
        lkt::static_findings(lkt::kernel_source{lkt::language::cuda, "/*", {}}, task_of(plain));
    REQUIRE(open.has_error());
    CHECK(open.error().code == "lkt.kernel.text");
}
