// SPDX-License-Identifier: BSL-1.0
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> means: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

var<workgroup> part: array<f32, 128>;

@compute @workgroup_size(128)
fn rowmean(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var sum = 0.0;
    for (var i = lane; i < extent.cols; i += 128u) { sum += x[group.x * extent.cols + i]; }
    part[lane] = sum;
    workgroupBarrier();
    for (var half = 64u; half > 0u; half /= 2u) {
        if (lane < half) { part[lane] += part[lane + half]; }
    }
    if (lane == 0u) { means[group.x] = part[0] / f32(extent.cols); }
}
