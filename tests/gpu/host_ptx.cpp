// SPDX-License-Identifier: BSL-1.0
// Inline PTX on the CPU: instructions against what C++ says of them, matrices against their layout.
#include <doctest/doctest.h>

#include "support.hpp"
#include "support_host.hpp"
#include "tensor_map_texts.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace support;

TEST_CASE("host PTX: instructions of one thread") {
    trial t{R"(
__global__ void k(unsigned* y, float* z, unsigned a, unsigned b, float f) {
    int k = 0;
#define U(text, ...) asm volatile(text : "=r"(y[k]) : __VA_ARGS__); ++k
    U("add.u32 %0, %1, %2;", "r"(a), "r"(b));
    U("sub.s32 %0, %1, 7;", "r"(b));
    U("lop3.b32 %0, %1, %2, %3, 0xe8;", "r"(a), "r"(b), "n"(255));
    U("prmt.b32 %0, %1, %2, 0x5410;", "r"(a), "r"(b));
    U("prmt.b32 %0, %1, %2, 0xbb99;", "r"(a), "r"(b));
    U("prmt.b32 %0, %1, %2, %3;", "r"(a), "r"(b), "r"(0xffff'7f8bu));
    U("bfe.u32 %0, %1, 4, 8;", "r"(a));
    U("bfe.s32 %0, %1, 28, 8;", "r"(a));
    U("bfi.b32 %0, %1, %2, 4, 8;", "r"(a), "r"(b));
    U("shf.l.wrap.b32 %0, %1, %2, 8;", "r"(a), "r"(b));
    U("shl.b32 %0, %1, 40;", "r"(a));
    U("shr.s32 %0, %1, 40;", "r"(a));
    U("mul.hi.u32 %0, %1, %2;", "r"(a), "r"(b));
    U("mad.lo.s32 %0, %1, %2, -1;", "r"(a), "r"(b));
    U("min.s32 %0, %1, %2;", "r"(a), "r"(b));
    U("{\n\t.reg .pred p, q;\n\tsetp.lt.s32 p|q, %1, %2;\n\tmov.b32 %0, 3;\n\t@q mov.b32 %0, 4;\n\t}", "r"(a), "r"(b));
    U("{ .reg .b64 w; mul.wide.u32 w, %1, %2; { .reg .b32 lo; mov.b64 {lo, %0}, w; } }", "r"(a), "r"(b));
    U("cvt.rn.f16x2.f32 %0, %1, 1.5;", "f"(f));
    U("cvt.rn.bf16x2.f32 %0, %1, 0f40000000;", "f"(f));
    U("cvt.rzi.s32.f32 %0, %1;", "f"(-f));
    U("fma.rn.f16x2 %0, %1, %1, %1;", "r"(0x3c004000u));
    U("mov.u32 %0, %%ntid.x;", "r"(a));
    U("popc.b32 %0, %1;", "r"(a));
    k = 0;
#define F(text, ...) asm volatile(text : "=f"(z[k]) : __VA_ARGS__); ++k
    F("fma.rn.f32 %0, %1, %1, 0f3F800000;", "f"(f));
    F("ex2.approx.ftz.f32 %0, %1;", "f"(f));
    F("tanh.approx.f32 %0, %1;", "f"(f));
    F("max.f32 %0, %1, -2.5;", "f"(f));
    F("{ .reg .f16 h; cvt.rn.f16.f32 h, %1; cvt.f32.f16 %0, h; }", "f"(f));
    F("rcp.approx.f32 %0, %1;", "f"(f));
})",
            {1},
            {1},
            {out<std::uint32_t>(23),
             out<float>(6),
             value(std::uint32_t{0x8765'4321}),
             value(std::uint32_t{0x0f0f'1234}),
             value(3.25F)}};
    auto const got = outputs(shared_host(), t);
    constexpr std::uint32_t a = 0x8765'4321, b = 0x0f0f'1234;
    auto const signed_a = static_cast<std::int32_t>(a);
    std::uint32_t const majority = (a & b) | (a & 255) | (b & 255);
    std::uint64_t const wide = std::uint64_t{a} * b;
    std::vector<std::uint32_t> const expected{a + b,
                                              b - 7,
                                              majority,
                                              (b << 16) | (a & 0xffff),
                                              0xffff'0000,
                                              0x0f00'00ff,
                                              a >> 4 & 255,
                                              0xffff'fff8,
                                              (b & ~0xff0U) | (a & 255) << 4,
                                              b << 8 | a >> 24,
                                              0,
                                              0xffff'ffff,
                                              static_cast<std::uint32_t>(wide >> 32),
                                              a * b - 1,
                                              static_cast<std::uint32_t>(signed_a),
                                              3,
                                              static_cast<std::uint32_t>(wide >> 32),
                                              0x4280'3e00,
                                              0x4050'4000,
                                              static_cast<std::uint32_t>(-3),
                                              0x4000'4600,
                                              1,
                                              static_cast<std::uint32_t>(std::popcount(a))};
    auto const words = numbers<std::uint32_t>(got[0]);
    REQUIRE(words.size() == expected.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
        CAPTURE(i);
        CHECK(words[i] == expected[i]);
    }
    auto const floats = numbers<float>(got[1]);
    std::vector<float> const near{
        3.25F * 3.25F + 1, std::exp2(3.25F), std::tanh(3.25F), 3.25F, 3.25F, 1 / 3.25F};
    for (std::size_t i = 0; i < near.size(); ++i) {
        CAPTURE(i);
        CHECK(floats[i] == doctest::Approx(near[i]).epsilon(0x1p-11)); // tanh.approx
    }
}

TEST_CASE("host PTX: products of matrices in a warp, as their fragments lie") {
    // Row and column of a register's elements, as the instruction's description has them.
    trial t{R"(
#include <cuda_fp16.h>
__global__ void k(float const* a, float const* b, float* c, signed char const* ia, signed char const* ib, int* ic, float* h) {
    int const lane = threadIdx.x, g = lane / 4, q = lane % 4;
    unsigned x[4], y[2];
    float s[4] = {1, 2, 3, 4};
    for (int r = 0; r < 4; ++r) x[r] = __float_as_uint(a[(g + r % 2 * 8) * 8 + q + r / 2 * 4]);
    for (int r = 0; r < 2; ++r) y[r] = __float_as_uint(b[(q + 4 * r) * 8 + g]);
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; ++i) c[(g + i / 2 * 8) * 8 + q * 2 + i % 2] = s[i];
    for (int r = 0; r < 4; ++r) x[r] = *(unsigned const*)(ia + (g + r % 2 * 8) * 32 + q * 4 + r / 2 * 16);
    for (int r = 0; r < 2; ++r) y[r] = *(unsigned const*)(ib + g * 32 + q * 4 + 16 * r);
    int d[4];
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "n"(5));
    for (int i = 0; i < 4; ++i) ic[(g + i / 2 * 8) * 8 + q * 2 + i % 2] = d[i];
    // Two matrices through shared memory: stored as they lie, loaded across.
    __shared__ __align__(16) __half m[16][8];
    unsigned const row = (unsigned)__cvta_generic_to_shared(&m[lane % 16][0]);
    __half2 v = __floats2half2_rn(g * 8 + q * 2, g * 8 + q * 2 + 1), w = __floats2half2_rn(64, 65);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"
                 :: "r"(row), "r"(*(unsigned*)&v), "r"(*(unsigned*)&w) : "memory");
    __syncwarp();
    unsigned z[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(z[0]), "=r"(z[1]) : "r"(row));
    float2 const f = __half22float2(*(__half2*)&z[0]);
    h[g * 8 + q * 2] = f.x, h[g * 8 + q * 2 + 1] = f.y;
    unsigned most, leader, chosen;
    asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=&r"(most) : "r"(lane));
    if (lane < 4) return;
    asm volatile("{ .reg .pred p; elect.sync %0|p, 0xfffffff0; selp.u32 %1, 1, 0, p; }" : "=r"(leader), "=r"(chosen));
    if (chosen) h[64] = most, h[65] = leader;
})",
            {1},
            {32},
            {}};
    std::vector<float> a(16 * 8), b(8 * 8);
    std::vector<std::int8_t> ia(16 * 32), ib(8 * 32);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 13) - 6;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < ia.size(); ++i)
        ia[i] = static_cast<std::int8_t>(i * 37 % 251 - 125);
    for (std::size_t i = 0; i < ib.size(); ++i)
        ib[i] = static_cast<std::int8_t>(i * 53 % 241 - 120);
    t.arguments = {
        in(a), in(b), out<float>(128), in(ia), in(ib), out<std::int32_t>(128), out<float>(66)};
    auto const got = outputs(shared_host(), t);
    auto const c = numbers<float>(got[0]);
    auto const ic = numbers<std::int32_t>(got[1]);
    auto const h = numbers<float>(got[2]);
    for (std::size_t row = 0; row < 16; ++row)
        for (std::size_t column = 0; column < 8; ++column) {
            // The accumulator's element i of a lane began as i + 1.
            float sum = static_cast<float>(1 + column % 2 + 2 * (row / 8));
            std::int32_t whole = 5;
            for (std::size_t k = 0; k < 8; ++k) sum += a[row * 8 + k] * b[k * 8 + column];
            for (std::size_t k = 0; k < 32; ++k) whole += ia[row * 32 + k] * ib[column * 32 + k];
            CAPTURE(row);
            CAPTURE(column);
            CHECK(c[row * 8 + column] == sum);
            CHECK(ic[row * 8 + column] == whole);
            if (row < 8) CHECK(h[row * 8 + column] == static_cast<float>(column * 8 + row));
        }
    CHECK(h[64] == 31);
    CHECK(h[65] == 4);
}

TEST_CASE("host PTX: what a CPU does not run is refused by name, never handed to its assembler") {
    for (
        auto const* const statement :
        {R"(asm volatile("barrier.cluster.arrive.release.aligned;");)",
         R"(asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(n));)",
         R"(asm volatile("add.cc.u32 %0, %1, 1;" : "=r"(n) : "r"(n));)",
         R"(asm volatile("atom.acquire.gpu.global.add.u32 %0, [%1], 1;" : "=r"(n) : "l"(y));)",
         R"(asm volatile("syscall;");)",
         R"(asm volatile("add.u32 %0, %1, 1;" : "=r"(n) : "r"([]{ asm("syscall;"); return 1; }()));)",
         R"(register long r asm("rax") = 1;)"}) {
        CAPTURE(statement);
        trial t{"__global__ void k(unsigned* y, int n) { " + std::string(statement) +
                    " y[0] = n; }",
                {1},
                {1},
                {out<std::uint32_t>(1), value(std::int32_t{1})}};
        auto const no = failure_of<lkt::refused>(shared_host(), t);
        CHECK_FALSE(no.what.empty());
        CHECK(no.why.find("(inline PTX on a CPU)") != std::string::npos);
    }
}

TEST_CASE("host PTX: branches, flags, atomics and transposed matrices") {
    trial t{R"(
__global__ void k(unsigned* y, int n) {
    // Two of one name: a label is that of its statement.
    asm volatile("{ .reg .pred p; L: add.s32 %0, %0, -3; setp.gt.s32 p, %0, 0; @p bra L; }" : "+r"(n));
    asm volatile("{ .reg .pred p; L: add.s32 %0, %0, 5; setp.lt.s32 p, %0, 9; @!p bra M; bra.uni L; M: }" : "+r"(n));
    if (threadIdx.x == 0) {
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" :: "l"(y), "r"(n) : "memory");
        asm volatile("st.release.gpu.global.u32 [%0], 1;" :: "l"(y + 1) : "memory");
        asm volatile("red.global.add.u32 [%0], 4;" :: "l"(y) : "memory");
    }
    unsigned seen;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(y + 1) : "memory");
    while (threadIdx.x == 0 && seen == 0);
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y[2 + threadIdx.x]) : "r"(threadIdx.x * 2 | (threadIdx.x * 2 + 1) << 16));
})",
            {1},
            {32},
            {inout(std::vector<std::uint32_t>(34)), value(std::int32_t{10})}};
    auto const got = numbers<std::uint32_t>(outputs(shared_host(), t)[0]);
    CHECK(got[0] == 17); // 10 - 12 + 15 + 4
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        auto const row = lane / 4, column = lane % 4 * 2;
        CHECK(got[2 + lane] == ((column * 8 + row) | (column * 8 + 8 + row) << 16));
    }
}

TEST_CASE("host PTX: tiles of tensor maps, with what lies outside, and where there is no map") {
    std::vector<std::uint16_t> square(4096);
    for (std::size_t i = 0; i < square.size(); ++i) square[i] = static_cast<std::uint16_t>(i);
    trial const all{tensor_map_texts::swizzled, {1}, {64}, {in(square), out<std::uint16_t>(4096)}};
    CHECK(numbers<std::uint16_t>(outputs(shared_host(), all)[0]) == square);
    for (std::int32_t const columns : {44, 45}) {
        CAPTURE(columns);
        auto const a = random_floats(static_cast<std::size_t>(11 * columns), 7);
        trial t{tensor_map_texts::doubled,
                {2, 2},
                {32},
                {in(a), out<float>(a.size()), value(std::int32_t{11}), value(columns)}};
        t.definitions.values = {{"BK", std::int64_t{32}}};
        t.checked = true;
        auto const b = numbers<float>(outputs(shared_host(), t)[0]);
        for (std::size_t i = 0; i < a.size(); ++i) CHECK(b[i] == 2 * a[i]);
    }
}
