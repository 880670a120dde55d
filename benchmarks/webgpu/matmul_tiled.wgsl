// C = A * B for square matrices of n x n floats, where every tile divides n: WX * WY invocations,
// each of which computes R rows of C times 4 columns, from tiles in workgroup memory that are BK deep.
override WX: u32 = 16;
override WY: u32 = 16;
override BK: u32 = 16;
override R: u32 = 4;
override C4: u32 = 1;

const most_rows = 8u;
const most_columns = 2u;

@group(0) @binding(0) var<storage, read> A: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> n: u32;

var<workgroup> a_tile: array<vec4<f32>, WY * R * (BK / 4u)>;
var<workgroup> b_tile: array<vec4<f32>, BK * WX * C4>;

@compute @workgroup_size(WX, WY)
fn matmul(@builtin(workgroup_id) group: vec3<u32>,
          @builtin(local_invocation_id) local: vec3<u32>,
          @builtin(local_invocation_index) index: u32) {
    let depth = BK / 4u;
    let width = WX * C4;
    let row_length = n / 4u;
    let first_row = group.y * WY * R;
    let first_column = group.x * width;
    var sum: array<vec4<f32>, most_rows * most_columns>;
    for (var k = 0u; k < n; k += BK) {
        for (var e = index; e < WY * R * depth; e += WX * WY) {
            a_tile[e] = A[(first_row + e / depth) * row_length + k / 4u + e % depth];
        }
        for (var e = index; e < BK * width; e += WX * WY) {
            b_tile[e] = B[(k + e / width) * row_length + first_column + e % width];
        }
        workgroupBarrier();
        for (var d = 0u; d < depth; d++) {
            var b: array<vec4<f32>, 4u * most_columns>;
            for (var j = 0u; j < 4u; j++) {
                for (var c = 0u; c < C4; c++) {
                    b[j * most_columns + c] = b_tile[(d * 4u + j) * width + c * WX + local.x];
                }
            }
            for (var r = 0u; r < R; r++) {
                let a = a_tile[(local.y * R + r) * depth + d];
                for (var c = 0u; c < C4; c++) {
                    var s = sum[r * most_columns + c];
                    s = fma(vec4<f32>(a.x), b[c], s);
                    s = fma(vec4<f32>(a.y), b[most_columns + c], s);
                    s = fma(vec4<f32>(a.z), b[2u * most_columns + c], s);
                    s = fma(vec4<f32>(a.w), b[3u * most_columns + c], s);
                    sum[r * most_columns + c] = s;
                }
            }
        }
        workgroupBarrier();
    }
    for (var r = 0u; r < R; r++) {
        for (var c = 0u; c < C4; c++) {
            C[(first_row + local.y * R + r) * row_length + first_column + c * WX + local.x] = sum[r * most_columns + c];
        }
    }
}
