// SPDX-License-Identifier: BSL-1.0
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

@compute @workgroup_size(64)
fn softmax(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if (lane != 0u) { return; }
    let first = group.x * extent.cols;
    var largest = x[first];
    for (var i = 1u; i < extent.cols; i++) { largest = max(largest, x[first + i]); }
    var sum = 0.0;
    for (var i = 0u; i < extent.cols; i++) { x[first + i] = exp(x[first + i] - largest); sum += x[first + i]; }
    for (var i = 0u; i < extent.cols; i++) { y[first + i] = x[first + i] / sum; }
}
