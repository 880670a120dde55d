// SPDX-License-Identifier: BSL-1.0
// Tensor maps are parameters that are no arguments.
#include <lkt/lang/find_kernel.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

lkt::kernel_source source(std::string const& lines, std::string const& parameters) {
    return {lkt::language::cuda,
            lines + "__global__ void k(" + parameters + ") { B[0] = A[0]; }\n",
            "test.cu"};
}
std::string fault_in(std::string const& lines, std::string const& parameters) {
    auto const s = lkt::find_kernel(source(lines, parameters));
    if (s) return {};
    CHECK(s.error().code == "lkt.kernel.tensor-map");
    return s.error().message;
}
bool has(std::string const& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}
std::string const line = "// lkt: tensor_map m = A[n], box [64]\n";
std::string const plain = "float const* A, float* B, int n";
std::string const map = "const __grid_constant__ CUtensorMap m";

} // namespace

TEST_CASE("a tensor map is described by a line, and may stand anywhere among the parameters") {
    auto const original = lkt::find_kernel(source("", plain)).value();
    for (auto const& [parameters, place] :
         {std::pair(plain + ", " + map, 3U),
          std::pair(map + ", " + plain, 0U),
          std::pair(std::string("float const* A, __grid_constant__ CUtensorMap const m, "
                                "float* B, int n"),
                    1U)}) {
        CAPTURE(parameters);
        auto const s = lkt::find_kernel(source("  " + line + "\n", parameters)).value();
        CHECK(s.arguments == original.arguments);
        REQUIRE(s.tensor_maps.size() == 1);
        CHECK(s.tensor_maps[0].parameter == place);
        CHECK(s.tensor_maps[0].buffer == "A");
        CHECK(same_arguments(original, s));
        CHECK_FALSE(compare_signatures(original, s));
    }
    auto const s = lkt::find_kernel(source(line, map + ", " + plain)).value();
    CHECK(to_string(s) == "void k(" + map + ", float const* A, float* B, int n)");
    // Who asks for the original's is not asked for the candidate's.
    CHECK_FALSE(check_signature(original, source(line, plain + ", " + map)));
    CHECK_FALSE(check_signature(s, source("", plain)));
}

TEST_CASE("what is wrong with a tensor map is what the author of a kernel reads") {
    auto const original = lkt::find_kernel(source("", plain)).value();
    auto const wrong = check_signature(original, source("", plain + ", " + map));
    REQUIRE(wrong.has_value());
    CHECK(has(wrong->got,
              "the tensor map `m` is described nowhere; add a line `// lkt: tensor_map "
              "m = A[M][K], box [64][64]`"));
    CHECK(has(fault_in(line, plain), "line 1: the tensor map `m` is no parameter of a kernel"));
    CHECK(has(fault_in(line + line, plain + ", " + map),
              "line 2: the tensor map `m` is described "
              "twice"));
    CHECK(has(fault_in(line, plain + ", " + map + ", " + map), "`m` is there twice"));
    for (char const* other : {"CUtensorMap m",
                              "const CUtensorMap m",
                              "CUtensorMap const* m",
                              "CUtensorMap const& m",
                              "__grid_constant__ CUtensorMap m"})
        CHECK(has(fault_in(line, plain + ", " + other),
                  "`m` is not declared as `const __grid_constant__ CUtensorMap NAME`"));
    CHECK(has(fault_in("// lkt: tensormap m\n", plain), "`// lkt:` is followed by `tensor_map`"));
    CHECK(has(fault_in("// lkt: tensor_map m = A[n]\n", plain + ", " + map), "the box is missing"));
    auto const of = [&](std::string const& described) {
        return fault_in("// lkt: tensor_map m = " + described + "\n", plain + ", " + map);
    };
    CHECK(has(of("C[n], box [64]"), "its buffer `C` is not a pointer among the parameters"));
    CHECK(has(of("n[n], box [64]"), "its buffer `n` is not a pointer"));
    CHECK(has(of("B[n], box [64]"), "its buffer `B` is not only read"));
    CHECK(has(of("A[A], box [64]"), "`A` in `A` is not a whole number"));
    CHECK(of("A[TILES * 64], box [TILE]").empty()); // tunable parameters are not known here
}

TEST_CASE("a type of the text that is called CUtensorMap is that") {
    auto const s =
        lkt::find_kernel(source("struct CUtensorMap { int a; };\n", plain + ", CUtensorMap m"));
    REQUIRE(s.has_value());
    CHECK(s->tensor_maps.empty());
    CHECK(s->arguments.size() == 4);
}
