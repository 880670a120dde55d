// SPDX-License-Identifier: BSL-1.0
struct Extent { rows: u32, cols: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> extent: Extent;

var<workgroup> line: array<array<f32, 256>, 2>;

@compute @workgroup_size(64)
fn scan(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var i = lane; i < 256u; i += 64u) { line[0][i] = 0.0; if (i < extent.cols) { line[0][i] = x[group.x * extent.cols + i]; } }
    workgroupBarrier();
    var now = 0u;
    for (var distance = 1u; distance < 256u; distance *= 2u) {
        for (var i = lane; i < 256u; i += 64u) {
            var v = line[now][i];
            if (i >= distance) { v += line[now][i - distance]; }
            line[1u - now][i] = v;
        }
        now = 1u - now;
        workgroupBarrier();
    }
    for (var i = lane; i < extent.cols; i += 64u) { y[group.x * extent.cols + i] = line[now][i]; }
}
