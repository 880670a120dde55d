// C = A * B for square matrices of n x n floats, where every tile divides n: WX * WY invocations,
// each of which computes R rows (4 or 8) of C4 times 4 columns (C4 is 1 or 2), from tiles in workgroup
// memory that are BK deep. Sums are indexed by literals alone, so that they stay in registers.
override WX: u32 = 16;
override WY: u32 = 16;
override BK: u32 = 16;
override R: u32 = 4;
override C4: u32 = 1;

@group(0) @binding(0) var<storage, read> A: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> n: u32;

var<workgroup> a_tile: array<vec4<f32>, WY * R * (BK / 4u)>;
var<workgroup> b_tile: array<vec4<f32>, BK * WX * C4>;

// Four values of a row of A with the four rows of B that they meet.
fn add(s: vec4<f32>, a: vec4<f32>, b: mat4x4<f32>) -> vec4<f32> {
    return fma(vec4<f32>(a.w), b[3], fma(vec4<f32>(a.z), b[2], fma(vec4<f32>(a.y), b[1], fma(vec4<f32>(a.x), b[0], s))));
}

@compute @workgroup_size(WX, WY)
fn matmul(@builtin(workgroup_id) group: vec3<u32>,
          @builtin(local_invocation_id) local: vec3<u32>,
          @builtin(local_invocation_index) index: u32) {
    let depth = BK / 4u;
    let width = WX * C4;
    let row_length = n / 4u;
    let first_row = group.y * WY * R;
    let first_column = group.x * width;
    var left: array<vec4<f32>, 8>;
    var right: array<vec4<f32>, 8>;
    for (var k = 0u; k < n; k += BK) {
        for (var e = index; e < WY * R * depth; e += WX * WY) {
            a_tile[e] = A[(first_row + e / depth) * row_length + k / 4u + e % depth];
        }
        for (var e = index; e < BK * width; e += WX * WY) {
            b_tile[e] = B[(k + e / width) * row_length + first_column + e % width];
        }
        workgroupBarrier();
        for (var d = 0u; d < depth; d++) {
            let b = 4u * d * width + local.x;
            let a = local.y * R * depth + d;
            let near = mat4x4<f32>(b_tile[b], b_tile[b + width], b_tile[b + 2u * width], b_tile[b + 3u * width]);
            left[0] = add(left[0], a_tile[a + 0u * depth], near);
            left[1] = add(left[1], a_tile[a + 1u * depth], near);
            left[2] = add(left[2], a_tile[a + 2u * depth], near);
            left[3] = add(left[3], a_tile[a + 3u * depth], near);
            if (R > 4u) {
                left[4] = add(left[4], a_tile[a + 4u * depth], near);
                left[5] = add(left[5], a_tile[a + 5u * depth], near);
                left[6] = add(left[6], a_tile[a + 6u * depth], near);
                left[7] = add(left[7], a_tile[a + 7u * depth], near);
            }
            if (C4 > 1u) {
                let far = mat4x4<f32>(b_tile[b + WX], b_tile[b + width + WX], b_tile[b + 2u * width + WX],
                                      b_tile[b + 3u * width + WX]);
                right[0] = add(right[0], a_tile[a + 0u * depth], far);
                right[1] = add(right[1], a_tile[a + 1u * depth], far);
                right[2] = add(right[2], a_tile[a + 2u * depth], far);
                right[3] = add(right[3], a_tile[a + 3u * depth], far);
                if (R > 4u) {
                    right[4] = add(right[4], a_tile[a + 4u * depth], far);
                    right[5] = add(right[5], a_tile[a + 5u * depth], far);
                    right[6] = add(right[6], a_tile[a + 6u * depth], far);
                    right[7] = add(right[7], a_tile[a + 7u * depth], far);
                }
            }
        }
        workgroupBarrier();
    }
    let at = (first_row + local.y * R) * row_length + first_column + local.x;
    C[at + 0u * row_length] = left[0];
    if (C4 > 1u) { C[at + 0u * row_length + WX] = right[0]; }
    C[at + 1u * row_length] = left[1];
    if (C4 > 1u) { C[at + 1u * row_length + WX] = right[1]; }
    C[at + 2u * row_length] = left[2];
    if (C4 > 1u) { C[at + 2u * row_length + WX] = right[2]; }
    C[at + 3u * row_length] = left[3];
    if (C4 > 1u) { C[at + 3u * row_length + WX] = right[3]; }
    if (R > 4u) {
        C[at + 4u * row_length] = left[4];
        if (C4 > 1u) { C[at + 4u * row_length + WX] = right[4]; }
        C[at + 5u * row_length] = left[5];
        if (C4 > 1u) { C[at + 5u * row_length + WX] = right[5]; }
        C[at + 6u * row_length] = left[6];
        if (C4 > 1u) { C[at + 6u * row_length + WX] = right[6]; }
        C[at + 7u * row_length] = left[7];
        if (C4 > 1u) { C[at + 7u * row_length + WX] = right[7]; }
    }
}
