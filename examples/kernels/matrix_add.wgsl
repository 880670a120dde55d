// SPDX-License-Identifier: BSL-1.0
// sum = a + b for matrices of `rows` rows and `columns` columns, stored by rows: one invocation an element.
override BLOCK_X: u32 = 16;
override BLOCK_Y: u32 = 16;

struct Extent { rows: u32, columns: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> sum: array<f32>;
@group(0) @binding(3) var<uniform> extent: Extent;

@compute @workgroup_size(BLOCK_X, BLOCK_Y)
fn matrix_add(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.y >= extent.rows || id.x >= extent.columns) { return; }
    let at = id.y * extent.columns + id.x;
    sum[at] = a[at] + b[at];
}
