// SPDX-License-Identifier: BSL-1.0
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(128)
fn rowsum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    // The upper half is cleared, and read where a level of the tree has no partner.
    part[lane + 128u] = 0.0;
    part[lane] = 0.0;
    for (var i = lane; i < extent.cols; i += 128u) { part[lane] += x[group.x * extent.cols + i]; }
    for (var step = 1u; step < 128u; step *= 2u) {
        workgroupBarrier();
        let other = part[lane + step];
        workgroupBarrier();
        part[lane] += other;
    }
    if (lane == 0u) { sums[group.x] = part[0]; }
}
