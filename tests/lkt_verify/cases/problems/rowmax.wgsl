// SPDX-License-Identifier: BSL-1.0
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> most: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

@compute @workgroup_size(64)
fn rowmax(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if (lane != 0u) { return; }
    var best = x[group.x * extent.cols];
    for (var i = 1u; i < extent.cols; i++) { best = max(best, x[group.x * extent.cols + i]); }
    most[group.x] = best;
}
