// SPDX-License-Identifier: BSL-1.0
// What the host back end says of failures beyond what every back end has to (conformance/): places,
// the checked mode, the compiler; and after each the next kernel runs.
#include "support.hpp"
#include "support_host.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <variant>

using namespace support;

namespace {

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// `k(float const* a, float* c, int n)` over 256 threads, its index in `i`; `body` begins on
/// line 3.
trial kernel(std::string const& body, bool checked = false, std::string const& before = {}) {
    trial t{before +
                "__global__ void k(float const* a, float* c, int n) {\n"
                "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                body + "\n}",
            {1},
            {256},
            {in(std::vector<float>(256, 1.0F)), out<float>(256), value(256)}};
    t.name = "k";
    t.checked = checked;
    t.time_limit = lkt::seconds{0.3};
    return t;
}

/// Of an ordinary kernel, after whatever was before.
bool next_one_runs() {
    return numbers<float>(outputs(shared_host(), kernel("c[i] = a[i] + i;"))[0])[255] == 256.0F;
}

template <class F>
F fails(trial const& t) {
    auto f = failure_of<F>(shared_host(), t);
    CHECK(next_one_runs());
    return f;
}

} // namespace

TEST_CASE("host failures: wild pointers are told with their place") {
    CHECK(has(fails<lkt::crashed>(kernel("float* p = n > 5 ? nullptr : c; p[i] = 1;")).what,
              "segmentation fault at address 0x0"));
    // Farther than the room of a buffer goes, wherever it lies there.
    CHECK(has(fails<lkt::out_of_bounds>(kernel("c[i + 3000] = 1;")).what, "after argument a1"));
    CHECK(has(fails<lkt::out_of_bounds>(kernel("c[i - 3000] = 1;")).what, "before argument a1"));
    auto const mutated = fails<lkt::out_of_bounds>(kernel("((float*)a)[i] = 2;"));
    CHECK(mutated.what == "write to input argument a0");
    CHECK(mutated.as == lkt::verdict::input_mutated);
    CHECK(has(fails<lkt::crashed>(kernel("c[i] = n / (n - 256);")).what, "divided by zero"));
    CHECK(has(fails<lkt::crashed>(kernel("if (n == 256) __trap();")).what, "illegal instruction"));
    CHECK(
        has(fails<lkt::crashed>(kernel("assert(n == 0); c[i] = 0;")).what, "illegal instruction"));
}

TEST_CASE("host failures: a write beside a buffer is found wherever the buffer lies") {
    // A page that nobody may touch, or noise that is no longer what it was.
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
        for (std::string_view const place : {"300", "-20"}) {
            CAPTURE(seed);
            CAPTURE(std::string(place));
            auto t = kernel("if (i == 0) c[i + " + std::string(place) + "] = 1;");
            t.seed = seed;
            CHECK(has(fails<lkt::out_of_bounds>(t).what,
                      place == "300" ? "176 bytes after argument a1" : "bytes before argument a1"));
        }
    CHECK(next_one_runs());
}

TEST_CASE("host failures: a fault reads the same in every process") {
    lkt::host another;
    for (auto const& [body, checked] : {std::pair("c[i + 100000000] = 1;", false),
                                        std::pair("c[i + 100000000] = 1;", true),
                                        std::pair("c[i + 300] = 1;", false),
                                        std::pair("*(double*)(c + 1) = i;", true)}) {
        CAPTURE(std::string(body));
        CAPTURE(checked);
        auto const t = kernel(body, checked);
        auto const what = [&](lkt::host& backend) -> std::string {
            auto const outcome = run(backend, t);
            auto const* const f = std::get_if<lkt::failure>(&outcome);
            if (f == nullptr) return "nothing failed";
            if (auto const* const wild = std::get_if<lkt::out_of_bounds>(f)) return wild->what;
            auto const* const crash = std::get_if<lkt::crashed>(f);
            return crash ? crash->what : std::string(name_of_failure(*f));
        };
        std::string const here = what(shared_host());
        CHECK(here == what(another));
        CHECK_FALSE(has(here, "0x"));
        CHECK(here != "nothing failed");
    }
    CHECK(fails<lkt::crashed>(kernel("c[i + 100000000] = 1;")).what ==
          "segmentation fault far outside of every buffer");
}

TEST_CASE("host failures: a write just behind a buffer is noticed without the checked mode") {
    auto t = kernel("if (i < n) c[i] = 1; if (i == 7) c[n + 1] = 1;");
    t.arguments[1] = out<float>(250);
    t.arguments[2] = value(250);
    CHECK(has(fails<lkt::out_of_bounds>(t).what, "write 4 bytes after argument a1"));
}

TEST_CASE("host failures: stack overflow, on the system's stack and on a fibre's") {
    std::string const recursion = "__device__ int down(int n) { volatile int x[20]; x[n % 20] = n; "
                                  "return down(n + 1) + x[3]; }\n";
    CHECK(has(fails<lkt::crashed>(kernel("c[i] = down(n);", false, recursion)).what,
              "stack overflow"));
    CHECK(
        has(fails<lkt::crashed>(kernel("__syncthreads(); c[i] = down(n);", false, recursion)).what,
            "stack overflow"));
    CHECK(has(fails<lkt::crashed>(kernel("c[i] = down(n);", true, recursion)).what,
              "stack overflow"));
}

TEST_CASE("host failures: barriers that not all threads reach") {
    auto const f =
        fails<lkt::race>(kernel("if (i < 10) __syncthreads();\nelse\n__syncthreads(); c[i] = 0;"));
    CHECK(has(f.what, "lines 3 and 5"));
    CHECK(has(
        fails<lkt::race>(kernel("if (i < 5) __syncwarp(0x3ff);\nelse __syncthreads(); c[i] = 0;"))
            .what,
        "wait for each other forever"));
    CHECK(has(fails<lkt::race>(kernel("c[i] = __shfl_sync(1u, 1.0f, 0);")).what,
              "line 3 is called by a lane that is not in its mask"));
    CHECK(has(fails<lkt::race>(kernel("c[i] = __shfl_sync(~0u, 1.0f, 0, 5);")).what, "width"));
}

TEST_CASE("host failures: static and dynamic shared memory count together") {
    auto big = kernel("__shared__ float s[12000]; s[(i * 31) % 12000] = a[i]; __syncthreads();\n"
                      "c[i] = s[(i * n) % 12000];");
    CHECK(std::holds_alternative<lkt::run_report>(run(shared_host(), big)));
    auto const most =
        static_cast<std::uint32_t>(shared_host().device()->shared_memory_per_block.count);
    big.shared = most - 48000;
    CHECK(std::holds_alternative<lkt::run_report>(run(shared_host(), big)));
    big.shared += 16;
    auto const f = fails<lkt::launch_failed>(big);
    CHECK(has(f.why, std::to_string(most + 16) + " bytes of shared memory (48000 static)"));
}

TEST_CASE("host failures: arguments that the kernel does not take") {
    auto t = kernel("c[i] = a[i];");
    t.arguments.pop_back();
    CHECK(has(fails<lkt::launch_failed>(t).why, "takes 3 arguments, but 2 are passed"));
    t.arguments.push_back(value(1.0));
    CHECK(has(fails<lkt::launch_failed>(t).why, "takes 4 bytes, but 8 are passed"));
    t.arguments[2] = in(std::vector<int>{1});
    CHECK(has(fails<lkt::launch_failed>(t).why, "is a value, but a buffer is passed"));
}

TEST_CASE("host failures: what is declared, but nowhere defined") {
    CHECK(has(
        fails<lkt::compile_failed>(kernel("c[i] = f(1);", false, "__device__ float f(float);\n"))
            .log,
        "f(float)"));
    // And columns are told.
    CHECK(fails<lkt::compile_failed>(kernel("c[i] = undeclared_thing;")).where ==
          lkt::text_location{3, 8});
}

TEST_CASE(
    "host failures: a compiler that does not come to an end is timed out, with its last words") {
    auto request = compile_request_of(kernel("c[i] = undeclared_thing + bomb<0>::value;",
                                             false,
                                             "template <int N> struct bomb { static constexpr int "
                                             "a = bomb<2 * N + 1>::value, value = a + "
                                             "bomb<2 * N + 2>::value; };\n"
                                             "__device__ constexpr int spin(int n) { int s = 0; "
                                             "for (int i = 0; i < n; ++i) for (int k = 0; k "
                                             "< 250000; ++k) s += k & 1; return s; }\n"));
    request.time_limit = lkt::seconds{0.3};
    request.options = {"-O0"};
    request.source.text += "\nstatic_assert(spin(30) > 0);";
    auto const start = std::chrono::steady_clock::now();
    auto const outcome = shared_host().compile(request, {});
    REQUIRE(outcome.has_value());
    REQUIRE(std::holds_alternative<lkt::failure>(*outcome));
    auto const& f = std::get<lkt::failure>(*outcome);
    // Compilers have limits of their own, which may be reached first.
    bool const expected =
        std::holds_alternative<lkt::timed_out>(f) || std::holds_alternative<lkt::compile_failed>(f);
    CHECK(expected);
    if (auto const* said = std::get_if<lkt::compile_failed>(&f))
        CHECK_MESSAGE(said->log.find("undeclared_thing") != std::string::npos, said->log);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{8});
    CHECK(next_one_runs());
}

TEST_CASE("host failures: the checked mode names the line of an access that is out of bounds") {
    auto const check = [](trial const& t, std::string_view what, int line) {
        auto const f = fails<lkt::out_of_bounds>(t);
        INFO(f.what);
        CHECK(has(f.what, what));
        CHECK(f.where.line == line);
    };
    check(kernel("float v = a[i];\nc[i + 1] = v;", true), "0 bytes after argument a1", 4);
    check(kernel("c[i] = a[i - 1];", true), ", 4 bytes before argument a0", 3);
    check(kernel("c[i + 100000000] = 1;", true), "far outside of every buffer", 3);
    check(kernel("__shared__ float s[256];\nfloat* p = s;\np[i + n / 256] = a[i]; "
                 "__syncthreads();\nc[i] = s[i];",
                 true),
          "0 bytes after array 's' of line 3",
          5);
    check(kernel("__shared__ float s[256];\ns[i + 1] = a[i]; __syncthreads();\nc[i] = s[i];", true),
          "index 256 out of bounds for type 'float",
          4);
    auto dynamic = kernel(
        "extern __shared__ float s[];\ns[i + 1] = a[i]; __syncthreads();\nc[i] = s[i];", true);
    dynamic.shared = 1024;
    check(dynamic, "0 bytes after dynamic shared memory", 4);
    check(kernel("float x[8];\nfor (int j = 0; j < 8; ++j) x[j] = j;\nfloat* p = x; c[i] = p[i];",
                 true),
          "after local variable 'x'",
          5);
    // The innermost frame is the sanitizer's own.
    check(kernel("if (i == 0)\nmemset(c + n, 0, n);", true), "0 bytes after argument a1", 4);
    auto tail = kernel("c[i] = a[i];", true);
    tail.arguments[0] = in(std::vector<float>(255));
    check(tail, "0 bytes after argument a0", 3);
    auto made = kernel(
        "__shared__ T s[256];\nT* p = s;\np[i + n / 256] = a[i]; __syncthreads();\nc[i] = s[i];",
        true,
        "template <class T>\n");
    made.name = "k<float>";
    check(made, "0 bytes after array 's' of line 4", 6);
}

TEST_CASE("host failures: reads and writes out of bounds have names of their own") {
    using lkt::verdict;
    auto const as = [](std::string const& body, bool checked = true) {
        return fails<lkt::out_of_bounds>(kernel(body, checked)).as;
    };
    CHECK(as("c[i] = a[i + 1];") == verdict::oob_read);
    CHECK(as("c[i + 1] = a[i];") == verdict::oob_write);
    // Far beside a buffer also without the checked mode.
    CHECK(as("c[i] = a[i + 3000];", false) == verdict::oob_read);
    CHECK(as("c[i + 3000] = 1;", false) == verdict::oob_write);
    // Of an index UBSan says nothing more: it is read from the text.
    std::string const shared = "__shared__ float s[2][128]; struct pair { float x, y; };\n"
                               "__shared__ pair p[128]; int k = i / 2 + n / 256;\n"
                               "s[0][i / 2] = 1; p[i / 2].x = 1; __syncthreads();\n";
    for (auto const* const reads : {"c[i] = s[1][k];",
                                    "c[i] = p[k].x;",
                                    "float v = (s[0][k]); c[i] = v;",
                                    "c[i] = s[0][0] == s[1][k] ? 1 : 0;",
                                    "c[s[1][k] > 0 ? 0 : 1] = 1;"}) {
        CAPTURE(std::string(reads));
        CHECK(as(shared + reads) == verdict::oob_read);
    }
    for (auto const* const writes : {"s[1][k] = a[i];",
                                     "p[k].y += 1;",
                                     "(s[0][k]) = 2;",
                                     "++s[1][k];",
                                     "s[1][k]--;",
                                     "s[1]\n [k] = c[i];"}) {
        CAPTURE(std::string(writes));
        CHECK(as(shared + writes) == verdict::oob_write);
    }
}

TEST_CASE("host failures: the checked mode finds undefined behaviour") {
    auto const f = fails<lkt::crashed>(
        kernel("double* p = (double*)(c + 1);\nif (i == 0) *p = 1; c[i] = 0;", true));
    CHECK(has(f.what, "misaligned"));
    CHECK(f.where.line == 4);
    auto const null = kernel("float* p = n > 5 ? nullptr : c;\np[0] = 1; c[i] = 0;", true);
    CHECK(fails<lkt::crashed>(null).where.line == 4);
    CHECK(has(fails<lkt::crashed>(kernel("c[i] = n / (n - 256);", true)).what, "divided by zero"));
    auto const mutated = fails<lkt::out_of_bounds>(kernel("((float*)a)[i] = 2;", true));
    CHECK(has(mutated.what, "write to input argument a0"));
    CHECK(mutated.as == lkt::verdict::input_mutated);
    (void)fails<lkt::timed_out>(kernel("while (true) c[i] += 1;", true));
}

TEST_CASE("host failures: a missing barrier is a race") {
    auto const f = fails<lkt::race>(
        kernel("__shared__ float s[256]; s[i] = a[i] + i;\nc[i] = s[255 - i];", true));
    CHECK(has(f.what, "of a1 differs between two orders"));
    // Between lanes of a warp, which newer GPUs do not run in step.
    (void)fails<lkt::race>(kernel("__shared__ float s[256]; s[i] = i; __syncwarp();\n"
                                  "s[i] = s[i ^ 1]; c[i] = s[i];",
                                  true));
    // Through global memory, between blocks.
    auto blocks = kernel("c[i] = i == 0 ? 1 : c[i - 1] + 1;", true);
    blocks.grid = {4};
    blocks.block = {64};
    (void)fails<lkt::race>(blocks);
    // The same with its barrier is none.
    auto const good = kernel(
        "__shared__ float s[256]; s[i] = a[i] + i; __syncthreads();\nc[i] = s[255 - i];", true);
    CHECK(numbers<float>(outputs(shared_host(), good)[0])[0] == 256.0F);
}

TEST_CASE("host failures: checked kernels that are right stay right") {
    // Sums of floats by atomics depend on the order a little: that is no race.
    auto const x = random_floats(4096, 31);
    trial t{R"(
__global__ void sum(float const* x, float* total) { atomicAdd(total, x[blockIdx.x * blockDim.x + threadIdx.x]); })",
            {16},
            {256},
            {in(x), inout(std::vector<float>{0})}};
    t.checked = true;
    double exact = 0;
    for (float const v : x) exact += v;
    CHECK(numbers<float>(outputs(shared_host(), t)[0])[0] == doctest::Approx(exact).epsilon(1e-3));
    // With -fsanitize=integer-divide-by-zero, g++ 12 takes these indices from what it never set.
    auto values = kernel("float s = 0; float const* const b = a + 128;\n"
                         "for (int k = i % 4; k < i % 4 + 4; ++k)\n"
                         "    s = s * 4 + (k & 1 ? a : b)[n / 256 + (k >> 1) * 32];\n"
                         "c[i] = s;",
                         true);
    std::vector<float> a(256);
    for (unsigned i = 0; i < 256; ++i) a[i] = static_cast<float>(i / 32);
    values.arguments[0] = in(a);
    auto const made = numbers<float>(outputs(shared_host(), values)[0]);
    for (int i = 0; i < 4; ++i) {
        float s = 0;
        for (int k = i; k < i + 4; ++k)
            s = s * 4 + a[static_cast<std::size_t>((k & 1 ? 0 : 128) + 1 + (k >> 1) * 32)];
        CHECK(made[static_cast<std::size_t>(i)] == s);
    }
}

TEST_CASE("host failures: a conversion that a device makes otherwise is told, and fails nothing") {
    auto const told = [](std::string const& body) {
        auto const outcome = run(shared_host(), kernel(body, true));
        REQUIRE(std::holds_alternative<lkt::run_report>(outcome));
        return std::get<lkt::run_report>(outcome).unchecked;
    };
    CHECK(told("unsigned u = a[i] - 3; c[i] = u < 4;") == std::string{lkt::open_conversion} + "3");
    CHECK(told("\nint big; big = a[i] * 1e30f; c[i] = big > 0;") ==
          std::string{lkt::open_conversion} + "4");
    CHECK(told("signed char s = a[i] * 200; c[i] = s;") == std::string{lkt::open_conversion} + "3");
    // A cast does what it does on a device, and so do CUDA's functions.
    CHECK(told("unsigned u = (unsigned)(a[i] - 3); c[i] = u + __float2int_rn(a[i] * 1e30f);")
              .empty());
    CHECK(told("int k = a[i] * 3; unsigned u = a[i]; c[i] = k + u;").empty());
}
