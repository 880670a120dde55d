// SPDX-License-Identifier: BSL-1.0
// Constant memory that the host fills is an argument behind the parameters.
#include <lkt/lang/find_kernel.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

lkt::result<lkt::signature> read(std::string const& before,
                                 std::string const& body = "y[0] = c[0];") {
    return lkt::find_kernel({lkt::language::cuda,
                             before + "\n__global__ void k(float* y, int n) { " + body + " }\n",
                             "test.cu"});
}
/// The constants: `name:type[count]`.
std::string shown(std::string const& before, std::string const& body = "y[0] = c[0];") {
    auto const s = read(before, body);
    if (!s) return s.error().code + ": " + s.error().message;
    std::string all;
    for (std::size_t i = 2; i < s->arguments.size(); ++i) {
        lkt::argument const& a = s->arguments[i];
        CHECK(a.pointer);
        CHECK(a.is_const);
        CHECK(a.flow == lkt::direction::in);
        all += (all.empty() ? "" : " ") + a.name + ":" + to_string(a.type) + "[" +
               std::to_string(a.constant_count) + "]";
    }
    return all;
}

} // namespace

TEST_CASE("constant memory without an initializer is an argument") {
    CHECK(shown("__constant__ float c[17];") == "c:float32[17]");
    CHECK(shown("__constant__ float4 c[3][5];") == "c:float32x4[15]");
    CHECK(shown("__constant__ int c;") == "c:int32[1]");
    CHECK(shown("static __constant__ float c[17];") == "c:float32[17]");
    CHECK(shown("__device__ __constant__ float c[17];") == "c:float32[17]");
    CHECK(shown("__constant__ __align__(16) float c[17];") == "c:float32[17]");
    CHECK(shown("extern \"C\" { __constant__ float c[17]; }") == "c:float32[17]");
    CHECK(shown("#define N 4\n__constant__ float c[N * N];") == "c:float32[16]");
    CHECK(shown("#ifndef N\n#define N 4\n#endif\n__constant__ float c[N];") == "c:float32[4]");
    CHECK(shown("constexpr int r = 2;\n__constant__ float c[2 * r + 1];") == "c:float32[5]");
    CHECK(shown("typedef float real;\n__constant__ real c[2];") == "c:float32[2]");
    CHECK(shown("namespace n { __constant__ float c[2]; }") == "n::c:float32[2]");
    // In the order of their names.
    CHECK(shown("__constant__ float z[2]; __constant__ int c[3];") == "c:int32[3] z:float32[2]");
}

TEST_CASE("constant memory that the text fills is none") {
    CHECK(shown("__constant__ float c[2] = {1, 2};") == "");
    CHECK(shown("__constant__ float c[2]{1, 2};") == "");
    CHECK(shown("") == "");
}

TEST_CASE("a constant that has the name of a parameter") {
    CHECK(shown("__constant__ float n[17];") == "::n:float32[17]");
}

TEST_CASE("it is no parameter, and printed behind them") {
    auto const s = read("__constant__ float c[2 * 8 + 1];").value();
    CHECK(to_string(s) == "void k(float* y, int n); __constant__ float c[2 * 8 + 1]");
}

TEST_CASE("constant memory of unknown length or kind is refused where it is used") {
    auto const refused = [](std::string const& before) {
        auto const s = read(before);
        REQUIRE(s.has_error());
        CHECK(s.error().code == "lkt.kernel.constant");
        CHECK(s.error().hint.find("give it an initializer") != std::string::npos);
        return s.error().message;
    };
    CHECK(refused("__constant__ float c[N];") ==
          "test.cu:1: the constant memory `__constant__ float c[N]` has a length that lkt cannot "
          "determine");
    CHECK(refused("__constant__ float* c;").find("is a pointer") != std::string::npos);
    CHECK(refused("struct p { int n; };\n__constant__ p c;").find("is a structure") !=
          std::string::npos);
    CHECK(refused("extern __constant__ float c[2];").find("elsewhere") != std::string::npos);
    CHECK(refused("__constant__ float a[2], c[2];").find("together") != std::string::npos);
    CHECK(refused("__constant__ double c[8193];").find("more bytes") != std::string::npos);
    CHECK(refused("__constant__ float c[1 << 31][1 << 31];").find("more bytes") !=
          std::string::npos);
    // What nobody reads may be what it likes.
    CHECK(shown("__constant__ float* c;", "y[0] = 1;") == "");
    CHECK(shown("#if X\n__constant__ float c[2];\n#else\n__constant__ float c[2];\n#endif") ==
          "c:float32[2]");
    CHECK(read("#if X\n__constant__ float c[2];\n#else\n__constant__ float c[3];\n#endif")
              .error()
              .message.find("two different declarations") != std::string::npos);
}

TEST_CASE("a candidate declares the same constants, in any order") {
    auto const reference = read("__constant__ float c[2]; __constant__ int d[1];").value();
    auto const same = [&](std::string const& text, std::string const& body = "y[0] = c[0];") {
        return !compare_signatures(reference, read(text, body).value());
    };
    CHECK(same("__constant__ int d[1]; __constant__ float c[2];"));
    CHECK(same("__constant__ int d[1]; __constant__ float c[2];", "y[0] = 1;"));
    CHECK_FALSE(same("__constant__ float c[2];"));
    CHECK_FALSE(same("__constant__ float c[3]; __constant__ int d[1];"));
    CHECK_FALSE(same("__constant__ float c[2]; __constant__ int e[1];"));
    CHECK_FALSE(same("__constant__ float c[2]; __constant__ float d[1];"));
    CHECK_FALSE(same("__constant__ float c[2]; __constant__ int d[1]; __constant__ int e[1];"));
    auto const wrong = compare_signatures(reference, read("__constant__ float c[2];").value());
    REQUIRE(wrong.has_value());
    CHECK(wrong->expected ==
          "void k(float* y, int n); __constant__ float c[2]; __constant__ int d[1]");
}
