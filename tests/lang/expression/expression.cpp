// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/expression/expression.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace {

lkt::expression_scope scope() {
    using v = lkt::parameter_value;
    return {{{"N", v{std::int64_t{100}}},
             {"B", v{std::int64_t{16}}},
             {"x", v{2.5}},
             {"flag", v{true}},
             {"layout", v{std::string("row")}},
             {"N", v{std::int64_t{1}}}},
            {4096, 2048}};
}

/// The value as text, or the error's message behind `error: `.
std::string of(std::string_view text) {
    auto const e = lkt::expression::parse(text);
    if (!e) return "error: " + e.error().message;
    auto const r = e->evaluate(scope());
    if (!r) return "error: " + r.error().message;
    if (auto const* i = std::get_if<std::int64_t>(&*r)) return std::to_string(*i);
    if (auto const* b = std::get_if<bool>(&*r)) return *b ? "True" : "False";
    if (auto const* s = std::get_if<std::string>(&*r)) return "'" + *s + "'";
    return lkt::value_text(*r);
}

std::string why(std::string_view text) {
    std::string const got = of(text);
    auto const colon = got.find("`: ");
    return got.starts_with("error: ") && colon != std::string::npos ? got.substr(colon + 3) : got;
}

} // namespace

TEST_CASE("arithmetic is Python's") {
    CHECK(of("1 + 2 * 3") == "7");
    CHECK(of("(1 + 2) * 3") == "9");
    CHECK(of("7 // 2") == "3");
    CHECK(of("-7 // 2") == "-4");
    CHECK(of("7 // -2") == "-4");
    CHECK(of("-7 % 3") == "2");
    CHECK(of("7 % -3") == "-2");
    CHECK(of("-7 % -3") == "-1");
    CHECK(of("7 / 2") == "3.5");
    CHECK(of("6 / 2") == "3.0");
    CHECK(of("7.5 // 2") == "3.0");
    CHECK(of("-7.5 % 2") == "0.5");
    CHECK(of("2 ** 10") == "1024");
    CHECK(of("2 ** -1") == "0.5");
    CHECK(of("-2 ** 2") == "-4");
    CHECK(of("2 ** 3 ** 2") == "512");
    CHECK(of("2 ** -1 * 4") == "2.0");
    CHECK(of("2 - 3 - 4") == "-5");
    CHECK(of("100 // 7 * 7 + 100 % 7") == "100");
    CHECK(of("+True + 1") == "2");
    CHECK(of("--3") == "3");
    CHECK(of("(-2) ** 63") == "-9223372036854775808");
    CHECK(of("0x10 + 0b11 + 0o7 + 1_000") == "1026");
    CHECK(of("1.5e1 + .5 + 2.") == "17.5");
}

TEST_CASE("comparisons and logic") {
    CHECK(of("32 <= B * 2 <= 1024") == "True");
    CHECK(of("32 <= B <= 1024") == "False");
    CHECK(of("1 < 2 < 3 < 3") == "False");
    CHECK(of("1 < 2 > 1 != 0") == "True");
    CHECK(of("3 > 2 == 2") == "True"); // chained: 3 > 2 and 2 == 2
    CHECK(of("not 1 == 2") == "True");
    CHECK(of("!flag == 1") == "False"); // C's: (!flag) == 1
    CHECK(of("B == 16 and N == 100") == "True");
    CHECK(of("B == 16 && N != 100 || flag") == "True");
    CHECK(of("0 or 7") == "7");
    CHECK(of("0 || 7") == "True");
    CHECK(of("3 and 0") == "0");
    CHECK(of("3 && 4") == "True");
    CHECK(of("not not 4") == "True");
    CHECK(of("1 == 1.0") == "True");
    CHECK(of("9007199254740993 == 9007199254740992.0") == "False");
    CHECK(of("True == 1") == "True");
    CHECK(of("not (B == 16 and N == 8)") == "True");
}

TEST_CASE("what decides early is not evaluated further") {
    CHECK(of("0 and 1 // 0") == "0");
    CHECK(of("1 or 1 // 0") == "1");
    CHECK(of("2 < 1 < 1 // 0") == "False");
    CHECK(of("5 if flag else 1 // 0") == "5");
    CHECK(of("1 // 0 if not flag else 6") == "6");
}

TEST_CASE("conditional expressions nest and hold jumps of their own") {
    CHECK(of("1 if B > 99 else 2 if B > 9 else 3") == "2");
    CHECK(of("(1 < 2 < 3) if (0 or flag) else (7 or 8)") == "True");
    CHECK(of("(4 if 0 else 5) if (0 if 1 else 1) else (6 and 7 if 1 else 0)") == "7");
    CHECK(of("10 + (1 if x > 2 else 0) * 5") == "15");
}

TEST_CASE("functions") {
    CHECK(of("min(3, 1, 2)") == "1");
    CHECK(of("max(3, 4.5)") == "4.5");
    CHECK(of("max(B)") == "16");
    CHECK(of("abs(-3) + abs(2.5)") == "5.5");
    CHECK(of("ceil_div(100, 16)") == "7");
    CHECK(of("ceil_div(96, 16)") == "6");
    CHECK(of("ceil_div(-7, 2)") == "-3");
    CHECK(of("ceil_div(7, -2)") == "-3");
    CHECK(of("ceil_div(100.0, 16)") == "7");
    CHECK(of("int(-2.7)") == "-2");
    CHECK(of("float(3)") == "3.0");
    CHECK(of("ceil(N / 32) + floor(N / 32)") == "7");
    CHECK(of("all(N > 1, B > 1)") == "True");
    CHECK(of("all([N > 1, B > 99])") == "False");
    CHECK(of("any([N > 1, B > 99]) and max([1, B])") == "16");
}

TEST_CASE("functions of many take all extents") {
    CHECK(of("min(ProblemSize) >= 1") == "True");
    CHECK(of("max(ProblemSize) - min(ProblemSize)") == "2048");
    CHECK(of("all(ProblemSize) and not any(ProblemSize) or B") == "16");
    CHECK(of("min(ProblemSize[1], 3000)") == "2048");
    for (auto const* text : {"abs(ProblemSize)",
                             "min(1, ProblemSize)",
                             "min(ProblemSize, 1)",
                             "min(ProblemSize + 1)",
                             "min(1 if (ProblemSize) else 2)",
                             "min(abs(ProblemSize))",
                             "(ProblemSize)"}) {
        CAPTURE(text);
        CHECK(why(text).starts_with("expected `[`: write ProblemSize[0]"));
    }
    auto const e = lkt::expression::parse("min(ProblemSize)");
    REQUIRE(e.has_value());
    CHECK(!e->evaluate({}).has_value()); // of nothing
}

TEST_CASE("problem size and names") {
    CHECK(of("ProblemSize[0] // B") == "256");
    CHECK(of("ProblemSize[1 - 0]") == "2048");
    CHECK(of("N") == "100"); // a later entry does not hide an earlier one
    auto const e = lkt::expression::parse("N * ProblemSize[0] + M % N + min(K, N)");
    REQUIRE(e.has_value());
    CHECK(e->names() == std::vector<std::string>{"N", "M", "K"});
    CHECK(e->text() == "N * ProblemSize[0] + M % N + min(K, N)");
}

TEST_CASE("text") {
    CHECK(of("layout == 'row'") == "True");
    CHECK(of("layout != \"row\"") == "False");
    CHECK(of("layout in ['row', 'column']") == "True");
    CHECK(of("layout not in ('row', )") == "False");
    CHECK(of("layout == 1") == "False");
    CHECK(of("'it\\'s'") == "'it's'");
    CHECK(of("B in [8, 16]") == "True");
    CHECK(of("B in (8, 4 + 4)") == "False");
    CHECK(of("B in []") == "False");
    CHECK(why("layout < 'z'") == "text can be compared only with == and !=");
    CHECK(why("layout + 'z'") == "text has no arithmetic");
    CHECK(why("-layout") == "text has no sign");
    CHECK(why("max(layout)") == "functions take numbers, not text");
}

TEST_CASE("nothing wraps") {
    CHECK(why("9223372036854775807 + 1") == "the result does not fit 64 bits");
    CHECK(why("-9223372036854775808 - 1") == "the result does not fit 64 bits");
    CHECK(why("4611686018427387904 * 2") == "the result does not fit 64 bits");
    CHECK(why("2 ** 63") == "the result does not fit 64 bits");
    CHECK(why("-(-9223372036854775808)") == "the result does not fit 64 bits");
    CHECK(why("-9223372036854775808 // -1") == "the result does not fit 64 bits");
    CHECK(of("-9223372036854775808 % -1") == "0");
    CHECK(why("abs(-9223372036854775808)") == "the result does not fit 64 bits");
    CHECK(why("ceil_div(-9223372036854775808, -1)") == "the result does not fit 64 bits");
    CHECK(why("int(1e30)") == "the result does not fit 64 bits");
    CHECK(why("10.0 ** 400") == "the result is beyond the range of a double");
    CHECK(why("(-8) ** 0.5") == "the result is beyond the range of a double");
    CHECK(why("9223372036854775808") == "`9223372036854775808` does not fit 64 bits");
    CHECK(why("2 ** 10000000000000") == "the result does not fit 64 bits");
}

TEST_CASE("division by zero") {
    for (char const* text : {"1 // 0",
                             "1 % 0",
                             "1 / 0",
                             "1.0 % 0",
                             "1.0 // 0",
                             "0 ** -1",
                             "ceil_div(1, 0)",
                             "0.0 ** -1"}) {
        CAPTURE(text);
        CHECK(why(text) == "division by zero");
    }
}

TEST_CASE("an error names its column") {
    CHECK(of("N +") == "error: column 4 of `N +`: expected a value, got the end");
    CHECK(of("N $ 2") == "error: column 3 of `N $ 2`: expected an operator, got `$`");
    CHECK(of("N * M") == "error: column 5 of `N * M`: unknown name `M`");
    CHECK(of("1 + ProblemSize[2]") == "error: column 5 of `1 + ProblemSize[2]`: ProblemSize has 2 "
                                      "extents, so there is no ProblemSize[2]");
    CHECK(of("N / (1 - 1)") == "error: column 3 of `N / (1 - 1)`: division by zero");
}

TEST_CASE("what is not an expression says why") {
    CHECK(why("") == "expected a value, got the end");
    CHECK(why("(1") == "expected `)`, got the end");
    CHECK(why("1 2") == "expected an operator, got `2`");
    CHECK(why("1 if 2") == "expected `else`, got the end");
    CHECK(why("B & 1") == "the bit operator `&` is not supported");
    CHECK(why("B = 1") == "use == to compare");
    CHECK(why("sin(1)").starts_with("unknown function `sin`"));
    CHECK(why("min()") == "min takes 1 or more, not 0 arguments");
    CHECK(why("ceil_div(1)") == "ceil_div takes 2, not 1 arguments");
    CHECK(why("ProblemSize") ==
          "expected `[`: write ProblemSize[0], ProblemSize[1], ..., got the end");
    CHECK(why("N[0]") == "only ProblemSize can have an index");
    CHECK(why("1x") == "`1x` is not a number");
    CHECK(why("1__0") == "`1__0` is not a number");
    CHECK(why("0x") == "`0x` is not a number");
    CHECK(why("0xg") == "`0xg` is not a number");
    CHECK(why("1e") == "`1e` is not a number");
    CHECK(why("1..2") == "`1..2` is not a number");
    CHECK(why("'abc") == "this text is never closed");
    CHECK(why("'a\\n'") == "in text only the escapes \\\\, \\' and \\\" are allowed");
    CHECK(why("lambda x: 1") == "expected a value, got `lambda`");
    CHECK(why("B in 3") == "expected a list such as [1, 2], got `3`");
    CHECK(why("1 < B in [1]") == "`in` cannot be chained with comparisons; add brackets");
    CHECK(why("B not 3") == "expected `in`, got `3`");
    CHECK(why("ProblemSize['a']") == "the index of ProblemSize must be an integer");
    CHECK(why("ProblemSize[-1]").find("no ProblemSize[-1]") != std::string::npos);
    CHECK(why("a\x1b[31m").find('\x1b') == std::string::npos);
}

TEST_CASE("results of a wanted type") {
    auto const integer = [](char const* text) {
        return lkt::expression::parse(text).value().evaluate_integer(scope());
    };
    CHECK(integer("12 / 2").value() == 6);
    CHECK(integer("True").value() == 1);
    CHECK(integer("B // 3").value() == 5);
    CHECK(integer("5 / 2").error().message ==
          "column 1 of `5 / 2`: the result must be an integer, but is 2.5");
    CHECK(integer("1e300").has_error());
    CHECK(integer("layout").has_error());
    auto const condition = [](char const* text) {
        return lkt::expression::parse(text).value().evaluate_condition(scope());
    };
    CHECK(condition("0.5").value());
    CHECK_FALSE(condition("0.0").value());
    CHECK_FALSE(condition("''").value());
    CHECK(condition("B > 3").value());
    CHECK(condition("M").has_error());
    CHECK(condition("M").error().hint.find("known names: N, B") == 0);
}

TEST_CASE("constants") {
    CHECK(lkt::expression{}.evaluate_integer({}).value() == 0);
    CHECK(lkt::expression{42}.text() == "42");
    CHECK(lkt::expression{-3}.evaluate_integer({}).value() == -3);
    CHECK(lkt::expression{7} == lkt::expression::parse("7").value());
    CHECK_FALSE(lkt::expression{7} == lkt::expression{});
}

TEST_CASE("depth and length are bounded") {
    std::string const deep = std::string(1 << 20, '(') + "1" + std::string(1 << 20, ')');
    auto const too_long = lkt::expression::parse(deep);
    REQUIRE(too_long.has_error());
    CHECK(too_long.error().message.find("characters; the limit is") != std::string::npos);
    for (char const* opener : {"(", "-", "!", "2 ** ", "min(", "1 if 1 else ", "ProblemSize["}) {
        CAPTURE(opener);
        std::string text;
        while (text.size() < 8000) text += opener;
        CHECK(of(text + "1").find("nested more than") != std::string::npos);
    }
    // Long is not deep: neither parsing nor evaluating these recurses.
    std::string sum = "1", chain = "0", words;
    for (int i = 0; i < 4000; ++i) sum += "+1";
    for (int i = 0; i < 1000; ++i) chain += "<" + std::to_string(i + 1);
    for (int i = 0; i < 2000; ++i) words += "not ";
    CHECK(of(sum) == "4001");
    CHECK(of(chain) == "True");
    CHECK(of(words + "1") == "True");
}

TEST_CASE("random text is parsed, refused or evaluated, and never more") {
    std::mt19937 engine(20240607);
    static char const* const pieces[] = {"1",
                                         "2.5",
                                         "N",
                                         "B",
                                         "x",
                                         "layout",
                                         "'t'",
                                         "ProblemSize",
                                         "[",
                                         "]",
                                         "(",
                                         ")",
                                         ",",
                                         "+",
                                         "-",
                                         "*",
                                         "/",
                                         "//",
                                         "%",
                                         "**",
                                         "<",
                                         "<=",
                                         "==",
                                         "!=",
                                         "and ",
                                         "or ",
                                         "not ",
                                         " if ",
                                         " else ",
                                         " in ",
                                         "min",
                                         "max",
                                         "abs",
                                         "ceil_div",
                                         "int",
                                         "!",
                                         "&&",
                                         "||",
                                         "\"",
                                         "0x",
                                         "9223372036854775807",
                                         ".",
                                         "_",
                                         "\xff",
                                         "=",
                                         "True"};
    int parsed = 0, refused = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (auto n = 1 + engine() % 12; n > 0; --n) text += pieces[engine() % std::size(pieces)];
        auto const e = lkt::expression::parse(text);
        if (!e) {
            ++refused;
            REQUIRE_FALSE(e.error().message.empty());
            continue;
        }
        ++parsed;
        auto const r = e->evaluate(scope());
        if (!r) REQUIRE(r.error().code == "lkt.expression.evaluate");
    }
    CHECK(parsed > 100);
    CHECK(refused > 100);
}
