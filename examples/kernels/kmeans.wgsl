// SPDX-License-Identifier: BSL-1.0
// The assignment step of k-means: for each point the number of the nearest centre, of equally near
// ones the first. Points and centres are stored one after the other. One invocation a point.
override BLOCK: u32 = 256;

struct Counts { point_count: u32, centre_count: u32, dimensions: u32 }
@group(0) @binding(0) var<storage, read> points: array<f32>;
@group(0) @binding(1) var<storage, read> centres: array<f32>;
@group(0) @binding(2) var<storage, read_write> nearest: array<i32>;
@group(0) @binding(3) var<uniform> counts: Counts;

@compute @workgroup_size(BLOCK)
fn assign_clusters(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= counts.point_count) { return; }
    var best = 0u;
    var least = 0.0;
    for (var centre = 0u; centre < counts.centre_count; centre++) {
        var distance = 0.0; // its square
        for (var d = 0u; d < counts.dimensions; d++) {
            let apart = points[id.x * counts.dimensions + d] - centres[centre * counts.dimensions + d];
            distance += apart * apart;
        }
        if (centre == 0u || distance < least) {
            least = distance;
            best = centre;
        }
    }
    nearest[id.x] = i32(best);
}
