// SPDX-License-Identifier: BSL-1.0
#include <lkt/kernel/signature.hpp>
#include <lkt/lang/find_kernel.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("signatures compare by all that they hold") {
    lkt::signature const a{
        "k", {{"x", {}, true, false, false, lkt::direction::out, "float* x"}}, {}, 3};
    lkt::signature b = a;
    CHECK(a == b);
    b.arguments[0].flow = lkt::direction::inout;
    CHECK_FALSE(a == b);
}

TEST_CASE("comparing signatures") {
    auto const s = [](std::string const& text) {
        return lkt::find_kernel({lkt::language::cuda, text, {}}).value();
    };
    auto const original = s("__global__ void k(float const* a, float* b, int n) { b[n] = a[n]; }");
    CHECK_FALSE(compare_signatures(original, original));
    CHECK_FALSE(compare_signatures(
        original, s("__global__ void k(float* __restrict__ x, float* y, const int z) {}")));
    for (char const* other : {"__global__ void l(float const* a, float* b, int n) {}",
                              "__global__ void k(float const* a, float* b) {}",
                              "__global__ void k(float const* a, float* b, unsigned n) {}",
                              "__global__ void k(float const* a, double* b, int n) {}",
                              "__global__ void k(float const* a, float4* b, int n) {}",
                              "__global__ void k(float const a, float* b, int n) {}",
                              "__global__ void k(float const* a, const float* b, int n) {}"}) {
        CAPTURE(other);
        auto const wrong = compare_signatures(original, s(other));
        REQUIRE(wrong.has_value());
        CHECK(wrong->expected == "void k(float const* a, float* b, int n)");
        CHECK(wrong->got == "void" + std::string(other).substr(15, std::string(other).size() - 18));
    }
}

TEST_CASE("the same arguments: types and places count, names and directions do not") {
    lkt::argument one{"x", {}, true, false, false, lkt::direction::out, "float* x"};
    auto const with = [](lkt::argument const& a) { return lkt::signature{"k", {a}, {}, 1}; };
    lkt::argument other = one;
    other.name = "y";
    other.flow = lkt::direction::inout;
    CHECK(same_arguments(with(one), with(other)));
    CHECK_FALSE(same_arguments(with(one), {"k", {}, {}, 1}));
    other.within = lkt::record_member{"r", 4, 8};
    CHECK_FALSE(same_arguments(with(one), with(other)));
    other = one;
    other.pointer = false;
    CHECK_FALSE(same_arguments(with(one), with(other)));
}
