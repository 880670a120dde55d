// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/expanded_text.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace {

std::string words(lkt::expanded_text const& t) {
    std::string all;
    for (lkt::expanded_token const& e : t.seen) {
        using edge = lkt::expanded_token::edge;
        std::string const shown = e.mark == edge::none    ? e.tok.text
                                  : e.mark == edge::open  ? "{?"
                                  : e.mark == edge::close ? "?}"
                                                          : "|";
        all += (all.empty() ? "" : " ") + shown;
    }
    return all;
}
lkt::expanded_text cuda(std::string const& text) {
    return lkt::expand_text({lkt::language::cuda, text, {}}).value();
}

} // namespace

TEST_CASE("Macros are expanded, and their words stand where the macro's name is written") {
    auto const t = cuda("#define GLUE(a, b) a##b\n#define HIDE GLUE(as, m)\n  HIDE (\"x\");");
    CHECK(words(t) == "asm ( \"x\" ) ;");
    CHECK(t.seen[0].expanded);
    CHECK(t.seen[0].tok.where == lkt::text_location{3, 3});
    CHECK(t.written[t.seen[0].source].text == "HIDE");
    CHECK_FALSE(t.seen[1].expanded);
    CHECK(t.hidden.empty());
}

TEST_CASE("What is literally dead is gone, and of other branches all are kept between edges") {
    auto const t = cuda("#if 0\na\n#else\nb\n#endif\n#ifdef X\nc\n#else\nd\n#endif\ne");
    CHECK(words(t) == "b {? c | d ?} e");
}

TEST_CASE("A macro that means two things is left alone, and the words of its bodies are listed") {
    auto const t = cuda("#ifdef X\n#define A asm\n#else\n#define A other\n#endif\nA;");
    CHECK(words(t) == "{? | ?} A ;");
    CHECK(std::count(t.hidden.begin(), t.hidden.end(), "asm") == 1);
}

TEST_CASE("A string made of words is told from an empty one") {
    auto const t = cuda("#define S(x) #x\n#define E \"\"\nS(a b) E \"\"");
    REQUIRE(t.seen.size() == 3);
    CHECK(t.seen[0].stringized);
    CHECK_FALSE(t.seen[1].stringized);
    CHECK_FALSE(t.seen[2].stringized);
}

TEST_CASE("WGSL is read as WGSL: comments nest, and a backslash joins no lines") {
    auto const t =
        lkt::expand_text({lkt::language::wgsl, "/* /* */ 7 */ const a = 16u; // x \\\nfn", {}})
            .value();
    CHECK(words(t) == "const a = 16u ; fn");
    CHECK(t.seen[3].tok.kind == lkt::token_kind::number);
    CHECK(t.seen[5].tok.first);
    CHECK(t.seen[5].tok.where == lkt::text_location{2, 1});
}

TEST_CASE("A bomb of macros and a comment without end are errors") {
    std::string bomb = "#define A0 x x x x\n";
    for (int k = 1; k < 40; ++k) {
        std::string const before = " A" + std::to_string(k - 1);
        bomb += "#define A" + std::to_string(k) + before + before + before + before + "\n";
    }
    auto const exploded = lkt::expand_text({lkt::language::cuda, bomb + "A39", {}});
    REQUIRE(exploded.has_error());
    CHECK(exploded.error().code == "lkt.kernel.macro");
    for (auto const language : {lkt::language::cuda, lkt::language::wgsl}) {
        auto const open = lkt::expand_text({language, "/*", {}});
        REQUIRE(open.has_error());
        CHECK(open.error().code == "lkt.kernel.text");
    }
}
