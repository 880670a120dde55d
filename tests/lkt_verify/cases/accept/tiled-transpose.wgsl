// SPDX-License-Identifier: BSL-1.0
override TILE: u32 = 16;
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

var<workgroup> tile: array<array<f32, 17>, 16>;

@compute @workgroup_size(TILE, TILE)
fn transpose(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if (id.y < extent.rows && id.x < extent.cols) { tile[local.y][local.x] = x[id.y * extent.cols + id.x]; }
    workgroupBarrier();
    let row = group.y * TILE + local.x;
    let column = group.x * TILE + local.y;
    if (row < extent.rows && column < extent.cols) { y[column * extent.rows + row] = tile[local.x][local.y]; }
}
