// SPDX-License-Identifier: BSL-1.0
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 64>;
@group(0) @binding(2) var<uniform> n: u32;

@compute @workgroup_size(256)
fn histogram(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= n) { return; }
    // What the output held before is added to, by comparing and exchanging.
    let bin = x[id.x];
    var old = atomicLoad(&counts[bin]);
    for (var tries = 0u; tries < 4096u; tries++) {
        let now = atomicCompareExchangeWeak(&counts[bin], old, old + 1u);
        if (now.exchanged) { return; }
        old = now.old_value;
    }
}
