// SPDX-License-Identifier: BSL-1.0
// One step of Verlet integration, in place: the next position follows from this one, the previous
// one and the acceleration. One invocation a particle.
override BLOCK: u32 = 256;

struct Step { dt: f32, n: u32 }
@group(0) @binding(0) var<storage, read_write> position: array<vec3<f32>>;
@group(0) @binding(1) var<storage, read_write> previous: array<vec3<f32>>;
@group(0) @binding(2) var<storage, read> acceleration: array<vec3<f32>>;
@group(0) @binding(3) var<uniform> this_step: Step;

@compute @workgroup_size(BLOCK)
fn verlet_integration(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= this_step.n) { return; }
    let here = position[id.x];
    position[id.x] = 2.0 * here - previous[id.x] + acceleration[id.x] * this_step.dt * this_step.dt;
    previous[id.x] = here;
}
