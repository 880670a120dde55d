// SPDX-License-Identifier: BSL-1.0
// One generation of Conway's game of life: 1 is a living cell, 0 a dead one, and all is dead
// outside of the field. One invocation a cell.
override BLOCK_X: u32 = 16;
override BLOCK_Y: u32 = 16;

struct Extent { width: i32, height: i32 }
@group(0) @binding(0) var<storage, read> now: array<i32>;
@group(0) @binding(1) var<storage, read_write> next: array<i32>;
@group(0) @binding(2) var<uniform> extent: Extent;

@compute @workgroup_size(BLOCK_X, BLOCK_Y)
fn game_of_life(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = i32(id.x);
    let row = i32(id.y);
    if (column >= extent.width || row >= extent.height) { return; }
    var neighbours = 0;
    for (var r = max(row - 1, 0); r <= min(row + 1, extent.height - 1); r++) {
        for (var c = max(column - 1, 0); c <= min(column + 1, extent.width - 1); c++) {
            neighbours += now[r * extent.width + c];
        }
    }
    let here = now[row * extent.width + column];
    neighbours -= here;
    next[row * extent.width + column] = select(0, 1, neighbours == 3 || (here == 1 && neighbours == 2));
}
