// SPDX-License-Identifier: BSL-1.0
// y = 1 / (1 + exp(-x)), one invocation an element.
override BLOCK: u32 = 256;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;

@compute @workgroup_size(BLOCK)
fn sigmoid(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= n) { return; }
    y[id.x] = 1.0 / (1.0 + exp(-x[id.x]));
}
