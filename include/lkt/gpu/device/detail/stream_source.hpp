// SPDX-License-Identifier: BSL-1.0
// Device functions that write what lkt::fill and lkt::write_fill write; CUDA C++ that a host
// compiler takes as well.
#pragma once

namespace lkt::device_detail {

inline constexpr char const* stream_source = R"cuda(
using u32 = unsigned int;
using u64 = unsigned long long;

struct secret { u32 word[8]; };
struct alignas(16) four_words { u32 x, y, z, w; };
struct place_in_grid { u64 first, stride; };

__device__ inline u32 turned(u32 x, int by) { return x << by | x >> (32 - by); }
__device__ inline void quarter(u32& a, u32& b, u32& c, u32& d) {
    a += b, d = turned(d ^ a, 16);
    c += d, b = turned(b ^ c, 12);
    a += b, d = turned(d ^ a, 8);
    c += d, b = turned(b ^ c, 7);
}

// 64 bytes of the stream of `key`: ChaCha of 8 rounds (lkt::detail::chacha).
__device__ inline void stream_block(secret const& key, u64 number, u32 (&x)[16]) {
    u32 const before[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u,
                            key.word[0], key.word[1], key.word[2], key.word[3],
                            key.word[4], key.word[5], key.word[6], key.word[7],
                            (u32)number, (u32)(number >> 32), 0u, 0u};
#pragma unroll
    for (int k = 0; k < 16; ++k) x[k] = before[k];
#pragma unroll
    for (int round = 0; round < 8; round += 2) {
        quarter(x[0], x[4], x[8], x[12]), quarter(x[1], x[5], x[9], x[13]);
        quarter(x[2], x[6], x[10], x[14]), quarter(x[3], x[7], x[11], x[15]);
        quarter(x[0], x[5], x[10], x[15]), quarter(x[1], x[6], x[11], x[12]);
        quarter(x[2], x[7], x[8], x[13]), quarter(x[3], x[4], x[9], x[14]);
    }
#pragma unroll
    for (int k = 0; k < 16; ++k) x[k] += before[k];
}
__device__ inline unsigned char stream_byte(u32 word, int k) {
    return (unsigned char)(word >> (8 * k));
}

// The beginning of the stream. Wide stores where `to` is aligned to 16.
__device__ inline void write_stream(unsigned char* to, u64 bytes, secret const& key,
                                    place_in_grid p) {
    bool const wide = (u64)to % 16 == 0;
    for (u64 number = p.first; 64 * number < bytes; number += p.stride) {
        u32 x[16];
        stream_block(key, number, x);
        unsigned char* const at = to + 64 * number;
        u64 const rest = bytes - 64 * number;
        if (wide && rest >= 64) {
#pragma unroll
            for (int k = 0; k < 4; ++k)
                ((four_words*)at)[k] = {x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]};
        } else {
#pragma unroll
            for (int k = 0; k < 64; ++k)
                if (k < rest) at[k] = stream_byte(x[k / 4], k % 4);
        }
    }
}

// How many of `bytes` bytes are not those of the stream.
__device__ inline u64 disturbed_bytes(unsigned char const* seen, u64 bytes, secret const& key,
                                      place_in_grid p) {
    u64 wrong = 0;
    for (u64 number = p.first; 64 * number < bytes; number += p.stride) {
        u32 x[16];
        stream_block(key, number, x);
        u64 const rest = bytes - 64 * number;
#pragma unroll
        for (int k = 0; k < 64; ++k)
            if (k < rest && seen[64 * number + k] != stream_byte(x[k / 4], k % 4)) ++wrong;
    }
    return wrong;
}

// Writes a pattern again and again, of which the bits of `keep` stay and to which those of `set`
// are added. Of 16 bytes a thread has one place in the pattern, and stores them in each of its
// repetitions. `to`, `pattern` and `period` are aligned to 16.
__device__ inline void write_pattern(unsigned char* to, u64 bytes, four_words const* pattern,
                                     u64 period, u64 keep, u64 set, place_in_grid of_pattern,
                                     place_in_grid of_repetitions) {
    u64 const part = bytes < period ? bytes : period;
    for (u64 i = of_pattern.first; 16 * i < part; i += of_pattern.stride) {
        four_words v = {0, 0, 0, 0};
        if (keep != 0) v = pattern[i];
        v.x = (v.x & (u32)keep) | (u32)set;
        v.y = (v.y & (u32)(keep >> 32)) | (u32)(set >> 32);
        v.z = (v.z & (u32)keep) | (u32)set;
        v.w = (v.w & (u32)(keep >> 32)) | (u32)(set >> 32);
        for (u64 at = 16 * i + of_repetitions.first * period; at < bytes;
             at += of_repetitions.stride * period) {
            if (at + 16 <= bytes) {
                *(four_words*)(to + at) = v;
                continue;
            }
            u32 const words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int k = 0; k < 16; ++k)
                if (at + k < bytes) to[at + k] = stream_byte(words[k / 4], k % 4);
        }
    }
}

// Puts noise into one element of each eight. 16 bytes of the pattern say which, and what.
__device__ inline void disturb_some(unsigned char* to, u64 elements, u32 size,
                                    unsigned char const* pattern, u64 period, place_in_grid p) {
    for (u64 group = p.first; 8 * group < elements; group += p.stride) {
        unsigned char const* const drawn = pattern + 16 * group % period;
        u64 const rest = elements - 8 * group;
        u64 place = drawn[0] % 8;
        if (place >= rest) place = rest - 1;
        unsigned char* const element = to + (8 * group + place) * size;
        bool same = true;
        for (u32 k = 0; k < size; ++k) {
            same = same && element[k] == drawn[8 + k];
            element[k] = drawn[8 + k];
        }
        if (same) element[0] ^= 0x55;
    }
}
)cuda";

} // namespace lkt::device_detail
