// SPDX-License-Identifier: BSL-1.0
// Hostile texts: refused by name before they are compiled; and with that defence switched off,
// harmless in the cell, where they end in a typed failure as well.
#include "support.hpp"
#include "support_host.hpp"

#include <lkt/gpu/detail/host/session.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <unistd.h>

using namespace support;

namespace {

bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

trial kernel(std::string const& body, std::string const& before = {}) {
    trial t{before + "__global__ void k(int* c, int n) {\n" + body + "\n}",
            {1},
            {1},
            {out<int>(1), value(1)}};
    t.name = "k";
    t.time_limit = lkt::seconds{10};
    return t;
}

lkt::refused refusal(trial const& t) { return failure_of<lkt::refused>(shared_host(), t); }

/// A back end that compiles and runs whatever it is given.
lkt::host_detail::session& naive() {
    static auto* const backend = [] {
        lkt::host_options options;
        options.memory_limit = std::uint64_t{256} << 20;
        auto* const s = new lkt::host_detail::session(std::move(options));
        s->screened = false;
        return s;
    }();
    return *backend;
}
lkt::failure end_of(trial const& t) {
    auto outcome = run(naive(), t);
    if (auto* const f = std::get_if<lkt::failure>(&outcome)) {
        INFO(lkt::describe(*f));
        return std::move(*f);
    }
    throw std::runtime_error("the hostile kernel ran to its end");
}
bool still_works() { return numbers<int>(outputs(naive(), kernel("c[0] = n + 41;"))[0])[0] == 42; }

/// A path where nothing is, for what must not be written.
std::string victim() {
    auto const path =
        std::filesystem::temp_directory_path() / ("lkt-victim-" + std::to_string(::getpid()));
    std::filesystem::remove(path);
    return path.string();
}

} // namespace

TEST_CASE("host hostile: refused by name and line before a compiler sees it") {
    struct refused_text {
        char const* before;
        char const* body;
        char const* what;
        int line;
    };
    refused_text const texts[] = {
        {"", "system(\"id\");", "system", 2},
        {"extern \"C\" int system(char const*);\n", "c[0] = 1;", "system", 1},
        {"__attribute__((constructor)) void f() {}\n", "c[0] = 1;", "__attribute__", 1},
        {"[[gnu::constructor]] void f() {}\n", "c[0] = 1;", "[[gnu", 1},
        {"#define A [\n", "c[0] = 1;", "#define A [", 1},
        {"#include \"/etc/passwd\"\n", "c[0] = 1;", "#include \"/etc/passwd\"", 1},
        {"#include <cstdlib>\n", "c[0] = 1;", "#include <cstdlib>", 1},
        {"#define H <stdio.h>\n#include H\n", "c[0] = 1;", "#include H", 2},
        {"", "const char s[] = {\n#embed \"/etc/passwd\"\n};", "#embed \"/etc/passwd\"", 3},
        {"#pragma GCC poison float\n", "c[0] = 1;", "#pragma GCC poison float", 1},
        {"#line 7 \"elsewhere\"\n", "c[0] = 1;", "#line 7 \"elsewhere\"", 1},
        {"#if __has_include(\"/etc/shadow\")\n#endif\n", "c[0] = 1;", "__has_include", 1},
        {"", "asm volatile(\"syscall\");", "asm", 2},
        {"", "__asm__(\"mov.u32 %0, %tid.x;\" : \"=r\"(c[0]));", "__asm__", 2},
        {"", "sys\\\ntem(\"id\");", "system", 2},
        {"", "c<:0:> = 1;", "[", 2},
        {"", "while (1) fork();", "fork", 2},
        {"", "int* p = new int[25000000000];", "new", 2},
        {"", "c[0] = *(int*)malloc(100000000000);", "malloc", 2},
        {"", "c[0] = socket(2, 1, 0);", "socket", 2},
        {"", "fopen(\"/tmp/x\", \"w\");", "fopen", 2},
        {"", "c[0] = __builtin_fork();", "__builtin_fork", 2},
        {"", "c[0] = (int)(long)__builtin_return_address(0);", "__builtin_return_address", 2},
        {"", "k<<<1, 1>>>(c, n);", "<<<", 2},
        {"", "try { c[0] = 1; } catch (...) {}", "try", 2},
        {"int main() { return 0; }\n", "c[0] = 1;", "main", 1},
        {"int helper(int a) { return a; }\n", "c[0] = helper(n);", "helper", 1},
        {"__host__ int helper(int a) { return a; }\n", "c[0] = 1;", "helper", 1},
        {"extern int elsewhere;\n", "c[0] = elsewhere;", "extern", 1},
        {"thread_local int mine;\n", "c[0] = mine;", "thread_local", 1},
        {"__constant__ float table[4];\n", "c[0] = table[0];", "__constant__", 1},
        {"", "cudaMalloc((void**)&c, 4);", "cudaMalloc", 2},
        {"#include <cub/cub.cuh>\n", "c[0] = 1;", "#include <cub/cub.cuh>", 1},
        {"#include <cute/tensor.hpp>\n", "c[0] = 1;", "#include <cute/tensor.hpp>", 1},
        {"texture<float, 2> t;\n", "c[0] = 1;", "texture", 1},
        {"", "c[0] = clock64();", "clock64", 2},
        {"__managed__ int shared_value;\n", "c[0] = 1;", "__managed__", 1},
        {"import std;\n", "c[0] = 1;", "import", 1},
    };
    for (auto const& t : texts) {
        CAPTURE(t.before);
        CAPTURE(t.body);
        auto const no = refusal(kernel(t.body, t.before));
        CHECK(no.what == t.what);
        CHECK(no.where.line == t.line);
        CHECK(no.why.size() > 10);
    }
    CHECK(numbers<int>(outputs(shared_host(), kernel("c[0] = n;"))[0])[0] == 1);
}

TEST_CASE("host hostile: what honest kernels write is not refused") {
    char const* const texts[] = {
        "struct pair { int first, second; }; pair p{1, 2}; c[0] = p.second;",
        "// system(\"rm\"), fork, asm\n/* #include </etc/passwd> */ c[0] = 2;",
        "const char* s = \"system(1)\"; c[0] = s[0] == 's' ? 2 : 0;",
        "#pragma unroll 4\nfor (int i = 0; i < 2; ++i) c[0] = i + 1;",
        "int read = 1, write = 1, open = 0; c[0] = read + write + open;",
        "[[maybe_unused]] int x = 1; if (n == 1) [[likely]] c[0] = 2;",
        "c[0] = 2; printf(\"%d\\n\", c[0]);",
        "static_assert(sizeof(int) == 4, \"\"); c[0] = __builtin_popcount(3);",
        "struct lkt_host { int sync; }; lkt_host own_lkt_host{1}; c[0] = own_lkt_host.sync + 1;",
    };
    for (auto const* const text : texts) {
        CAPTURE(text);
        CHECK(numbers<int>(outputs(shared_host(), kernel(text))[0])[0] == 2);
    }
}

TEST_CASE("host hostile: no name of a text is one of the back end's") {
    auto const no = [](std::string const& body) {
        return failure_of<lkt::compile_failed>(shared_host(),
                                               kernel(body, "#define J(a, b) a##b\n"));
    };
    CHECK(has(no("lkt_host.sync(0, 0, 0);").log, "'lkt_host' was not declared"));
    (void)no("J(lkt_, host).sync(0, 0, 0);");
    auto named = kernel("c[0] = 1;");
    named.text.replace(named.text.find("k("), 1, named.name = "lkt_k");
    CHECK(refusal(named).what == "lkt_k");
    auto within = kernel("c[0] = 1;", "namespace lkt_n {\n");
    within.text += "\n}";
    within.name = "lkt_n::k";
    CHECK(refusal(within).what == "lkt_n");
}

TEST_CASE("host hostile: words that only appear when macros are expanded") {
    auto const no = refusal(kernel("CALL(sys, tem)(\"id\");", "#define CALL(a, b) a##b\n"));
    CHECK(no.what == "system");
    CHECK(has(no.why, "when the macros are expanded"));
    CHECK(refusal(kernel("W(as, m)(\"nop\");", "#define W(a, b) a##b\n")).what == "asm");
    // An honest use of ## runs.
    auto const fine = kernel("int ab = 7; c[0] = JOIN(a, b);", "#define JOIN(a, b) a##b\n");
    CHECK(numbers<int>(outputs(shared_host(), fine)[0])[0] == 7);
}

TEST_CASE("host hostile: functions of the C library are found in what was compiled") {
    auto const no = refusal(kernel("c[0] = getpid();", "extern \"C\" int getpid();\n"));
    CHECK(no.what == "getpid");
    auto const object =
        refusal(kernel("c[0] = seven;",
                       "struct s { int v; __device__ s(int a) : v(a) { total += a; } "
                       "static int total; };\n__device__ int seven = *(volatile int*)\"abc\";\n"));
    CHECK(object.what == "a static constructor");
}

TEST_CASE("host hostile: a definition's value is looked at, too") {
    auto t = kernel("c[0] = BLOCK;");
    t.definitions.values = {{"BLOCK", std::string{"system(\"id\")"}}};
    CHECK(refusal(t).what == "system");
    t.definitions.values = {{"BLOCK", std::string{"1; } int main() { return 0"}}};
    (void)refusal(t);
    t.definitions.values = {{"BLOCK", std::string{"1\n#include \"/etc/passwd\""}}};
    (void)refusal(t);
    t.definitions.values = {{"BLOCK", std::string{"1"}}};
    t.options = {"-include/etc/passwd"};
    CHECK(refusal(t).what == "-include/etc/passwd");
    t.options = {"-DX=1\n#include \"/etc/passwd\""};
    (void)refusal(t);
    t.options = {"-DBLOCK2=3", "--use_fast_math", "-lineinfo", "-std=c++17"};
    CHECK(numbers<int>(outputs(shared_host(), t)[0])[0] == 1);
}

TEST_CASE("host hostile: in the cell, system calls end in a refusal that names them") {
    auto const path = victim();
    auto const is_refused = [](lkt::failure const& f, std::string_view call) {
        auto const* const no = std::get_if<lkt::refused>(&f);
        INFO(lkt::describe(f));
        return no != nullptr && has(no->what, call);
    };
    std::string const c =
        "extern \"C\" int system(char const*); extern \"C\" int fork(); extern \"C\" int "
        "socket(int, int, int); extern \"C\" int open(char const*, int, ...); extern "
        "\"C\" long syscall(long, ...); extern \"C\" int kill(int, int);\n";
    auto const touch = "system(\"touch " + path + "\");";
    CHECK(is_refused(end_of(kernel("c[0] = " + touch, c)), ""));
    CHECK(!std::filesystem::exists(path));
    CHECK(
        is_refused(end_of(kernel("c[0] = 1;",
                                 c + "__attribute__((constructor)) void f() { " + touch + " }\n")),
                   ""));
    CHECK(!std::filesystem::exists(path));
    CHECK(is_refused(end_of(kernel("while (1) fork();", c)), ""));
    CHECK(is_refused(end_of(kernel("c[0] = socket(2, 1, 0);", c)), "socket"));
    CHECK(is_refused(end_of(kernel("c[0] = kill(1, 9);", c)), "kill"));
#if defined(__x86_64__)
    CHECK(is_refused(
        end_of(kernel("int r = 41; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(41), \"D\"(2), "
                      "\"S\"(1), \"d\"(0) : \"rcx\", \"r11\", \"memory\"); c[0] = r;")),
        "socket"));
#endif
    auto const opened = run(naive(), kernel("c[0] = open(\"" + path + "\", 0102, 0600);", c));
    CHECK(!std::filesystem::exists(path));
    if (auto const* const r = std::get_if<lkt::run_report>(&opened))
        CHECK(numbers<int>(r->kept.at(0).outputs.at(0))[0] == -1);
    else
        CHECK(is_refused(std::get<lkt::failure>(opened), "open"));
    CHECK(still_works());
}

TEST_CASE("host hostile: in the cell, memory is limited and the process may end, but no more") {
    std::string const c = "extern \"C\" void* malloc(size_t); extern \"C\" void exit(int);\n"
                          "extern \"C\" void _exit(int);\n";
    auto const start = std::chrono::steady_clock::now();
    auto const big =
        end_of(kernel("char volatile* p = (char*)malloc(100000000000ull); for (size_t i = 0; i < "
                      "100000000000ull; i += 4096) p[i] = 1; c[0] = p[n];",
                      c));
    CHECK(std::holds_alternative<lkt::crashed>(big));
    auto const small = end_of(kernel(
        "for (;;) { char volatile* p = (char*)malloc(1 << 20); for (int i = 0; i < 1 << 20; i += "
        "4096) p[i] = 1; c[0] = p[n]; }",
        c));
    INFO(lkt::describe(small));
    CHECK(std::holds_alternative<lkt::crashed>(small));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{20});
    CHECK(std::holds_alternative<lkt::crashed>(end_of(kernel("_exit(0);", c))));
    // What runs at exit may be refused in its turn (LeakSanitizer, in a program built with it).
    CHECK(!std::holds_alternative<lkt::timed_out>(end_of(kernel("exit(7);", c))));
    CHECK(still_works());
}
