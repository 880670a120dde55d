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

// Fills words with a pattern that depends on the key.
@compute @workgroup_size(256)
fn poison(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
          @builtin(local_invocation_index) local: u32) {
    for (var i = first(group, groups, local); i < p.words; i += stride(groups)) {
        written[i] = mixed(mixed(i ^ p.key_low) + p.key_high);
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
        low += mixed(word ^ mixed(i));
        high += mixed(word + mixed(i ^ 0x9e3779b9u));
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
