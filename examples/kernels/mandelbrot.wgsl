// SPDX-License-Identifier: BSL-1.0
// How many steps of z = z * z + c each point c of (-2..1, -1..1) stays within |z| <= 2, at most
// `limit`. One invocation a pixel.
override BLOCK_X: u32 = 16;
override BLOCK_Y: u32 = 16;

struct Picture { width: i32, height: i32, limit: i32 }
@group(0) @binding(0) var<storage, read_write> steps: array<i32>;
@group(0) @binding(1) var<uniform> picture: Picture;

@compute @workgroup_size(BLOCK_X, BLOCK_Y)
fn mandelbrot(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = i32(id.x);
    let row = i32(id.y);
    if (column >= picture.width || row >= picture.height) { return; }
    let real = -2.0 + 3.0 * f32(column) / f32(picture.width);
    let imaginary = -1.0 + 2.0 * f32(row) / f32(picture.height);
    var x = 0.0;
    var y = 0.0;
    var step_count = 0;
    while (step_count < picture.limit && x * x + y * y <= 4.0) {
        let next = x * x - y * y + real;
        y = 2.0 * x * y + imaginary;
        x = next;
        step_count++;
    }
    steps[row * picture.width + column] = step_count;
}
