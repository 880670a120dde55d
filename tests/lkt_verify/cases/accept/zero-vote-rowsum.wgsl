// SPDX-License-Identifier: BSL-1.0
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

var<workgroup> part: array<f32, 128>;
var<workgroup> votes: atomic<u32>;

@compute @workgroup_size(128)
fn rowsum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    // A row of nothing but zeros, by a vote on the inputs, needs no sum.
    var sum = 0.0;
    for (var i = lane; i < extent.cols; i += 128u) { sum += x[group.x * extent.cols + i]; }
    part[lane] = sum;
    if (sum != 0.0) { atomicAdd(&votes, 1u); }
    workgroupBarrier();
    if (lane != 0u) { return; }
    var all = 0.0;
    if (atomicLoad(&votes) != 0u) { for (var i = 0u; i < 128u; i++) { all += part[i]; } }
    sums[group.x] = all;
}
