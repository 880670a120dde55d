// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/cuda/preprocess.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

/// The text that comes out, or what is wrong.
std::string made(std::string const& text, std::vector<lkt::predefined_macro> const& names = {}) {
    auto const r = lkt::preprocess(text, names);
    if (auto const* const p = std::get_if<lkt::preprocessed_text>(&r)) return p->text;
    auto const& f = std::get<lkt::failure>(r);
    if (auto const* const no = std::get_if<lkt::refused>(&f))
        return "refused " + no->what + " in line " + std::to_string(no->where.line);
    return std::get<lkt::compile_failed>(f).log;
}
/// Without the lines of definitions.
std::string last_line(std::string const& text) {
    auto out = made(text);
    while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
    return out.substr(out.rfind('\n') + 1);
}

} // namespace

TEST_CASE("preprocess: macros as the standard has them") {
    CHECK(last_line("#define A 1\nA") == "1");
    CHECK(last_line("#define F(a) a*G\n#define G(a) F(a)\nF(2)(9)") == "2 * 9 * G");
    CHECK(last_line("#define CAT(a, b) a##b\nCAT(x, 1)") == "x1");
    CHECK(last_line("#define CAT(a, b) a##b\n#define X 7\nCAT(X, 1)") == "X1");
    CHECK(last_line("#define S(a) #a\nS( a  +  \"b\\n\" )") == "\"a + \\\"b\\\\n\\\"\"");
    CHECK(last_line("#define F(a, ...) g(a, ## __VA_ARGS__)\nF(1)") == "g ( 1 )");
    CHECK(last_line("#define F(a, ...) g(a, ## __VA_ARGS__)\nF(1, )") == "g ( 1 , )");
    CHECK(last_line("#define F(a, r...) g(a, ## r)\nF(1, 2, 3)") == "g ( 1 , 2 , 3 )");
    CHECK(last_line("#define F(x) x F\nF(1)(2)") == "1 F (2)");
    CHECK(last_line("#define E\n+E+") == "+ +");
    CHECK(last_line("#define A A B\nA") == "A B");
    CHECK(last_line("#define F(a, b) a##b\nF(, x)F(x,)F(,)") == "x x");
}

TEST_CASE("preprocess: lines and columns stay, comments and disguises go") {
    CHECK(made("int a; /* x\n y */ int  b;\n") == "int a;\n      int  b;\n");
    CHECK(made("a<:0:>\n") == "a[0]\n");
    CHECK(made("#define A 1\n\n__LINE__ A\n") == "\n\n3 1\n");
    CHECK(made("sys\\\ntem\n") == "system\n");
    CHECK(made("#define N 4\n#pragma unroll N\nfor\n") == "\n#pragma unroll 4\nfor\n");
}

TEST_CASE("preprocess: conditions") {
    auto const chosen = [](std::string const& condition) {
        return last_line("#if " + condition + "\nyes\n#else\nno\n#endif\n");
    };
    for (auto const* const c : {"1",
                                "-1 < 0",
                                "-1 > 0u",
                                "(2 + 3) * 4 == 20",
                                "!X && !defined X",
                                "0 || 1 ? 1 : 1 / 0",
                                "1 || 1 / 0",
                                "0x10 == 16 and 010 == 8 and 0b11 == 3",
                                "'a' == 97",
                                "1'000 == 1000",
                                "0x1'f == 31 && 0'17 == 15",
                                "~0u == 0xffffffffffffffff",
                                "-8 >> 1 == -4",
                                "true"})
        CHECK_MESSAGE(chosen(c) == "yes", c);
    for (auto const* const c : {"0", "X", "1 == 2", "defined(Y) || defined Z"})
        CHECK_MESSAGE(chosen(c) == "no", c);
    for (auto const* const c : {"",
                                "1 +",
                                "(1",
                                "1.5",
                                "\"a\"",
                                "1 / 0",
                                "1 ? 2",
                                "x y",
                                "1 = 1",
                                "0x'1f",
                                "0b'1",
                                "0'x1",
                                "1'u",
                                "0x1f'u",
                                "defined \\u8"})
        CHECK_MESSAGE(chosen(c).find("error: ") != std::string::npos, c);
    auto const asked = std::get<lkt::preprocessed_text>(
        lkt::preprocess("#define A 1\n#if A && B\n#endif\n#ifdef C\n#endif\n"));
    REQUIRE(asked.asked.size() == 2);
    CHECK(asked.asked[0].name == "B");
    CHECK(asked.asked[1].name == "C");
    CHECK(asked.asked[1].where.line == 4);
}

TEST_CASE("preprocess: nothing but the names that it is given") {
    CHECK(made("__cplusplus __GNUC__ linux\n") == "__cplusplus __GNUC__ linux\n");
    CHECK(made("N\n", {{"N", "(1 + 2)"}}) == "( 1 + 2 )\n");
    CHECK(made("#define N 1\n", {{"N", "2", true}}) == "refused N in line 1");
    CHECK(made("#define N 1\nN\n", {{"N", "2"}}) == "\n1\n");
}

TEST_CASE("preprocess: what compilers would answer themselves is refused, pasted too") {
    for (auto const* const text : {"#if P(__has_, include)(\"/x\")\n#endif\n",
                                   "#ifdef __has_include\n#endif\n",
                                   "P(__COUN, TER__)\n",
                                   "__DATE__\n",
                                   "#line 3\n",
                                   "# 1 \"x\"\n",
                                   "#embed \"x\"\n",
                                   "#include_next <x>\n",
                                   "F(\n#include <x>\n)\n",
                                   "#define S R\"(\n)\"\n",
                                   "#if 0\n#define S R\"(\n#endif\n)\"\n#endif\n",
                                   "#if 0\nR\"(\n#endif\n)\"\n#endif\n",
                                   "\"a\"b\n",
                                   "a$b\n"})
        CHECK_MESSAGE(made(std::string("#define P(a, b) a##b\n#define F(x) x\n") + text)
                          .starts_with("refused"),
                      text);
    CHECK(made("a\rb") == "refused the text in line 0");
    CHECK(made("#define H #\nH include <x>\n").find("stray") != std::string::npos);
    CHECK(made("#error no\n").find("kernel:1:2: error: #error no") == 0);
    CHECK(made("#define F(a) a ## ## b\n").find("beside another") != std::string::npos);
    CHECK(made("#define F(...) , ## __VA_ARGS__ ## b\n").find("a comma is pasted") !=
          std::string::npos);
    CHECK(made("#define F(a, ...,) a\n").find("after `...`") != std::string::npos);
    CHECK(made("#if 1\n").find("lacks its #endif") != std::string::npos);
    CHECK(made("#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(x)))))))\nB(1)\n")
              .find("too much text") != std::string::npos);
    CHECK(std::get<lkt::preprocessed_text>(lkt::preprocess("#include <cmath>\n")).includes ==
          std::vector<std::string>{"<cmath>"});
}

// 20 000 texts of a fixed seed here; the program takes any number, seed and compilers.
TEST_CASE("preprocess: tokens and lines are those of the compilers that are there") {
    auto const program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lang_against_compilers";
    REQUIRE(std::filesystem::exists(program));
    std::string compilers;
    for (std::string const c : {"g++-12", "g++-13", "g++-14", "clang++-16", "clang++-19"})
        if (std::system(("command -v " + c + " > /dev/null").c_str()) == 0) compilers += " " + c;
    if (compilers.empty()) compilers = " c++";
    CHECK(std::system((program.string() + " 20000 17" + compilers).c_str()) == 0);
}
