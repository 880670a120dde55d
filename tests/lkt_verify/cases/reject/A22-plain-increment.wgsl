// SPDX-License-Identifier: BSL-1.0
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32, 64>;
@group(0) @binding(2) var<uniform> n: u32;


@compute @workgroup_size(256)
fn histogram(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < n) { counts[x[id.x]] = counts[x[id.x]] + 1u; }
}
