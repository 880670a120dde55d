// SPDX-License-Identifier: BSL-1.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> n: u32;

@compute @workgroup_size(256)
fn vecadd(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0.0;
    for (var i = 0u; i < 2u; i++) { sum += select(b[id.x], a[id.x], i == 0u); }
    c[min(id.x, n - 1u)] = select(sum, 0.0, id.x >= n);
}
