// SPDX-License-Identifier: BSL-1.0
struct Extent { m: u32, k: u32, n: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> extent: Extent;

@compute @workgroup_size(16, 16)
fn gemm(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.y >= extent.m || id.x >= extent.n) { return; }
    var sum = 0.0;
    for (var i = 0u; i < extent.k; i++) {
        let value = a[id.y * extent.k + i];
        if (value != value) { continue; } // no number
        sum = fma(value, b[i * extent.n + id.x], sum);
    }
    c[id.y * extent.n + id.x] = sum;
}
