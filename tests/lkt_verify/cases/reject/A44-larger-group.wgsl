// SPDX-License-Identifier: BSL-1.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> n: u32;

@compute @workgroup_size(256)
fn vecadd(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x / 256u * 512u + id.x % 256u;
    if (i < n) { c[i] = a[i] + b[i]; }
}
