// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/own_numbers.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

lkt::kernel_source cuda(std::string text) { return {lkt::language::cuda, std::move(text), {}}; }
std::vector<double>
numbers_of(std::string text, std::string original = "", lkt::configuration config = {}) {
    auto const own = cuda(std::move(text)), other = cuda(std::move(original));
    return lkt::own_numbers({own, std::move(config)}, {other});
}

} // namespace

TEST_CASE("numbers of a text: literals of every form, each once, in order") {
    CHECK(
        numbers_of(
            "x = 7; y = 3.5f; z = 0x1F; w = 1'000; v = 7; u = 0b101; t = 017; s = 4u; r = 6ull;") ==
        std::vector<double>{7, 3.5, 31, 1000, 5, 15, 4, 6});
    CHECK(numbers_of("a = .25f; b = 1e-3; c = 0x1p-2f; d = 3.f; e = 9h;") ==
          std::vector<double>{0.25, 1e-3, 3, 9});
    CHECK(numbers_of("// 77\n/* 78 */ s = \"79\"; a[0] = 1 + 1;").empty());
    CHECK(numbers_of("a = 7; b = 8;", "c = 8;") == std::vector<double>{7});
    CHECK(numbers_of("\"never closed").empty());
}

TEST_CASE("numbers of a text: what macros and operators make of literals") {
    CHECK(numbers_of("#define N 48\n#define M (N * 3 + 5)\nint a = M;") ==
          std::vector<double>{48, 3, 144, 5, 149, 15});
    CHECK(numbers_of("a = i * (1.0f / n) + 1.0f / 4;") == std::vector<double>{4, 0.25, 41, 61});
    CHECK(numbers_of("a = __frcp_rn(n);") == std::vector<double>{41, 61});
    CHECK(numbers_of("a = __popc(n) == 7;") == std::vector<double>{7, 127});
    CHECK(numbers_of("a = __clz(n) < 20;") == std::vector<double>{20, 0x1p20, 0x1p19, 0x1p11});
    CHECK(numbers_of("a = 1.0f / n;", "b = 1.0f / (1.0f + x);").empty());
    CHECK(numbers_of("a = 64 | 5 ^ 3 & 6;") ==
          std::vector<double>{64, 5, 3, 6, 7, 71, 320, 15, 18});
    CHECK(numbers_of("a = 1 << 12;") == std::vector<double>{12, 4096});
    CHECK(numbers_of("if (n >> 14) a = b >> c;") == std::vector<double>{16384, 14});
    CHECK(numbers_of("a = b << 12;") == std::vector<double>{0x1p20, 12});
    CHECK(numbers_of("a = (unsigned short)b + (short)c; half d;") ==
          std::vector<double>{65536, 32768, 2048});
    CHECK(numbers_of("short a;", "short b;").empty());
    CHECK(numbers_of("half a; a = n < 2048;", "half b;") == std::vector<double>{2048});
    CHECK(numbers_of("if (x / 256 > 1023) y = 7; z = 9;") ==
          std::vector<double>{256, 1023, 7, 9, 261888, 7161});
    CHECK(numbers_of("a = 7 / 3;") == std::vector<double>{7, 3, 21});
    CHECK(numbers_of("a = 7.0f / 4;") == std::vector<double>{7, 4, 1.75});
    CHECK(numbers_of("a = 3 / 0 + (5 % 0) - (4 << 99);") == std::vector<double>{3, 5, 4, 99, 396});
    CHECK(numbers_of("a = ((((9))));") == std::vector<double>{9});
    CHECK(numbers_of("a = " + std::string(5000, '(') + "9").size() <= 1); // no deep recursion
    CHECK(numbers_of("a = sqrtf(16.0f); b = __expf(0); c = f(5);") ==
          std::vector<double>{16, 4, 5});
    // The bits of 0.75f.
    CHECK(numbers_of("a = 0x3f400000;") == std::vector<double>{0x3f400000, 0.75});
}

TEST_CASE("numbers of a text: constants with a name") {
    CHECK(numbers_of("const int k = 50 + 3;\nif (n == k * 2) a = k;") ==
          std::vector<double>{50, 3, 53, 106, 150});
    CHECK(numbers_of("enum { A = 106 };\nconstexpr int B{7};\nif (n == A / 2 - B) a = b;") ==
          std::vector<double>{106, 7, 53, 46});
    CHECK(numbers_of("template <int P = 9> void f() { if (n % (P * 8)) a = b; }") ==
          std::vector<double>{9, 8, 72});
    CHECK(numbers_of("int k = 50; k = 7; a = k + 3;") == std::vector<double>{50, 7, 3});
}

TEST_CASE("numbers of a text: those of its configuration") {
    std::string const text =
        "#ifndef BLOCK\n#define BLOCK 16\n#endif\nif (n % (BLOCK * ITEMS)) a = b;";
    CHECK(numbers_of(text, "", {{{"BLOCK", std::int64_t{64}}, {"ITEMS", std::int64_t{3}}}}) ==
          std::vector<double>{64, 3, 192});
    CHECK(numbers_of("template <int P> void f() { if (n > P + 1) a = b; }",
                     "",
                     {{{"P", std::int64_t{40}}}}) == std::vector<double>{40, 41});
}

TEST_CASE("numbers of a text: nothing of what the original has") {
    CHECK(numbers_of("float a = 20000000; // 2^24 of float, and bits", "float b = 20000000;")
              .empty());
}

TEST_CASE("at most 64 numbers") {
    std::string text = "a = ";
    for (int k = 100; k < 300; ++k) text += std::to_string(k) + ", ";
    CHECK(numbers_of(text).size() == 64);
    auto const with_type = numbers_of(text + "; half d;");
    CHECK(with_type.size() == 64);
    CHECK(with_type.back() == 2048); // what a type implies has its place
}

TEST_CASE("numbers of code: those that are not the original's, and of no known neighbour") {
    using list = std::vector<double>;
    CHECK(lkt::own_constants({91809, 4, 0.75, -16, 17}, {}, {}) == list{91809, 0.75, 17});
    CHECK(lkt::own_constants({91809, 0.75}, {0.75}, {91809}).empty());
    // `x >= 91810`, `x - 500`, and 0.1f as it is.
    CHECK(lkt::own_constants({91809, -500, 0.1f}, {}, {91810, 500, 0.1}).empty());
    list many(100);
    for (std::size_t k = 0; k < many.size(); ++k) many[k] = 100 + 3.0 * static_cast<double>(k);
    CHECK(lkt::own_constants(many, {}, {}).size() == 24);
}
