// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/cuda/instantiation.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

std::string const text = "namespace a { inline namespace b {\n"
                         "template <class T, int N = 4> __global__ void sum(T* x) {}\n"
                         "} }\n__global__ void plain(float* x) {}\n";

std::variant<std::string, lkt::refused> meant(std::string const& name,
                                              std::vector<std::string> parameters,
                                              lkt::configuration config = {}) {
    lkt::signature s;
    s.name = name;
    s.line = 2;
    s.template_parameters = std::move(parameters);
    return lkt::instantiation(lkt::tokenize(text).value(), s, config);
}
std::string named(std::variant<std::string, lkt::refused> const& v) {
    return std::holds_alternative<std::string>(v) ? std::get<std::string>(v) : "refused";
}

} // namespace

TEST_CASE("a kernel that is no template is called as it stands among the namespaces") {
    CHECK(named(meant("plain", {})) == "plain");
    CHECK(named(meant("sum", {})) == "a::b::sum");
    CHECK(named(meant("other::sum", {})) == "other::sum");
}

TEST_CASE("template arguments come with the name, or are definitions") {
    lkt::configuration config;
    config.values = {{"T", std::string("float")}, {"N", std::int64_t{8}}};
    CHECK(named(meant("sum", {"class T", "int N = 4"}, config)) == "a::b::sum<float, 8>");
    config.values.pop_back();
    CHECK(named(meant("sum", {"class T", "int N = 4"}, config)) == "a::b::sum<float>");
    config.values = {{"K", std::int64_t{16}}};
    auto const spelled = named(meant("sum<double, K>", {}, config));
    CHECK(spelled.find("a::b::sum") == 0);
    CHECK(spelled.find("16") != std::string::npos);
}

TEST_CASE("a template parameter without a value is refused by name, with the way out") {
    auto const why = std::get<lkt::refused>(meant("sum", {"class T", "int N"}));
    CHECK(why.why.find("T has no value") != std::string::npos);
    CHECK(why.why.find("sum<float>") != std::string::npos);
    CHECK(why.where.line == 2);
}
