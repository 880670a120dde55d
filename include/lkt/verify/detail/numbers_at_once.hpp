// SPDX-License-Identifier: BSL-1.0
// Many numbers of a random stream at once: the same ones as one by one, several times faster.
#pragma once

#include <lkt/verify/detail/fused_multiply_add.hpp>
#include <lkt/verify/random.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace lkt::detail {

/// `bits` of the indices from 2 `first` on, one block of the stream after the other.
template <std::size_t N>
void read_by_blocks(random_stream const& stream,
                    std::uint64_t first,
                    std::array<std::uint64_t, N>& all) {
    for (std::size_t k = 0; k < N / 2; ++k) {
        auto const two = stream.block(first + k);
        all[2 * k] = two[0];
        all[2 * k + 1] = two[1];
    }
}

#if defined(__x86_64__) && defined(__GNUC__)

/// The same, four blocks in a vector: each of Philox's 32-bit words lies in the low half of 64
/// bits, where multiplication takes it; what is in the high half does not matter.
template <std::size_t N>
[[gnu::target("avx2")]] void read_by_vectors(random_stream const& stream,
                                             std::uint64_t first,
                                             std::array<std::uint64_t, N>& all) {
    constexpr std::size_t blocks = 4;
    static_assert(N % (2 * blocks) == 0);
    __m256i const times_a = _mm256_set1_epi64x(philox::multiplier_a);
    __m256i const times_c = _mm256_set1_epi64x(philox::multiplier_c);
    __m256i index = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(first)),
                                     _mm256_setr_epi64x(0, 1, 2, 3));
    for (std::size_t k = 0; k < N; k += 2 * blocks) {
        __m256i a = index, b = _mm256_srli_epi64(index, 32);
        __m256i c = _mm256_set1_epi64x(stream.argument), d = _mm256_set1_epi64x(stream.test);
        index = _mm256_add_epi64(index, _mm256_set1_epi64x(blocks));
        auto low = static_cast<std::uint32_t>(stream.seed);
        auto high = static_cast<std::uint32_t>(stream.seed >> 32);
        for (int round = 0; round < philox::rounds; ++round) {
            __m256i const from_a = _mm256_mul_epu32(a, times_a);
            __m256i const from_c = _mm256_mul_epu32(c, times_c);
            a = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(from_c, 32), b),
                                 _mm256_set1_epi64x(low));
            b = from_c;
            c = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(from_a, 32), d),
                                 _mm256_set1_epi64x(high));
            d = from_a;
            low += philox::step_low;
            high += philox::step_high;
        }
        constexpr int high_halves = 0xAA;
        __m256i const even = _mm256_blend_epi32(a, _mm256_slli_epi64(b, 32), high_halves);
        __m256i const odd = _mm256_blend_epi32(c, _mm256_slli_epi64(d, 32), high_halves);
        // Blocks 0 and 2, and 1 and 3, until halves change places.
        __m256i const outer = _mm256_unpacklo_epi64(even, odd);
        __m256i const inner = _mm256_unpackhi_epi64(even, odd);
        auto* const to = reinterpret_cast<__m256i*>(all.data() + k); // NOLINT
        _mm256_storeu_si256(to, _mm256_permute2x128_si256(outer, inner, 0x20));
        _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(outer, inner, 0x31));
    }
}

template <std::size_t N>
void read_numbers(random_stream const& stream,
                  std::uint64_t first,
                  std::array<std::uint64_t, N>& all) {
    if (processor_has_fma())
        read_by_vectors(stream, first, all);
    else
        read_by_blocks(stream, first, all);
}

#else

template <std::size_t N>
void read_numbers(random_stream const& stream,
                  std::uint64_t first,
                  std::array<std::uint64_t, N>& all) {
    read_by_blocks(stream, first, all);
}

#endif

} // namespace lkt::detail
