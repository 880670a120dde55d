// SPDX-License-Identifier: BSL-1.0
#include <lkt/lang/similarity.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {
std::string const text = "__global__ void f(float* x, int n) {\n"
                         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "    if (i < n) x[i] = 2 * x[i];\n"
                         "}\n";
} // namespace

TEST_CASE("Comments and white space make no other kernel, a token does") {
    std::string const spaced = "// faster\n__global__ void f ( float *x, int n )\n{ int i = "
                               "blockIdx.x*blockDim.x+threadIdx.x; /* guard */ if (i<n) "
                               "x[i]=2*x[i]; }";
    CHECK(lkt::same_tokens(text, spaced));
    CHECK(lkt::similarity(text, spaced) == 1);
    std::string other = text;
    other.replace(other.find("2 *"), 1, "3");
    CHECK_FALSE(lkt::same_tokens(text, other));
    double const near = lkt::similarity(text, other);
    CHECK(near > 0.85);
    CHECK(near < 1);
    CHECK(lkt::similarity(other, text) == near);
}

TEST_CASE("Where a line ends matters in directives alone") {
    CHECK_FALSE(lkt::same_tokens("#define A b\nc", "#define A b c"));
    CHECK_FALSE(lkt::same_tokens("#define A\n#define B", "#define A #define B"));
    CHECK(lkt::same_tokens("int a; int b;", "int a;\nint b;"));
}

TEST_CASE("Texts with nothing in common, empty ones and ones that are no text") {
    CHECK(lkt::similarity("a b c", "x y z") < 0.5);
    CHECK(lkt::similarity("a", "") < 0.5);
    CHECK(lkt::similarity("", "") == 1);
    CHECK(lkt::similarity("/* never ends", "/* never ends") == 1);
    CHECK(lkt::similarity("/* never ends", "/* never end") == 0);
    // The order counts, not only the words.
    CHECK(lkt::similarity("a b c d e f g h", "h g f e d c b a") < 0.5);
}
