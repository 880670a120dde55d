// SPDX-License-Identifier: BSL-1.0
// The kernels that the WebGPU back end itself launches around those of a candidate.
#pragma once

namespace lkt::webgpu_detail {

/// WGSL may flush subnormals and assume that there are no infinities, so numbers are told apart by
/// their bits, and what is compared is right only beyond doubt: the rest is left to the host.
inline constexpr char const* tools_source = R"wgsl(
struct parameters {
    words: u32,       // whole ones
    tail: u32,        // bytes of one more
    key_low: u32,
    key_high: u32,
    packed_words: u32, // of an element, and up to the next
    stride_words: u32,
    counter: u32,
    relative: f32,
    absolute: f32,
    key: array<vec4u, 2>,
}
@group(0) @binding(0) var<storage, read_write> written: array<u32>;
@group(0) @binding(1) var<storage, read> seen: array<u32>;
@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> p: parameters;

fn mixed(x: u32) -> u32 {
    var h = x;
    h ^= h >> 16u;
    h *= 0x21f0aaadu;
    h ^= h >> 15u;
    h *= 0x735a2d97u;
    return h ^ (h >> 15u);
}
fn first(group: vec3u, groups: vec3u, local: u32) -> u32 {
    return (group.y * groups.x + group.x) * 256u + local;
}
fn stride(groups: vec3u) -> u32 { return groups.x * groups.y * 256u; }

// Fills `words` words with the stream of the key, ChaCha of 8 rounds: `stride_words` blocks.
fn quarter(a: u32, b: u32, c: u32, d: u32) {
    x[a] += x[b];
    x[d] = turned(x[d] ^ x[a], 16u);
    x[c] += x[d];
    x[b] = turned(x[b] ^ x[c], 12u);
    x[a] += x[b];
    x[d] = turned(x[d] ^ x[a], 8u);
    x[c] += x[d];
    x[b] = turned(x[b] ^ x[c], 7u);
}
fn turned(v: u32, by: u32) -> u32 { return (v << by) | (v >> (32u - by)); }
var<private> x: array<u32, 16>;
fn block_word(number: u32, k: u32) -> u32 {
    switch k {
        case 0u: { return 0x61707865u; }
        case 1u: { return 0x3320646eu; }
        case 2u: { return 0x79622d32u; }
        case 3u: { return 0x6b206574u; }
        case 12u: { return number; }
        case 13u, 14u, 15u: { return 0u; }
        default: { return p.key[(k - 4u) / 4u][k % 4u]; }
    }
}
@compute @workgroup_size(256)
fn stream(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
          @builtin(local_invocation_index) local: u32) {
    for (var i = first(group, groups, local); i < p.stride_words; i += stride(groups)) {
        for (var k = 0u; k < 16u; k++) { x[k] = block_word(i, k); }
        for (var round = 0u; round < 8u; round += 2u) {
            quarter(0u, 4u, 8u, 12u);
            quarter(1u, 5u, 9u, 13u);
            quarter(2u, 6u, 10u, 14u);
            quarter(3u, 7u, 11u, 15u);
            quarter(0u, 5u, 10u, 15u);
            quarter(1u, 6u, 11u, 12u);
            quarter(2u, 7u, 8u, 13u);
            quarter(3u, 4u, 9u, 14u);
        }
        for (var k = 0u; k < 16u && 16u * i + k < p.words; k++) {
            written[16u * i + k] = x[k] + block_word(i, k);
        }
    }
}

// Writes a pattern of `stride_words` words again and again, of which the bits of the first two
// words of the key stay and to which those of the next two are added.
@compute @workgroup_size(256)
fn fill(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
        @builtin(local_invocation_index) local: u32) {
    for (var i = first(group, groups, local); i < p.words; i += stride(groups)) {
        let half = i % 2u;
        written[i] = (seen[i % p.stride_words] & p.key[0][half]) | p.key[0][2u + half];
    }
}

// Puts noise into one word of each eight. Four words of a pattern say which, and what; it has
// `key_low` words.
@compute @workgroup_size(256)
fn nearly(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
          @builtin(local_invocation_index) local: u32) {
    for (var i = first(group, groups, local); 8u * i < p.words; i += stride(groups)) {
        let drawn = (4u * i) % p.key_low;
        let at = place(8u * i + min(seen[drawn] % 8u, p.words - 8u * i - 1u));
        let noise = seen[drawn + 2u];
        written[at] = select(noise, noise ^ 0x55555555u, written[at] == noise);
    }
}

// A chain of steps that wait for one another: how long it takes says how fast the clock is.
@compute @workgroup_size(32)
fn chain(@builtin(local_invocation_index) local: u32) {
    var x = p.key_low + local;
    for (var i = 0u; i < p.words; i += 8u) {
        x = x * 1664525u + 1013904223u;
        x = x * 1664525u + 1013904223u;
        x = x * 1664525u + 1013904223u;
        x = x * 1664525u + 1013904223u;
        x = x * 1664525u + 1013904223u;
        x = x * 1664525u + 1013904223u;
        x = x * 1664525u + 1013904223u;
        x = x * 1664525u + 1013904223u;
    }
    if x == 0u { written[0] = x; }
}

// Adds two numbers to counters that depend on every word and on where it stands.
@compute @workgroup_size(256)
fn digest(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
          @builtin(local_invocation_index) local: u32) {
    var low = 0u;
    var high = 0u;
    for (var i = first(group, groups, local); i < p.words; i += stride(groups)) {
        let word = written[i];
        low += mixed((word ^ mixed(i ^ p.key[0].x)) + p.key[0].y);
        high += mixed((word + mixed(i ^ p.key[0].z)) ^ p.key[0].w);
    }
    atomicAdd(&counters[p.counter], low);
    atomicAdd(&counters[p.counter + 1u], high);
}

// The word where lane `i` of the packed elements lies.
fn place(i: u32) -> u32 { return i / p.packed_words * p.stride_words + i % p.packed_words; }
fn add_wrong(wrong: u32) {
    if wrong != 0u { atomicAdd(&counters[p.counter], wrong); }
}

@compute @workgroup_size(256)
fn wrong_words(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
               @builtin(local_invocation_index) local: u32) {
    var wrong = 0u;
    let start = first(group, groups, local);
    for (var i = start; i < p.words; i += stride(groups)) {
        let at = place(i);
        if written[at] != seen[at] { wrong += 1u; }
    }
    if start == 0u && p.tail != 0u {
        let mask = (1u << (8u * p.tail)) - 1u;
        if ((written[p.words] ^ seen[p.words]) & mask) != 0u { wrong += 1u; }
    }
    add_wrong(wrong);
}

// Of finite numbers. A bound too small to be sure of holds for equal ones only.
fn near(expected: f32, got: f32) -> bool {
    let bound = min(p.absolute + p.relative * abs(expected), 1e38) * 0.99999;
    return bound > 1e-30 && abs(got - expected) <= bound;
}

@compute @workgroup_size(256)
fn wrong_f32(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
             @builtin(local_invocation_index) local: u32) {
    var wrong = 0u;
    for (var i = first(group, groups, local); i < p.words; i += stride(groups)) {
        let at = place(i);
        let expected = seen[at];
        let got = written[at];
        let e = expected & 0x7fffffffu;
        let g = got & 0x7fffffffu;
        if expected == got { continue; }
        if e > 0x7f800000u && g > 0x7f800000u { continue; }
        if e >= 0x7f000000u || g >= 0x7f000000u { // not finite, or a difference might not be
            wrong += 1u;
        } else if !near(bitcast<f32>(expected), bitcast<f32>(got)) {
            wrong += 1u;
        }
    }
    add_wrong(wrong);
}

// The value of a finite binary16.
fn half_value(bits: u32) -> f32 {
    let exponent = (bits >> 10u) & 31u;
    let fraction = bits & 1023u;
    var magnitude = f32(fraction) * 5.9604644775390625e-8; // 2^-24
    if exponent != 0u { magnitude = bitcast<f32>(((exponent + 112u) << 23u) | (fraction << 13u)); }
    if (bits & 0x8000u) != 0u { return -magnitude; }
    return magnitude;
}
fn wrong_half(expected: u32, got: u32) -> u32 {
    let e = expected & 0x7fffu;
    let g = got & 0x7fffu;
    if expected == got || (e > 0x7c00u && g > 0x7c00u) { return 0u; }
    if e >= 0x7c00u || g >= 0x7c00u { return 1u; }
    return select(1u, 0u, near(half_value(expected), half_value(got)));
}
fn wrong_brain(expected: u32, got: u32) -> u32 {
    let e = expected & 0x7fffu;
    let g = got & 0x7fffu;
    if expected == got || (e > 0x7f80u && g > 0x7f80u) { return 0u; }
    if e >= 0x7f00u || g >= 0x7f00u { return 1u; }
    return select(1u, 0u, near(bitcast<f32>(expected << 16u), bitcast<f32>(got << 16u)));
}

@compute @workgroup_size(256)
fn wrong_f16(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
             @builtin(local_invocation_index) local: u32) {
    var wrong = 0u;
    let start = first(group, groups, local);
    for (var i = start; i < p.words; i += stride(groups)) {
        wrong += wrong_half(seen[i] & 0xffffu, written[i] & 0xffffu);
        wrong += wrong_half(seen[i] >> 16u, written[i] >> 16u);
    }
    if start == 0u && p.tail != 0u {
        wrong += wrong_half(seen[p.words] & 0xffffu, written[p.words] & 0xffffu);
    }
    add_wrong(wrong);
}

@compute @workgroup_size(256)
fn wrong_bf16(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
              @builtin(local_invocation_index) local: u32) {
    var wrong = 0u;
    let start = first(group, groups, local);
    for (var i = start; i < p.words; i += stride(groups)) {
        wrong += wrong_brain(seen[i] & 0xffffu, written[i] & 0xffffu);
        wrong += wrong_brain(seen[i] >> 16u, written[i] >> 16u);
    }
    if start == 0u && p.tail != 0u {
        wrong += wrong_brain(seen[p.words] & 0xffffu, written[p.words] & 0xffffu);
    }
    add_wrong(wrong);
}
)wgsl";

} // namespace lkt::webgpu_detail
