// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/definitions.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

lkt::configuration const config{{{"BLOCK", std::int64_t{32}}, {"T", std::string("float")}}};
std::string const head = "#define BLOCK 32\n#define T float\n#line 1 \"k.cu\"\n";

std::string defined(std::string const& text, lkt::configuration const& c = config) {
    auto const r = lkt::with_definitions({lkt::language::cuda, text, "k.cu"}, c);
    if (!r) return "error: " + r.error().message;
    if (auto const* bad = std::get_if<lkt::refused>(&*r))
        return "refused: " + bad->what + " at " + to_string(bad->where);
    return std::get<std::string>(*r);
}

} // namespace

TEST_CASE("Definitions of some names leave a text, and nothing else does") {
    std::string const text = "#define A 1\n# define B \\\n 2\n#define A_B 3\n// #define A 1\n";
    CHECK(lkt::without_definitions(text, {"A", "B"}) == "\n\n\n#define A_B 3\n// #define A 1\n");
    CHECK(lkt::without_definitions(text, {}) == text);
    CHECK(lkt::without_definitions("#define A 1\n/* no end", {"A"}) == "#define A 1\n/* no end");
}

TEST_CASE("definitions stand in front, and lines keep their numbers") {
    CHECK(defined("a\nb") == head + "a\nb");
    CHECK(defined("", {}) == "#line 1 \"k.cu\"\n");
    CHECK(defined("x", {{{"P", true}, {"F", 0.5}}}) ==
          "#define P true\n#define F 0.5\n#line 1 \"k.cu\"\nx");
    auto const odd = lkt::with_definitions({lkt::language::hip, "x", "a\"b\\c\nd"}, {});
    CHECK(std::get<std::string>(odd.value()) == "#line 1 \"abcd\"\nx");
}

TEST_CASE("a definition of the text gives way") {
    CHECK(defined("#define BLOCK 16\nint a[BLOCK];") == head + "\nint a[BLOCK];");
    CHECK(defined("#define OTHER 16 // c\n# define BLOCK \\\n  16\nx") ==
          head + "#define OTHER 16 // c\n\n\nx");
    CHECK(defined("#undef BLOCK\nx") == head + "\nx");
    CHECK(defined("#ifndef BLOCK\n#define BLOCK 16\n#endif\nx") ==
          head + "#ifndef BLOCK\n\n#endif\nx");
    CHECK(defined("// #define BLOCK 16\nx") == head + "// #define BLOCK 16\nx");
}

TEST_CASE("a declaration of the same name is refused") {
    CHECK(defined("constexpr int BLOCK = 16;") == "refused: int BLOCK at line 1, column 15");
    CHECK(defined("const int BLOCK{16};").starts_with("refused"));
    CHECK(defined("enum { A, BLOCK = 16 };").starts_with("refused"));
    CHECK(defined("\n  int BLOCK;") == "refused: int BLOCK at line 2, column 7");
    CHECK(defined("void f(int BLOCK) {}").starts_with("refused"));
    CHECK(defined("int f() { return BLOCK; }") == head + "int f() { return BLOCK; }");
    CHECK(defined("x = BLOCK; y[BLOCK]") == head + "x = BLOCK; y[BLOCK]");
}

TEST_CASE("a template parameter gets its value as an argument") {
    std::string const text = "template <int BLOCK, class U = int> void f() { BLOCK; }";
    CHECK(defined(text) == "#define T float\n#line 1 \"k.cu\"\n" + text);
}

TEST_CASE("what cannot be defined is an error") {
    CHECK(defined("x", {{{"a b", std::int64_t{1}}}}) ==
          "error: the parameter's name `a b` is not an identifier");
    CHECK(defined("x", {{{"A", std::string("1\n#include </etc/passwd>")}}}).starts_with("error: "));
    CHECK(defined("/* open").starts_with("error: line 1"));
    CHECK(lkt::with_definitions({lkt::language::wgsl, "x", ""}, {}).has_error());
}

TEST_CASE("WGSL keeps its text, which must declare what is tuned as overrides") {
    lkt::kernel_source const source{lkt::language::wgsl,
                                    "override TILE: u32 = 8;\n"
                                    "@compute @workgroup_size(TILE) fn k() {}\n",
                                    ""};
    auto const with = [&](lkt::configuration const& c) {
        auto const text = lkt::with_definitions(source, c);
        REQUIRE(text.has_value());
        auto const* no = std::get_if<lkt::refused>(&*text);
        return no != nullptr ? no->what + ": " + no->why : std::get<std::string>(*text);
    };
    CHECK(with({{{"TILE", std::int64_t{16}}}}) == source.text);
    CHECK(with({{{"ROWS", std::int64_t{2}}}}) ==
          "ROWS: this tunable parameter is not declared in the text; declare it as in `override "
          "ROWS: u32 = 16;`");
    CHECK(with({{{"TILE", 0.5}}}).starts_with("TILE = 0.5: the text declares"));
}
