// SPDX-License-Identifier: BSL-1.0
// What measure.cpp launches: a kernel that computes and one that reads, each with as many rounds as
// a launch is to take time. Both sides of the comparison make the same contents from this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace measure {

constexpr std::uint32_t workgroup = 256;
/// The rounds stand in a storage buffer. Where they were a uniform, a kernel took five times as
/// long on Mesa's software driver with one value, until it was launched with another: two pipelines
/// of one text differed by the launches that they had seen.
constexpr std::uint32_t rounds_bytes = 16;

/// 16 multiply-adds of four lanes a round, each of which waits for the one before. As many
/// invocations as a large GPU holds at a time, and again: no invocation needs many rounds, since
/// Mesa's software driver ends its loops after 65,535.
inline constexpr std::string_view compute_text = R"(
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> rounds: array<u32>;

@compute @workgroup_size(256) fn compute(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = rounds[0];
    var v = x[id.x];
    for (var k = 0u; k < n; k++) {
        for (var j = 0u; j < 16u; j++) { v = fma(v, vec4<f32>(0.999), vec4<f32>(0.5)); }
    }
    y[id.x] = v;
}
)";

/// Each round the invocations together read the next part of x, a power of two of elements.
inline constexpr std::string_view memory_text = R"(
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> rounds: array<u32>;

@compute @workgroup_size(256) fn memory(@builtin(global_invocation_id) id: vec3<u32>,
                                        @builtin(num_workgroups) groups: vec3<u32>) {
    let n = rounds[0];
    let mask = arrayLength(&x) - 1u;
    var sum = vec4<f32>(0.0);
    for (var k = 0u; k < n; k++) { sum += x[(id.x + k * groups.x * 256u) & mask]; }
    y[id.x] = sum;
}
)";

/// A kernel with its size. `y` holds four floats an invocation, and so does `x` at least.
struct trial_kernel {
    bool reads = false; ///< memory_text, else compute_text
    std::uint32_t groups = 1;
    std::uint64_t read_bytes = 0; ///< of x; a power of two
    std::uint32_t rounds = 1;
    int form = 0; ///< the same text with another comment is another pipeline

    [[nodiscard]] char const* name() const { return reads ? "memory" : "compute"; }
    [[nodiscard]] std::string text() const {
        return "// form " + std::to_string(form) + std::string(reads ? memory_text : compute_text);
    }
    [[nodiscard]] std::uint64_t written_bytes() const {
        return std::uint64_t{groups} * workgroup * 16;
    }
};

/// Floats from 0 to 1, the same each time: a GPU's clock depends on what it computes with.
inline std::vector<std::byte> contents_of(std::uint64_t size) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < bytes.size() / 4; ++i) {
        std::uint64_t x = i;
        x = (x ^ (x >> 31)) * 0xbf58476d1ce4e5b9u;
        float const f = static_cast<float>((x ^ (x >> 29)) >> 40) * 0x1p-24f;
        std::memcpy(bytes.data() + 4 * i, &f, 4);
    }
    return bytes;
}

} // namespace measure
