// SPDX-License-Identifier: BSL-1.0
// The assignment step of k-means: for each point the number of the nearest centre, of equally near
// ones the first. Points and centres are stored one after the other. One thread a point.
__global__ void assign_clusters(float const* points,
                                float const* centres,
                                int* nearest,
                                int point_count,
                                int centre_count,
                                int dimensions) {
    int const point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= point_count) return;
    int best = 0;
    float least = 0.0f;
    for (int centre = 0; centre < centre_count; ++centre) {
        float distance = 0.0f; // its square
        for (int d = dimensions - 1; d >= 0; --d) {
            float const apart = points[point * dimensions + d] - centres[centre * dimensions + d];
            distance += apart * apart;
        }
        if (centre == 0 || distance < least) {
            least = distance;
            best = centre;
        }
    }
    nearest[point] = best;
}
