// SPDX-License-Identifier: BSL-1.0
struct Extent { height: u32, width: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> extent: Extent;

@compute @workgroup_size(16, 16)
fn conv2d(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.y >= extent.height || id.x >= extent.width) { return; }
    var sum = 0.0;
    for (var dy = 0; dy < 5; dy++) {
        for (var dx = 0; dx < 5; dx++) {
            let r = i32(id.y) + dy - 2;
            let c = i32(id.x) + dx - 2;
            if (r >= 0 && r < i32(extent.height) && c >= 0 && c < i32(extent.width)) {
                sum += x[r * i32(extent.width) + c] * w[dy * 5 + dx];
            }
        }
    }
    y[id.y * extent.width + id.x] = sum;
}
