// SPDX-License-Identifier: BSL-1.0
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> most: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

const slots = 8u;
const share = 100u;
var<workgroup> ring: array<array<f32, 64>, slots>;

@compute @workgroup_size(64)
fn rowmax(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * extent.cols;
    var best = x[row];
    let tiles = (extent.cols + 64u * share - 1u) / (64u * share);
    for (var first = 0u; first < tiles; first += slots) {
        let last = min(first + slots, tiles);
        for (var k = first; k < last; k++) {
            var own = x[row];
            let begin = (k * 64u + lane) * share;
            for (var i = begin; i < min(begin + share, extent.cols); i++) { own = max(own, x[row + i]); }
            ring[k % slots][lane] = own;
        }
        workgroupBarrier();
        for (var k = first; k < last; k++) {
            for (var l = 0u; l < 64u; l++) { best = max(best, ring[k % slots][l]); }
        }
    }
    if (lane == 0u) { most[group.x] = best; }
}
