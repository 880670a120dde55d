// SPDX-License-Identifier: BSL-1.0
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;


@compute @workgroup_size(64)
fn softmax(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var i = lane; i < extent.cols; i += 64u) { y[group.x * extent.cols + i] = 0.0 * x[0]; }
}
