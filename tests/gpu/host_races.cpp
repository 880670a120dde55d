// SPDX-License-Identifier: BSL-1.0
// Data races that the checked mode of the host back end finds, and kernels that have none.
#include "support.hpp"
#include "support_host.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

using namespace support;

namespace {

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// `k(float const* a, float* c, int* n)` over 2 blocks of 64 threads; `t` is the thread, `i` the
/// global index; `body` begins on line 3.
trial kernel(std::string const& body, std::string const& before = {}) {
    trial t{before +
                "__global__ void k(float const* a, float* c, int* n) {\n"
                "    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n" +
                body + "\n}",
            {2},
            {64},
            {in(std::vector<float>(128, 1.0F)), out<float>(128), inout(std::vector<int>(128, 0))}};
    t.name = "k";
    t.checked = true;
    t.shared = 512;
    return t;
}

std::string race_in(trial const& t) { return failure_of<lkt::race>(shared_host(), t).what; }

/// Empty, or what is said against an honest kernel.
std::string complaint(trial const& t) {
    auto const compiled = shared_host().compile(compile_request_of(t));
    if (!compiled) return lkt::to_string(compiled.error());
    if (auto const* const no = std::get_if<lkt::failure>(&*compiled)) return lkt::describe(*no);
    auto const& notes = std::get<lkt::compiled_kernel>(*compiled).notes;
    if (std::none_of(notes.begin(), notes.end(), [](auto& n) {
            return n == "checked: data races, by the instrumentation of ThreadSanitizer";
        }))
        return "races are not looked for";
    auto const outcome = run_compiled(shared_host(), std::get<lkt::compiled_kernel>(*compiled), t);
    auto const* const no = std::get_if<lkt::failure>(&outcome);
    return no == nullptr ? "" : lkt::describe(*no);
}

} // namespace

TEST_CASE("host races: an update that is not atomic, in global memory") {
    auto const what = race_in(kernel("n[5] += 1;\nc[i] = a[i];"));
    CHECK(has(what,
              "data race on a2[5]: written by thread 0 of block 0 (line 3), and read by "
              "thread 1 of block 0 (line 3)"));
    CHECK(has(what, "__syncwarp"));
    // Between blocks: one thread of each.
    auto const blocks = race_in(kernel("if (t == 0) n[1] = n[1] + 1;\nc[i] = a[i];"));
    CHECK(has(blocks, "a2[1]: written by thread 0 of block 0"));
    CHECK(has(blocks, "by thread 0 of block 1 (line 3)"));
    CHECK(has(blocks, "a second launch or an atomic"));
}

TEST_CASE("host races: an update that is not atomic, in shared memory and in variables") {
    CHECK(has(race_in(kernel("__shared__ int sum[3];\nif (t == 0) sum[2] = 0;\n__syncthreads();\n"
                             "sum[2] += 1;\n__syncthreads();\nc[i] = sum[2];")),
              "the shared variable sum"));
    CHECK(has(race_in(kernel("extern __shared__ int d[];\nif (t == 0) d[1] = 0;\n__syncthreads();\n"
                             "d[1] += 1;\n__syncthreads();\nc[i] = d[1];")),
              "byte 4 of the dynamic shared memory"));
    CHECK(has(race_in(kernel("total += 1; c[i] = a[i];", "__device__ int total;\n")),
              "the global variable total"));
    CHECK(has(race_in(kernel("n[64] += 1;\nc[i] = atomicAdd(&n[i / 64], 1) * 0.0f;")), "a2[64]"));
}

TEST_CASE("host races: a barrier that is missing where every order of threads is right") {
    // Each thread reads what it has written, and another one writes it anew.
    CHECK(has(race_in(kernel("__shared__ float s[64];\ns[t] = a[i];\ns[t ^ 32] = a[i] + t;\n"
                             "__syncthreads();\nc[i] = 1 + 0 * s[t];")),
              "the shared variable s"));
    // All write the same, and only the first store changes what was there; one had read that.
    CHECK(has(race_in(kernel("__shared__ float s[64];\ns[t] = a[i];\n__syncthreads();\n"
                             "c[i] = s[t];\ns[0] = 3;")),
              "read by thread 0 of block 0 (line 6), and written by thread 1 of block 0 (line 7)"));
    // Two threads write one word, and a third reads what the first one wrote.
    CHECK(
        has(race_in(kernel("__shared__ unsigned short s[64];\ns[t] = 7;\nc[i] = a[i];\n"
                           "if (t == 40) c[i] += s[0] == 7 ? 0 : 1;")),
            "written by thread 0 of block 0 (line 4), and read by thread 40 of block 0 (line 6)"));
    // Each byte of a word has a thread of its own, and the first one is read.
    CHECK(has(race_in(kernel("__shared__ unsigned char s[4];\nif (t < 4) s[t] = 0;\n"
                             "__syncthreads();\nif (t % 16 == 0) s[t / 16] = 1;\n"
                             "c[i] = a[i] + (t == 60 && s[0] > 1);")),
              "written by thread 0 of block 0 (line 6), and read by thread 60 of block 0"));
    CHECK(has(race_in(kernel("__shared__ unsigned char s[4];\nif (t < 4) s[t] = 0;\n"
                             "__syncthreads();\nc[i] = a[i] + (t % 16 == 0 && s[t / 16] > 0);\n"
                             "if (t == 60) s[0] = 1;")),
              "read by thread 0 of block 0 (line 6), and written by thread 60 of block 0"));
    // The last of a tree's steps, for lanes that are thought to run in step.
    CHECK(has(race_in(kernel("__shared__ float s[64];\ns[t] = a[i];\n__syncthreads();\n"
                             "if (t < 32) s[t] += s[t + 32];\n"
                             "for (int d = 16; d > 0; d /= 2) if (t < d) s[t] += s[t + d];\n"
                             "__syncthreads();\nc[i] = a[i];")),
              "a __syncwarp"));
    CHECK(has(race_in(kernel("__shared__ float v[64];\nvolatile float* s = v;\ns[t] = a[i];\n"
                             "__syncthreads();\nfor (int d = 32; d > 0; d /= 2) if (t < d) s[t] += "
                             "s[t + d];\n__syncthreads();\nc[i] = a[i];")),
              "the shared variable v"));
}

TEST_CASE("host races: the last writer wins") {
    CHECK(
        has(race_in(kernel("c[i] = a[i];\nn[0] = t + 1;\n__syncthreads();\nif (t == 0) n[0] = 0;")),
            "a2[0]: written by thread 0 of block 0 (line 4), and written by thread 1 of block 0 "
            "(line 4)"));
    // Where the orders already disagree, the two accesses are named as well.
    auto const what = race_in(kernel("c[i] = a[i];\nif (t == 0) n[0] = blockIdx.x + 1;"));
    CHECK(has(what, "differs between two orders"));
    CHECK(has(what, "a2[0]: written by thread 0 of block 0 (line 4)"));
}

TEST_CASE("host races: what is read is old before it is used") {
    auto const turns = [](std::string const& body) {
        return has(race_in(kernel(body)), "where threads take turns before atomics");
    };
    // Without and with barriers: three orders of threads and the look for races find nothing.
    CHECK(turns("atomicExch(&n[5], n[5] + 1);\nc[i] = a[i];"));
    CHECK(turns("__shared__ int count[4]; if (t < 4) count[t] = 0;\n__syncthreads();\n"
                "int const old = count[t % 4]; atomicCAS(&count[t % 4], old, old + 1);\n"
                "__syncthreads();\nif (t < 4) c[i] = count[t]; else c[i] = a[i];"));
    CHECK(turns("__shared__ float total; if (t == 0) total = 0;\n__syncthreads();\n"
                "volatile float* sum = &total; if (t % 32 == 0) *sum = *sum + a[i];\n"
                "__syncthreads();\nc[i] = total;"));
    // A lock, and a flag that others wait for.
    CHECK(complaint(kernel("__shared__ int lock, sum; if (t == 0) lock = sum = 0;\n"
                           "__syncthreads();\nwhile (atomicCAS(&lock, 0, 1) != 0) {}\n"
                           "__threadfence_block(); sum = sum + 1; __threadfence_block();\n"
                           "atomicExch(&lock, 0);\n__syncthreads();\nc[i] = sum;")) == "");
    CHECK(complaint(kernel("int old = n[5], seen;\n"
                           "do { seen = old; old = atomicCAS(&n[5], seen, seen + 1); }\n"
                           "while (old != seen);\nc[i] = a[i];")) == "");
    CHECK(complaint(kernel("__shared__ float total; if (t == 0) total = 0;\n__syncthreads();\n"
                           "atomicAdd(&total, a[i]);\n__syncthreads();\nc[i] = total;")) == "");
    CHECK(complaint(kernel("__shared__ int top; if (t == 0) top = 0;\n__syncthreads();\n"
                           "if (t > top) atomicMax(&top, t);\n__syncthreads();\n"
                           "c[i] = top + threadIdx.x;")) == "");
}

TEST_CASE("host races: honest kernels have none") {
    for (auto const* const body :
         {"c[i] = a[i];",
          "c[i] = a[i];\nn[0] = 1;", // all write the same
          "__shared__ float s[64];\ns[t] = a[i];\nc[i] = s[t];\n__syncthreads();\ns[0] = 3;",
          "c[127 - i] = a[i];\natomicAdd(&n[t % 4], 1);\natomicMax(&n[7], t);",
          "int old = n[0], seen;\ndo { seen = old; old = atomicCAS(n, seen, seen + 1); } while "
          "(old != seen);\nc[i] = a[i];", // the programming guide's loop
          "float v = a[i];\nfor (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
          "if (t % 32 == 0) atomicAdd(&n[0], (int)v);\nc[i] = 0;",
          "__shared__ float s[64];\ns[t] = a[i];\n__syncthreads();\n"
          "for (int d = 32; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }\n"
          "c[i] = s[0];",
          "__shared__ float s[64];\ns[t] = a[i];\n__syncwarp();\nfloat v = s[t ^ 1];\n"
          "__syncwarp();\ns[t ^ 2] = v;\n__syncwarp();\nc[i] = s[t];",
          // Two buffers by turns, one barrier a step.
          "__shared__ float s[2][64];\ns[0][t] = a[i];\n__syncthreads();\nint from = 0;\n"
          "for (int d = 1; d < 64; d *= 2) {\n"
          "s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);\nfrom = 1 - from;\n"
          "__syncthreads(); }\nc[i] = s[from][t];",
          "__shared__ int h[8];\nif (t < 8) h[t] = 0;\n__syncthreads();\natomicAdd(&h[t % 8], 1);\n"
          "__syncthreads();\nif (t < 8) atomicAdd(&n[t], h[t]);\nc[i] = 0;",
          // The block that comes last adds up what all have left.
          "__shared__ bool last;\nif (t == 0) n[8 + blockIdx.x] = 5;\nc[i] = 0;\n__threadfence();\n"
          "if (t == 0) last = atomicAdd(&n[0], 1) == (int)gridDim.x - 1;\n__syncthreads();\n"
          "if (last && t == 0) { n[1] = n[8] + n[9]; n[0] = 0; }",
          // A lock.
          "c[i] = a[i];\nbool done = false;\nwhile (!done) if (atomicCAS(&n[0], 0, 1) == 0) {\n"
          "__threadfence(); n[1] += 1; __threadfence(); atomicExch(&n[0], 0); done = true; }",
          "struct pair { float x, y, z, w; };\n((float4*)c)[i % 32] = ((float4*)a)[i % 32];",
          "extern __shared__ float d[];\nd[t] = a[i];\n__syncthreads();\nc[i] = d[63 - t];"})
        CHECK(complaint(kernel(body)) == "");
}

namespace {

/// Blocks that take turns by ticket and hand a sum on; `wait`, `publish` are how.
std::string handed_on(std::string const& wait, std::string const& publish) {
    return "__shared__ int m;\nif (t == 0) m = atomicAdd(&n[0], 1);\n__syncthreads();\n"
           "volatile int* flag = n + 10; int* sum = n + 30;\nif (t == 0) { int s = 0;\n"
           "if (m > 0) { " +
           wait + " s = sum[m - 1]; }\nsum[m] = s + m + 1;\n" + publish + " }\nc[m * 64 + t] = 0;";
}
/// The block that takes the last ticket reads what all have written.
std::string last_block(std::string const& before_ticket, std::string const& ticket) {
    return "__shared__ bool last;\nc[i] = t;\n" + before_ticket + "\nif (t == 0) " + ticket +
           "\n__syncthreads();\nif (last) n[32 + t] = (int)c[t] + (int)c[64 + t];";
}

} // namespace

TEST_CASE("host races: blocks are ordered by what they have seen after a fence") {
    std::string const take = "last = atomicAdd(&n[0], 1) == 1;", fence = "__threadfence();";
    std::string const spin = "while (flag[m - 1] == 0) {}", flag = "flag[m] = 1;";
    for (auto const& honest : {last_block(fence + "__syncthreads();", take),
                               last_block("__syncthreads();", "{ " + fence + take + " }"),
                               handed_on(spin + fence, fence + flag),
                               handed_on("while (atomicAdd(n + 9 + m, 0) == 0) {}",
                                         fence + "atomicExch(n + 10 + m, 1);")}) {
        INFO(honest);
        CHECK(complaint(kernel(honest)) == "");
    }
    for (auto const& wrong :
         {last_block("__syncthreads();", take), // no fence
          last_block("__syncthreads();", "{ __threadfence_block();" + take + " }"),
          last_block("__syncthreads();", "{ " + take + fence + " }"),
          handed_on(spin + fence, flag),
          handed_on(spin, fence + flag)}) {
        INFO(wrong);
        CHECK(race_in(kernel(wrong)) != "");
    }
    // A volatile sum behind a volatile flag: nothing keeps the two in order.
    auto leaf = handed_on(spin, flag);
    leaf.replace(leaf.find("int* sum"), 3, "volatile int");
    CHECK(has(race_in(kernel(leaf)), "a2[30]"));
    // An atomic of one block's scope.
    CHECK(has(race_in(kernel("c[i] = 0;\nif (t == 0) atomicAdd_block(&n[3], 1);")), "a2[3]"));
    // Blocks that wait for those before them.
    CHECK(complaint(kernel("if (t == 0) while (*(volatile int*)n != blockIdx.x) {}\n"
                           "__syncthreads();\n__threadfence();\nc[t] += t;\n__threadfence();\n"
                           "__syncthreads();\nif (t == 0) atomicAdd(n, 1);")) == "");
}

TEST_CASE("host races: what is read before it is written depends on what was there") {
    std::string const half = "__shared__ float s[64];\nif (t < 32) s[t] = 1;\n__syncthreads();\n";
    for (auto const& wrong :
         {half + "c[i] = s[t];",
          std::string("extern __shared__ float d[];\nif (t != 5) d[t] = 1;\n__syncthreads();\n"
                      "c[i] = d[t ^ 1];"),
          std::string("int sum;\nfor (int k = 0; k < 4; ++k) sum += k;\nn[i] = sum;")}) {
        INFO(wrong);
        auto const found = failure_of<lkt::race>(shared_host(), kernel(wrong));
        CHECK(found.as == lkt::verdict::nondeterminism);
        CHECK(has(found.what, "is something read that was not written?"));
    }
    CHECK(complaint(kernel(half + "c[i] = t < 32 ? s[t] : 2;")) == "");
    // From one shared array into the next.
    auto const beyond = failure_of<lkt::out_of_bounds>(
        shared_host(),
        kernel("__shared__ float s[64], u[64];\ns[t] = u[t] = t;\n__syncthreads();\n"
               "float* p = s;\nc[i] = p[t + 100];"));
    CHECK(has(beyond.what, " bytes after array 's' of line 3"));
}

TEST_CASE("host races: a shuffle passes values on, and orders no stores") {
    std::string const tile = "__shared__ float s[64];\nfloat v = t;\n", put = "s[t] = v;\n";
    std::string const sums = "for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);\n";
    CHECK(has(race_in(kernel(tile + put + sums + "c[i] = s[t ^ 1] + v;")), "a __syncwarp"));
    // What all lanes have read before may be written anew.
    CHECK(complaint(kernel(tile + "for (int r = 0; r < 2; ++r) {\n" + put +
                           "__syncwarp();\nv = s[t ^ 1];\n" + sums + "}\nc[i] = v;")) == "");
}

TEST_CASE("host races: blocks do not share shared memory, launches are ordered") {
    auto t = kernel("__shared__ int mark;\nif (t == 0) mark = i;\n__syncthreads();\nc[i] = mark;\n"
                    "if (i == n[1]) n[0] += 1;");
    t.launches = 3;
    CHECK(complaint(t) == "");
}

TEST_CASE("host races: arrays of classes are bytes, whatever their constructors") {
    std::string const headers = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n";
    auto const reversed = [](std::string const& declaration, std::string const& type) {
        return declaration + "\ns[t] = " + type + "(a[i] + t);\n__syncthreads();\n" +
               "c[i] = float(s[63 - t]) + i;";
    };
    auto const number = [](std::string const& members) {
        return "struct num { " + members +
               " __device__ num(float a) : v(a) {}\n"
               "__device__ operator float() const { return v; } };\n";
    };
    // The honest ones stand behind each other in one kernel: each alone would be compiled twice.
    std::string all, spaces;
    for (auto const* const members :
         {"float v; num() = default;",
          "float v; __device__ num() {}",
          "float v; __device__ num() : v(0) {}",
          "float v = 0; num() = default;",
          "float v; int pad[3]; __device__ num() : v(1) { pad[1] = 2; } __device__ ~num() {}",
          "float v; constexpr __device__ num() : v(3) {}"}) {
        auto const space = "of" + std::to_string(spaces.size());
        spaces += "namespace " + space + " {\n" + number(members) + "}\n";
        all += "{\n" + reversed("__shared__ " + space + "::num s[64];", space + "::num") + "\n}\n";
        // The race on such an array is seen as on any other.
        auto raced = reversed("__shared__ num s[64];", "num");
        raced.erase(raced.find("__syncthreads();"), 16);
        CHECK(has(race_in(kernel(raced, number(members))), "the shared variable s:"));
    }
    for (std::string const type : {"__half", "half", "__nv_bfloat16"})
        all += "{\n" + reversed("__shared__ " + type + " s[64];", type) + "\n}\n";
    auto const plain = number("float v; __device__ num() : v(0) {}");
    for (auto const* const declaration :
         {"alignas(16) __shared__ num s[64];",
          "__shared__ alignas(16) num s[64];",
          "__shared__ num s alignas(16) [64];",
          "__shared__ __align__(16) num s[64], u[2][3];",
          "static __shared__ num s[64];",
          "num __shared__ other, s[64];",
          "extern __shared__ num s[];",
          "[[maybe_unused]] __shared__ struct tile { num a, b[2][2]; } q[64]; num* s = &q[0].a;",
          "__shared__ union { num s[64]; int n[4]; } u; auto& s = u.s;",
          "__shared__ union box { num a; int n; __device__ box() {} } u[64]; num* s = &u[0].a;",
          "typedef num pair[2]; __shared__ pair q[32]; num* s = q[0];",
          "__shared__ num q[2], (*rows)[2], s[1 << 6]; if (t == 0) rows = &q;"})
        all += "{\n" + reversed(declaration, "num") + "\n}\n";
    CHECK(complaint(kernel(all, headers + spaces + plain)) == "");
}

TEST_CASE("host races: static shared memory in every place") {
    std::string const num = "struct num { float v; __device__ num() : v(0) {} };\n";
    // In a template, whose arrays differ by type and size, called from two places.
    auto const twice = num + "template <class T, int N> __device__ T* tile() {\n"
                             "__shared__ T s[N][2], one; one = T(); return s[0]; }\n";
    CHECK(complaint(kernel("num* s = tile<num, 32>();\nfloat* f = tile<float, 32>();\n"
                           "num* same = tile<num, 32>();\n"
                           "s[t].v = a[i];\nf[t] = i;\n__syncthreads();\n"
                           "c[i] = same[63 - t].v + f[63 - t];",
                           twice)) == "");
    CHECK(has(race_in(kernel("num* s = tile<num, 32>();\ns[t].v = i;\nc[i] = s[63 - t].v;", twice)),
              "the shared variable s:"));
    // In a block that is jumped over, in functions without captures, at namespace scope.
    CHECK(complaint(
              kernel("__shared__ num s[64];\nswitch (n[0]) { case 1: __shared__ num x; x.v = 1; "
                     "break; default: n[1] = 0; }\n"
                     "auto put = [](int k, float v) { s[k].v = v; };\n"
                     "auto get = [=](int k) { return s[k].v; };\n"
                     "put(t, a[i] + t);\n__syncthreads();\nc[i] = get(63 - t);",
                     num)) == "");
    CHECK(complaint(kernel("s[t].v = a[i] + t;\n__syncthreads();\nc[i] = s[63 - t].v;",
                           num + "__shared__ num s[64];\n")) == "");
    CHECK(complaint(kernel("d[t / 2][t % 2] = a[i] + t;\n__syncthreads();\nc[i] = d[31][t % 2];",
                           "extern __shared__ float d[][2];\n")) == "");
    CHECK(complaint(kernel(
              "auto* bytes = reinterpret_cast<unsigned char*>(d);\n"
              "float* f = (float*)d, *g = at(d, 1), *h = (float*)(d + 1);\nauto* const whole = d;\n"
              "f[t] = a[i] + t + (bytes == (void*)whole ? 0 : n[0]);\n"
              "{ float* d = f; (void)(d); d[t] += h - g; }\n"
              "__syncthreads();\nc[i] = f[63 - t];",
              "extern __shared__ uint4 d[];\n"
              "template <class T> __device__ float* at(T* p, int k) { return (float*)(p + k); "
              "}\n")) == "");
    auto const refusal = failure_of<lkt::refused>(
        shared_host(), kernel("__shared__ float s[64] = {};\ns[t] = 1;\nc[i] = s[t];"));
    CHECK(refusal.as == lkt::verdict::compile_error);
    CHECK(refusal.where.line == 3);
}
