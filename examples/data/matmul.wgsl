// C = A * B for square matrices of n x n floats, one element a thread.
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<uniform> n: u32;

@compute @workgroup_size(16, 16)
fn matmul(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= n || id.y >= n) {
        return;
    }
    var sum = 0.0;
    for (var k = 0u; k < n; k++) {
        sum += A[id.y * n + k] * B[k * n + id.x];
    }
    C[id.y * n + id.x] = sum;
}
