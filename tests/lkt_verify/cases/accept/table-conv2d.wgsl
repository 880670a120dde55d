// SPDX-License-Identifier: BSL-1.0
struct Extent { height: u32, width: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> extent: Extent;

const offsets = array<i32, 5>(-2, -1, 0, 1, 2);

@compute @workgroup_size(16, 16)
fn conv2d(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if (id.y >= extent.height || id.x >= extent.width) { return; }
    var sum = 0.0;
    for (var k = 0u; k < 25u; k++) {
        let r = i32(id.y) + offsets[k / 5u];
        let s = i32(id.x) + offsets[k % 5u];
        if (r >= 0 && r < i32(extent.height) && s >= 0 && s < i32(extent.width)) {
            sum += x[r * i32(extent.width) + s] * w[k];
        }
    }
    y[id.y * extent.width + id.x] = sum;
}
