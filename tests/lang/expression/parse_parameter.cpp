// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/expression/parse_parameter.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

/// The parameter as text, or the error's message behind the text that it quotes.
std::string read(std::string_view text) {
    auto const p = lkt::parse_parameter(text);
    if (p) return to_string(*p);
    std::string const message = p.error().message;
    return "error: " + message.substr(message.find("`: ") + 3);
}

} // namespace

TEST_CASE("parameters are read") {
    CHECK(read("BLOCK=16,32,64") == "BLOCK=16,32,64");
    CHECK(read(" x_1 = -1 , +2 ") == "x_1=-1,2");
    CHECK(read("F=0.5,1,1e3") == "F=0.5,1.0,1000.0");
    CHECK(read("PAD=true,false") == "PAD=True,False");
    CHECK(read("T=float,double") == "T='float','double'");
    CHECK(read("T='a, b',\"unsigned int\"") == "T='a, b','unsigned int'");
    CHECK(read("R=1..4") == "R=1,2,3,4");
    CHECK(read("R=32..100..32,7") == "R=32,64,96,7");
    CHECK(read("R=-2..-2") == "R=-2");
    CHECK(read("R=9223372036854775806..9223372036854775807") ==
          "R=9223372036854775806,9223372036854775807");
    CHECK(std::get<std::int64_t>(lkt::parse_parameter("B=8,4").value().values.front()) == 8);
}

TEST_CASE("what is no parameter says why") {
    CHECK(read("BLOCK") == "error: there is no =");
    CHECK(read("=1") == "error: `` is not a name");
    CHECK(read("2x=1") == "error: `2x` is not a name");
    CHECK(read("a b=1") == "error: `a b` is not a name");
    CHECK(read("B=") == "error: a value is missing");
    CHECK(read("B=1,,2") == "error: a value is missing");
    CHECK(read("B=1,1") == "error: the value 1 is given twice");
    CHECK(read("B=1,1.0") == "error: the value 1.0 is given twice");
    CHECK(read("B=1,x") == "error: the values are of different types");
    CHECK(read("B=1,true") == "error: the values are of different types");
    CHECK(read("B=1 2") == "error: this is neither a number nor a word; quote text");
    CHECK(read("B='a\nb'").starts_with("error: quoted text"));
    CHECK(read("B='a") == "error: this is neither a number nor a word; quote text");
    CHECK(read("B=3..1") == "error: a range must go up, by a step of at least 1");
    CHECK(read("B=1..9..0") == "error: a range must go up, by a step of at least 1");
    CHECK(read("B=1..x") ==
          "error: write a range as FIRST..LAST or FIRST..LAST..STEP, with integers");
    CHECK(read("B=0..100000") == "error: at most 100000 values are read");
    CHECK(read("B=-9223372036854775808..9223372036854775807") ==
          "error: at most 100000 values are read");
    CHECK(read("B=0..60000,100000..160000") == "error: at most 100000 values are read");
    CHECK(read("B=99999999999999999999").starts_with("B=1e+20"));
    CHECK(read("B=inf") == "B='inf'");
    CHECK(lkt::parse_parameter("x").error().code == "lkt.parameter.text");
}
