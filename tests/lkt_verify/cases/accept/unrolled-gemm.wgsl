// SPDX-License-Identifier: BSL-1.0
struct Extent { m: u32, k: u32, n: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> extent: Extent;


@compute @workgroup_size(16, 16)
fn gemm(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if (id.y >= extent.m || id.x >= extent.n) { return; }
    var sum = vec4<f32>();
    let whole = extent.k / 4u * 4u;
    for (var i = 0u; i < whole; i += 4u) {
        let p = id.y * extent.k + i;
        let q = i * extent.n + id.x;
        sum += vec4<f32>(a[p], a[p + 1u], a[p + 2u], a[p + 3u])
             * vec4<f32>(b[q], b[q + extent.n], b[q + 2u * extent.n], b[q + 3u * extent.n]);
    }
    var all = sum.x + sum.y + sum.z + sum.w;
    for (var i = whole; i < extent.k; i++) { all += a[id.y * extent.k + i] * b[i * extent.n + id.x]; }
    c[id.y * extent.n + id.x] = all;
}
