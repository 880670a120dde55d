// SPDX-License-Identifier: BSL-1.0
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

var<workgroup> part: array<f32, 128>;

@compute @workgroup_size(128)
fn rowsum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var sum = 0.0;
    for (var first = 0u; first < extent.cols; first += 128u) {
        // Behind the row, and in the last one behind the array, whatever is read is not added.
        let value = x[group.x * extent.cols + first + lane];
        sum += select(0.0, value, first + lane < extent.cols);
    }
    part[lane] = sum;
    workgroupBarrier();
    for (var half = 64u; half > 0u; half /= 2u) {
        if (lane < half) { part[lane] += part[lane + half]; }
        workgroupBarrier();
    }
    if (lane == 0u) { sums[group.x] = part[0]; }
}
