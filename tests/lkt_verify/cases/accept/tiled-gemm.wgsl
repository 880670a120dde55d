// SPDX-License-Identifier: BSL-1.0
struct Extent { m: u32, k: u32, n: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> extent: Extent;

var<workgroup> as_: array<array<f32, 16>, 16>;
var<workgroup> bs: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn gemm(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    var sum = 0.0;
    for (var i = 0u; i < extent.k; i += 16u) {
        as_[local.y][local.x] = 0.0;
        bs[local.y][local.x] = 0.0;
        if (id.y < extent.m && i + local.x < extent.k) { as_[local.y][local.x] = a[id.y * extent.k + i + local.x]; }
        if (i + local.y < extent.k && id.x < extent.n) { bs[local.y][local.x] = b[(i + local.y) * extent.n + id.x]; }
        workgroupBarrier();
        for (var j = 0u; j < 16u; j++) { sum += as_[local.y][j] * bs[j][local.x]; }
        workgroupBarrier();
    }
    if (id.y < extent.m && id.x < extent.n) { c[id.y * extent.n + id.x] = sum; }
}
