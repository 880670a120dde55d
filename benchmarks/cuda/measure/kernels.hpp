// SPDX-License-Identifier: BSL-1.0
// The launches that measure.cpp times: kernels of kernels.cuh, with sizes. Both sides of the
// comparison make the same contents from this table, each in its own process.
#pragma once

#include <lkt/kernel/argument.hpp>
#include <lkt/kernel/launch_dimensions.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace measure {

struct trial_buffer {
    lkt::direction flow = lkt::direction::out;
    std::size_t words = 0; ///< of four bytes
    bool whole = false;    ///< whole numbers, else floats from 0 to 1
};

struct trial_kernel {
    char const* name = ""; ///< for the table
    char const* entry = "";
    lkt::launch_dimensions dimensions{};
    std::vector<trial_buffer> buffers{};
    std::vector<int> values{}; ///< the arguments after the buffers
};

/// Bytes of a buffer; the same for the same buffer of the same kernel.
inline void fill(std::byte* to, trial_buffer const& b, std::uint64_t seed) {
    for (std::size_t i = 0; i < b.words; ++i) {
        std::uint64_t x = (seed << 40) + i;
        x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
        auto const word = static_cast<std::uint32_t>((x ^ (x >> 29)) >> 8);
        if (b.whole) {
            std::memcpy(to + 4 * i, &word, 4);
        } else {
            float const f = static_cast<float>(word >> 8) * 0x1p-24f;
            std::memcpy(to + 4 * i, &f, 4);
        }
    }
}

inline std::vector<trial_kernel> const& kernels() {
    using lkt::dim3;
    constexpr auto in = lkt::direction::in, out = lkt::direction::out, both = lkt::direction::inout;
    // A grid that fills a device of 132 multiprocessors once, and one that goes over it twice.
    constexpr dim3 once{1056}, twice{2112}, line{256};
    constexpr std::size_t threads = 1056 * 256, mega = 1 << 20;
    auto const stream = [&](char const* name, char const* entry, std::size_t n, dim3 grid) {
        return trial_kernel{name, entry, {grid, line}, {{out, n}, {in, n}}, {static_cast<int>(n)}};
    };
    auto const axpy = [&](char const* name, std::size_t n) {
        return trial_kernel{
            name, "saxpy", {twice, line}, {{out, n}, {in, n}, {in, n}}, {static_cast<int>(n)}};
    };
    auto const sum = [&](char const* name, std::size_t n) {
        return trial_kernel{
            name, "reduce", {once, line}, {{out, 1056}, {in, n}}, {static_cast<int>(n)}};
    };
    auto const square = [&](char const* name,
                            char const* entry,
                            unsigned n,
                            dim3 tile,
                            dim3 block,
                            std::size_t inputs) {
        std::size_t const all = std::size_t{n} * n;
        trial_kernel k{
            name, entry, {{n / tile.x, n / tile.y}, block}, {{out, all}}, {static_cast<int>(n)}};
        k.buffers.resize(1 + inputs, {in, all});
        return k;
    };
    auto const product = [&](char const* name, unsigned n) {
        return square(name, "matmul", n, {16, 16}, {16, 16}, 2);
    };
    auto const loop = [&](char const* name, char const* entry, int n, bool whole = false) {
        return trial_kernel{name, entry, {once, line}, {{out, threads, whole}}, {n}};
    };
    static std::vector<trial_kernel> const all{
        stream("copy 64 KiB", "copy", mega / 64, {64}),
        loop("fma 10", "fma_loop", 10),
        loop("fma 50", "fma_loop", 50),
        stream("copy 8 MiB", "copy", 2 * mega, once),
        axpy("saxpy 16 MiB", 4 * mega),
        sum("reduce 64 MiB", 16 * mega),
        square("transpose 1024", "transpose", 1024, {32, 32}, {32, 8}, 1),
        square("stencil 2048", "stencil2", 2048, {32, 8}, {32, 8}, 1),
        stream("copy 160 MiB", "copy", 40 * mega, twice),
        axpy("saxpy 128 MiB", 32 * mega),
        sum("reduce 256 MiB", 64 * mega),
        square("transpose 6144", "transpose", 6144, {32, 32}, {32, 8}, 1),
        square("stencil 6144", "stencil2", 6144, {32, 8}, {32, 8}, 1),
        {"stencil 320^3",
         "stencil3",
         {{10, 40, 320}, {32, 8}},
         {{out, 320 * 320 * 320}, {in, 320 * 320 * 320}},
         {320}},
        {"softmax 6144",
         "softmax",
         {{6144}, line},
         {{out, 6144 * 6144}, {in, 6144 * 6144}},
         {6144}},
        {"matvec 8192",
         "matvec",
         {{1024}, line},
         {{out, 8192}, {in, 64 * mega}, {in, 8192}},
         {8192}},
        {"chase 500",
         "chase",
         {{1}, {32}},
         {{out, 32, true}, {in, 16 * mega, true}},
         {16 * mega - 1, 500}},
        {"gather 16 Mi",
         "gather",
         {twice, line},
         {{out, 16 * mega}, {in, 32 * mega}, {in, 16 * mega, true}},
         {16 * mega, 32 * mega - 1}},
        {"histogram 64 Mi",
         "histogram",
         {once, line},
         {{out, threads, true}, {in, 64 * mega, true}},
         {64 * mega}},
        {"histogram_global 16 Mi",
         "histogram_global",
         {once, line},
         {{both, mega, true}, {in, 16 * mega, true}},
         {16 * mega}},
        {"mandelbrot 4096",
         "mandelbrot",
         {{256, 256}, {16, 16}},
         {{out, 16 * mega, true}},
         {4096, 200}},
        loop("fma 1000", "fma_loop", 1000),
        loop("fma 1010", "fma_loop", 1010), // for the 1 %
        loop("fma 10000", "fma_loop", 10'000),
        loop("fma 100000", "fma_loop", 100'000),
        loop("fma 750000", "fma_loop", 750'000),
        loop("fma_double 10000", "fma_double", 10'000),
        loop("sine 1000", "sine", 1000),
        loop("hash 20000", "hash", 20'000, true),
        product("matmul 512", 512),
        product("matmul 1024", 1024),
        product("matmul 2048", 2048),
        product("matmul 4096", 4096),
        square("matmul_plain 1024", "matmul_plain", 1024, {32, 8}, {32, 8}, 2),
        {"nbody 67584", "nbody", {{264}, line}, {{out, 67584 * 3}, {in, 67584 * 4}}, {67584}},
    };
    return all;
}

} // namespace measure
