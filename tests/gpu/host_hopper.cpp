// SPDX-License-Identifier: BSL-1.0
// What runs beside the threads on Hopper, on the CPU: mbarriers, copies, tensor maps, wgmma; and
// the mistakes that are made with them.
#include <doctest/doctest.h>

#include "support.hpp"
#include "support_host.hpp"
#include "tensor_map_texts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace support;

namespace {

/// `%0, %1, ...`, or the same with what is around a number.
std::string listed(int n, std::string const& before, std::string const& behind = "") {
    std::string text;
    for (int k = 0; k < n; ++k) text += (k > 0 ? ", " : "") + before + std::to_string(k) + behind;
    return text;
}

/// C (M x 64, floats) is A (M x K) times B (K x 64): one producer's warp, one warpgroup that
/// multiplies, two stages. B lies by rows, so it is transposed. `how`: 1 multiplies A by 2 in
/// shared memory, 2 has it from registers.
std::string const product = R"(
// lkt: tensor_map A_map = A[M][K], box [64][64], swizzle 128B
// lkt: tensor_map B_map = B[K][64], box [64][64], swizzle 128B
#include <cuda_fp16.h>
)" + tensor_map_texts::waiting +
                            R"(
__device__ __forceinline__ void wait_of(unsigned bar, unsigned parity) { // with branches
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@p bra DONE;\nbra AGAIN;\nDONE:\n}" :: "r"(bar), "r"(parity) : "memory");
}
__device__ __forceinline__ void arrive(unsigned bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(bar) : "memory");
}
__device__ __forceinline__ unsigned long long descriptor(unsigned at, unsigned leading) {
    return ((unsigned long long)(at >> 4) & 0x3fff) | (unsigned long long)(leading >> 4) << 16 |
           64ull << 32 | 1ull << 62;
}
__device__ __forceinline__ void multiply(float (&d)[32], unsigned long long a, unsigned long long b, int add) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {)" +
                            listed(32, "%") + R"(}, %32, %33, p, 1, 1, 0, 1;\n}"
                 : )" + listed(32, "\"+f\"(d[", "])") +
                            R"( : "l"(a), "l"(b), "r"(add));
}
__device__ __forceinline__ void multiply(float (&d)[32], unsigned const* a, unsigned long long b, int add) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {)" +
                            listed(32, "%") + R"(}, {%32, %33, %34, %35}, %36, p, 1, 1, 1;\n}"
                 : )" + listed(32, "\"+f\"(d[", "])") +
                            R"( : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));
}
__global__ void product(__half const* A, __half const* B, float* C, int M, int K, int how, int mistake,
                        const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map) {
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ __align__(8) unsigned long long bars[4];
    unsigned const full = place(bars), empty = place(bars + 2), base = place(tiles);
    int const steps = (K + 63) / 64, row = blockIdx.x * 64, t = threadIdx.x;
    if (t == 0 && mistake != 1)
        for (int s = 0; s < 2; ++s) { begin(full + 8 * s); begin(empty + 8 * s); }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    if (mistake != 2) __syncthreads();
    if (t >= 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (t == 128)
            for (int i = 0; i < steps; ++i) {
                unsigned const bar = full + 8 * (i % 2), to = base + 16384 * (i % 2) + (mistake == 3 ? 64 : 0);
                if (mistake != 4) wait(empty + 8 * (i % 2), i / 2 % 2 ^ 1);
                expect(bar, mistake == 5 ? 16384 + 16 : mistake == 6 ? 8192 : 16384);
                tile_of(A_map, to, bar, i * 64, row);
                tile_of(B_map, to + 8192, bar, 0, i * 64);
            }
        return;
    }
    float d[32];
    for (int i = 0; i < steps; ++i) {
        unsigned const a = base + 16384 * (i % 2), b = a + 8192;
        if (mistake != 7) wait_of(full + 8 * (i % 2), mistake == 8 ? i / 2 % 2 ^ 1 : i / 2 % 2);
        unsigned parts[4][4];
        __half2* const mine = (__half2*)(tiles + 16384 * (i % 2));
        if (how == 1) for (int k = t; k < 2048; k += 128) mine[k] = __hadd2(mine[k], mine[k]);
        if (how == 1 && mistake != 9) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        if (how == 1 && mistake != 10) asm volatile("bar.sync 1, 128;" ::: "memory");
        for (int s = 0; how == 2 && s < 4; ++s)
            for (int k = 0; k < 4; ++k) {
                int const r = t / 32 * 16 + t % 32 / 4 + k % 2 * 8, c = s * 16 + t % 4 * 2 + k / 2 * 8;
                parts[s][k] = *(unsigned*)(mine + r * 32 + (c / 8 ^ r % 8) * 4 + c % 8 / 2);
            }
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int s = 0; s < 4; ++s) {
            unsigned long long const right = descriptor(b + 2048 * s + (mistake == 11 ? 1024 : 0), 8192);
            if (how == 2) multiply(d, parts[s], right, i + s);
            else multiply(d, descriptor(a + 32 * s, 16), right, i + s);
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (t == 0 && mistake == 12) arrive(empty + 8 * (i % 2));
        if (mistake != 13) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        asm volatile("bar.sync 2, 128;" ::: "memory");
        if (t == 0 && mistake != 12) arrive(empty + 8 * (i % 2));
    }
    for (int i = 0; i < 32; ++i) {
        int const r = row + t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
        if (r < M) C[r * 64 + i / 4 * 8 + t % 4 * 2 + i % 2] = d[i];
    }
}
)";

constexpr int rows = 70, depth = 200;

std::uint16_t half_of(int k) { // of -8 to 7
    auto const magnitude = static_cast<unsigned>(k < 0 ? -k : k);
    if (magnitude == 0) return 0;
    unsigned power = 0;
    while (magnitude >> (power + 1) != 0) ++power;
    return static_cast<std::uint16_t>((k < 0 ? 0x8000U : 0U) | (15 + power) << 10 |
                                      (magnitude << (10 - power) & 0x3ff));
}
int a_at(int r, int k) { return (r * 7 + k * 3) % 16 - 8; }
int b_at(int k, int c) { return (k * 5 + c * 11) % 13 - 6; }

trial product_with(int how, int mistake) {
    std::vector<std::uint16_t> a, b;
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < depth; ++k) a.push_back(half_of(a_at(r, k)));
    for (int k = 0; k < depth; ++k)
        for (int c = 0; c < 64; ++c) b.push_back(half_of(b_at(k, c)));
    trial t{product,
            {2},
            {160},
            {in(a),
             in(b),
             out<float>(rows * 64),
             value(std::int32_t{rows}),
             value(std::int32_t{depth}),
             value(std::int32_t{how}),
             value(std::int32_t{mistake})}};
    t.shared = 2 * 16384;
    t.checked = true;
    return t;
}

/// Of the elements of C, those that are wrong.
int wrong_in(std::vector<float> const& c, int scale) {
    int wrong = 0;
    for (int r = 0; r < rows; ++r)
        for (int n = 0; n < 64; ++n) {
            int sum = 0;
            for (int k = 0; k < depth; ++k) sum += scale * a_at(r, k) * b_at(k, n);
            wrong += c[static_cast<std::size_t>(r * 64 + n)] != static_cast<float>(sum) ? 1 : 0;
        }
    return wrong;
}

} // namespace

TEST_CASE("host Hopper: a product by tensor maps, mbarriers and wgmma, and each mistake is found") {
    auto const compiled = shared_host().compile(compile_request_of(product_with(0, 0)), {});
    REQUIRE(compiled);
    REQUIRE(std::holds_alternative<lkt::compiled_kernel>(*compiled));
    auto const& kernel = std::get<lkt::compiled_kernel>(*compiled);
    for (int const how : {0, 1, 2}) {
        CAPTURE(how);
        auto const t = product_with(how, 0);
        auto const report = request_over(t).run(shared_host(), kernel);
        CHECK(wrong_in(numbers<float>(report.kept.at(0).outputs[0]), how == 1 ? 2 : 1) == 0);
    }
    for (auto const& [mistake, what] : std::vector<std::pair<int, std::string>>{
             {1, "an mbarrier is used that nobody has initialised"}, // it is not
             {2, "an mbarrier is used that nobody has initialised"}, // nobody waits for that
             {3, "the address of a tile in shared memory is no multiple of 128"},
             {4, "more threads arrive at an mbarrier than it waits for"}, // a stage is used anew
             {5, "where an mbarrier lacks 16 bytes of copies"},           // too many are expected
             {6, "is something read that was not written"},               // too few are
             {7, "more threads arrive at an mbarrier than it waits for"}, // nobody waits for copies
             {8, "more threads arrive at an mbarrier than it waits for"}, // the other parity
             {9, "is a fence.proxy.async missing"},
             {10, "read by a bulk copy or a wgmma of thread"},  // a barrier is missing
             {11, "after dynamic shared memory"},               // a descriptor is off
             {12, "and written by a bulk copy or a wgmma"},     // a stage is given back too early
             {13, "is something read that was not written"}}) { // sums are read too early
        CAPTURE(mistake);
        auto const t = product_with(mistake == 9 || mistake == 10 ? 1 : 0, mistake);
        auto const outcome = run_compiled(shared_host(), kernel, t);
        auto const* const no = std::get_if<lkt::failure>(&outcome);
        auto const said = no != nullptr ? lkt::describe(*no) : "it ran";
        CAPTURE(said);
        CHECK(said.find(what) != std::string::npos);
    }
}
