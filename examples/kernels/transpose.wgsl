// SPDX-License-Identifier: BSL-1.0
// turned = matrix transposed: `matrix` has `rows` rows and `columns` columns, stored by rows. One
// invocation an element.
override BLOCK_X: u32 = 16;
override BLOCK_Y: u32 = 16;

struct Extent { rows: u32, columns: u32 }
@group(0) @binding(0) var<storage, read> matrix: array<f32>;
@group(0) @binding(1) var<storage, read_write> turned: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

@compute @workgroup_size(BLOCK_X, BLOCK_Y)
fn matrix_transpose(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.y >= extent.rows || id.x >= extent.columns) { return; }
    turned[id.x * extent.rows + id.y] = matrix[id.y * extent.columns + id.x];
}
