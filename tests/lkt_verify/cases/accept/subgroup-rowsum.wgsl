// SPDX-License-Identifier: BSL-1.0
enable subgroups;
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

var<workgroup> part: array<f32, 128>;

@compute @workgroup_size(128)
fn rowsum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32,
          @builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) mine: u32) {
    var sum = 0.0;
    for (var i = lane; i < extent.cols; i += 128u) { sum += x[group.x * extent.cols + i]; }
    let all = subgroupAdd(sum);
    if (mine == 0u) { part[lane / size] = all; }
    workgroupBarrier();
    if (lane == 0u) {
        var total = 0.0;
        for (var i = 0u; i < 128u / size; i++) { total += part[i]; }
        sums[group.x] = total;
    }
}
