// SPDX-License-Identifier: BSL-1.0
#include <lkt/verify/hidden_state.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

TEST_CASE("hidden state: variables that the original has not are refused") {
    auto const why = lkt::hidden_state(0, 8);
    REQUIRE(why.has_value());
    CHECK(lkt::verdict_of(*why) == lkt::verdict::stateful);
    CHECK(lkt::describe(*why).find("8 B") != std::string::npos);
    CHECK(!lkt::hidden_state(0, 0));
    CHECK(!lkt::hidden_state(4, 8)); // the original keeps some, too
}

TEST_CASE("hidden state: what is unknown, or allowed, is left alone") {
    CHECK(!lkt::hidden_state({}, 8));
    CHECK(!lkt::hidden_state(0, {}));
    lkt::static_policy lenient;
    lenient.state = lkt::static_severity::warning;
    CHECK(!lkt::hidden_state(0, 8, lenient));
}

TEST_CASE("hidden state: what the text declares constant is none, though a compiler keeps it") {
    // Names as NVRTC mangles them.
    auto const bytes = [](std::string const& text, std::vector<lkt::kept_variable> zeroed) {
        lkt::compiled_kernel k;
        k.writable_bytes = 0;
        for (auto const& v : zeroed) *k.writable_bytes += v.bytes;
        k.zeroed = std::move(zeroed);
        return lkt::state_bytes(k, {lkt::language::cuda, text, {}}).value();
    };
    CHECK(bytes("constexpr int padding = 0;", {{"padding", 4}}) == 0);
    CHECK(bytes("const int padding = 0;", {{"padding", 4}}) == 0);
    CHECK(bytes("constexpr float const* none = nullptr;", {{"none", 8}}) == 0);
    CHECK(bytes("constexpr int a = 0, b = 0;", {{"a", 4}, {"b", 4}}) == 0);
    CHECK(bytes("namespace mine { namespace { constexpr int padding = 0; } }",
                {{"_ZN32_INTERNAL_00000000_4_k_cu__Z1kPi4mine34_GLOBAL__N__00000000_4_k_cu__"
                  "Z1kPi7paddingE",
                  4}}) == 0);
    CHECK(bytes("struct traits { static constexpr int padding = 0; };",
                {{"_ZN6traits7paddingE", 4}}) == 0);
    CHECK(bytes("template <int N> struct traits { static constexpr int padding = N; };",
                {{"_ZN6traitsILi0EE7paddingE", 4}}) == 0);
    CHECK(bytes("__global__ void k(int* p) { static const int table[2] = {0, 0}; *p = table[*p]; }",
                {{"_ZZ1kPiE5table", 8}}) == 0);
    CHECK(bytes("#if N\nconstexpr int padding = N;\n#else\nconstexpr int padding = 0;\n#endif",
                {{"padding", 4}}) == 0);

    CHECK(bytes("int kept;", {{"kept", 4}}) == 4);
    CHECK(bytes("", {{"kept", 4}}) == 4);
    CHECK(bytes("int const* kept = nullptr;", {{"kept", 8}}) == 8);
    CHECK(bytes("constexpr int padding = 0;", {{"_ZN4mine7paddinE", 4}}) == 4);
    CHECK(bytes("constexpr int padding = 0;", {{"padding", 4}, {"kept", 4}}) == 4);
    // Written in spite of that.
    for (char const* const use : {"*const_cast<int*>(&n) = 1;",
                                  "(int&)n = 1;",
                                  "*(int*)&n = 1;",
                                  "*(int*)(&n) = 1;",
                                  "++*(int*)(&(n));"})
        CHECK(bytes(std::string("constexpr int n = 0; __global__ void k() { ") + use + " }",
                    {{"n", 4}}) == 4);
    CHECK(bytes("constexpr int n = 0; __global__ void k(float* p) { *p = (float)n * (*p) + (n); }",
                {{"n", 4}}) == 0);
    CHECK(bytes("struct s { mutable int n; }; constexpr s kept = {0};", {{"kept", 4}}) == 4);
    CHECK(bytes("constexpr int pad = 0; namespace mine { template <class T> T x3pad; }",
                {{"_ZN4mine5x3padE", 4}}) == 4);
    // One name, which is a variable somewhere.
    CHECK(bytes("constexpr int n = 0; namespace mine { __device__ int n; }",
                {{"n", 4}, {"_ZN4mine1nE", 4}}) == 8);
}
