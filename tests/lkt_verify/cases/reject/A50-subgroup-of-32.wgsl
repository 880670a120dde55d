// SPDX-License-Identifier: BSL-1.0
enable subgroups;
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

var<workgroup> part: array<f32, 4>;

@compute @workgroup_size(128)
fn rowsum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var sum = 0.0;
    for (var i = lane; i < extent.cols; i += 128u) { sum += x[group.x * extent.cols + i]; }
    let all = subgroupAdd(sum);
    if (lane % 32u == 0u) { part[lane / 32u] = all; }
    workgroupBarrier();
    if (lane == 0u) { sums[group.x] = part[0] + part[1] + part[2] + part[3]; }
}
