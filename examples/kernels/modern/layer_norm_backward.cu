// SPDX-License-Identifier: BSL-1.0
// The gradients of y = (x - mean) * rstd * weight + bias, row by row, where dy is that of y: dx of
// each row, then dweight and dbias of each column. One thread a row, and one a column.
__global__ void layer_norm_backward(float const* dy,
                                    float const* x,
                                    float const* weight,
                                    float const* mean,
                                    float const* rstd,
                                    float* dx,
                                    float* dweight,
                                    float* dbias,
                                    int rows,
                                    int columns) {
    int const thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread < rows) {
        float sum = 0.0f, product = 0.0f;
        for (int i = 0; i < columns; ++i) {
            int const at = thread * columns + i;
            float const normal = (x[at] - mean[thread]) * rstd[thread];
            sum += dy[at] * weight[i];
            product += dy[at] * weight[i] * normal;
        }
        for (int i = 0; i < columns; ++i) {
            int const at = thread * columns + i;
            float const normal = (x[at] - mean[thread]) * rstd[thread];
            dx[at] =
                (dy[at] * weight[i] - sum / columns - normal * (product / columns)) * rstd[thread];
        }
    } else if (thread < rows + columns) {
        int const column = thread - rows;
        float sum = 0.0f, product = 0.0f;
        for (int i = 0; i < rows; ++i) {
            int const at = i * columns + column;
            sum += dy[at];
            product += dy[at] * ((x[at] - mean[i]) * rstd[i]);
        }
        dbias[column] = sum;
        dweight[column] = product;
    }
}
