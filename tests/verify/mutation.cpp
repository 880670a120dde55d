// SPDX-License-Identifier: BSL-1.0
// The mutation engine itself: what it makes of a kernel. That its mutants are killed is tested in
// tests/tuner/mutants.cpp, and measured by benchmarks/verify/mutants.cpp.
#include "../support/mutation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view row_sums = R"(// i < 7 in a comment
__global__ void rowsum(float const* x, float* sums, int rows, int cols) {
    __shared__ float part[128];
    int const t = threadIdx.x;
    if (blockIdx.x >= rows || t > 127) return;
    float sum = 0.0f;
    for (int i = t; i < cols; i += 128) sum += x[blockIdx.x * cols + i];
    part[t] = sum;
    __syncthreads();
    if (t == 0)
        for (int i = 1; i < 128; ++i) part[0] += part[i];
    if (t == 0) sums[blockIdx.x] = part[0];
}
)";

bool has(std::vector<mutation::mutant> const& all,
         std::string_view operation,
         std::string_view was,
         std::string_view is) {
    return std::any_of(all.begin(), all.end(), [&](mutation::mutant const& m) {
        return m.operation == operation && m.was == was && m.is == is;
    });
}

} // namespace

TEST_CASE("each kind of mistake is made once wherever it can be") {
    auto const all = mutation::mutants_of(row_sums);
    CHECK(has(all, "drop a barrier", "__syncthreads();", ";"));
    CHECK(has(all, "shrink the grid", "blockIdx.x", "(blockIdx.x / 2)"));
    CHECK(has(all, "change a constant", "128", "(128 + 1)"));
    CHECK(has(all, "truncate a loop", "cols", "cols - 1"));
    CHECK(has(all, "step over", "++i", "i += 2"));
    CHECK(has(all, "start later", "t", "1 + t"));
    CHECK(has(all, "change an operator", "+=", "-="));
    CHECK(has(all, "change an operator", "<", "<="));
    CHECK(has(all, "change an operator", "||", "&&"));
    CHECK(has(all, "swap x and y", "x", "y"));
    CHECK(has(all, "negate a condition", "t == 0", "!(t == 0)"));
    CHECK(has(all, "drop a guard", "if (blockIdx.x >= rows || t > 127) return;", ";"));
    CHECK(has(all, "drop half of a guard", "blockIdx.x >= rows || t > 127", "t > 127"));
    CHECK(has(all, "drop a statement", "part[t] = sum;", ";"));
    CHECK(has(all, "drop an accumulation", "part[0] += part[i];", ";"));
    CHECK(has(all, "swap two indices", "[blockIdx.x * cols + i]", "[cols * blockIdx.x + i]") ==
          false); // a member of blockIdx is no index
    CHECK(has(all, "change a type", "float", "int"));
    CHECK(has(all,
              "round to half",
              "x[blockIdx.x * cols + i]",
              "__half2float(__float2half(x[blockIdx.x * cols + i]))"));
    CHECK(all.size() > 50);
}

TEST_CASE("a mutant differs from its kernel in one place, and from every other mutant") {
    auto const all = mutation::mutants_of(row_sums);
    std::map<std::string, int> texts;
    for (auto const& m : all) {
        ++texts[m.text];
        CHECK(m.text != row_sums);
        CHECK(m.line >= 3); // neither the comment nor the parameters
        CHECK(m.text.find("// i < 7 in a comment") != std::string::npos);
        CHECK(m.text.find("rowsum(float const* x, float* sums, int rows, int cols)") !=
              std::string::npos);
    }
    CHECK(texts.size() == all.size());
}

TEST_CASE("a shared array is not enlarged, which would change nothing") {
    auto const all = mutation::mutants_of("void f() { __shared__ float part[16][17]; }");
    REQUIRE(all.size() == 2);
    CHECK(all[0].is == "16 - 1");
    CHECK(all[1].is == "17 - 1");
}

TEST_CASE("indices are swapped where that makes a difference") {
    auto const all = mutation::mutants_of("void f(float* c) { c[row * n + i] = c[t + half]; }");
    CHECK(has(all, "swap two indices", "[row * n + i]", "[i * n + row]"));
    CHECK(!has(all, "swap two indices", "[t + half]", "[half + t]"));
}

TEST_CASE("only floats are rounded") {
    auto const all =
        mutation::mutants_of("void f(int* c, float* x, int n) { c[0] = c[n] + x[n]; }");
    CHECK(has(all, "round to half", "x[n]", "__half2float(__float2half(x[n]))"));
    CHECK(!has(all, "round to half", "c[n]", "__half2float(__float2half(c[n]))"));
}

TEST_CASE("a text without a body, or that cannot be read, has no mutants") {
    CHECK(mutation::mutants_of("").empty());
    CHECK(mutation::mutants_of("int const n = 5;").empty());
    CHECK(mutation::mutants_of("void f() { /* never ends").empty());
}
