// SPDX-License-Identifier: BSL-1.0
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 64>;
@group(0) @binding(2) var<uniform> n: u32;

var<workgroup> mine: array<atomic<u32>, 64>;

@compute @workgroup_size(256)
fn histogram(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if (lane < 64u) { atomicStore(&mine[lane], 0u); }
    workgroupBarrier();
    if (id.x < n) { atomicAdd(&mine[x[id.x]], 1u); }
    workgroupBarrier();
    if (lane < 64u) { atomicAdd(&counts[lane], atomicLoad(&mine[lane])); }
}
