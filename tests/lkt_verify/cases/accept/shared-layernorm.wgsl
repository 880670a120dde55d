// SPDX-License-Identifier: BSL-1.0
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> gamma: array<f32>;
@group(0) @binding(2) var<storage, read> beta: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> extent: Extent;

var<workgroup> part: array<f32, 128>;

@compute @workgroup_size(64)
fn layernorm(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = group.x * extent.cols;
    var sum = 0.0;
    for (var i = lane; i < extent.cols; i += 64u) { sum += x[first + i]; }
    part[lane] = sum;
    workgroupBarrier();
    var all = 0.0;
    for (var i = 0u; i < 64u; i++) { all += part[i]; }
    let mean = all / f32(extent.cols);
    workgroupBarrier();
    var squares = 0.0;
    for (var i = lane; i < extent.cols; i += 64u) { squares += (x[first + i] - mean) * (x[first + i] - mean); }
    part[lane] = squares;
    workgroupBarrier();
    all = 0.0;
    for (var i = 0u; i < 64u; i++) { all += part[i]; }
    let scale = inverseSqrt(all / f32(extent.cols) + 1e-5);
    for (var i = lane; i < extent.cols; i += 64u) { y[first + i] = (x[first + i] - mean) * scale * gamma[i] + beta[i]; }
}
