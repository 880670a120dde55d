// SPDX-License-Identifier: BSL-1.0
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> means: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

@compute @workgroup_size(128)
fn rowmean(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if (lane != 0u) { return; }
    var sum = 0.0;
    for (var i = 0u; i < extent.cols; i++) { sum += x[group.x * extent.cols + i]; }
    means[group.x] = sum / f32(extent.cols);
}
