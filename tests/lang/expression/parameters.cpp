// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/expression/parameters.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("values as expressions and as C++ write them") {
    using v = lkt::parameter_value;
    CHECK(lkt::value_text(v{std::int64_t{16}}) == "16");
    CHECK(lkt::value_text(v{2.0}) == "2.0");
    CHECK(lkt::value_text(v{0.1}) == "0.1");
    CHECK(lkt::value_text(v{1e300}) == "1e+300");
    CHECK(lkt::value_text(v{true}) == "True");
    CHECK(lkt::value_text(v{std::string("it's")}) == "'it\\'s'");
    CHECK(lkt::definition_text(v{true}) == "true");
    CHECK(lkt::definition_text(v{std::string("float")}) == "float");
    CHECK(lkt::definition_text(v{2.0}) == "2.0");
    CHECK(lkt::definition_text(v{std::int64_t{-3}}) == "-3");
}

TEST_CASE("configurations") {
    lkt::configuration const c{
        {{"BLOCK", std::int64_t{16}}, {"T", std::string("float")}, {"x", 1.0}}};
    CHECK(to_string(c) == "BLOCK=16, T='float', x=1.0");
    CHECK(to_string(lkt::configuration{}).empty());
    CHECK(std::get<std::int64_t>(*c.find("BLOCK")) == 16);
    CHECK(c.find("block") == nullptr);
    CHECK(lkt::default_configuration({{"A", {std::int64_t{3}, std::int64_t{4}}}, {"E", {}}}) ==
          lkt::configuration{{{"A", std::int64_t{3}}}});
}
