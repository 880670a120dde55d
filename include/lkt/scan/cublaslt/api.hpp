// SPDX-License-Identifier: BSL-1.0
// NVIDIA's cuBLASLt, as far as lkt uses it: loaded at run time, so that a program is built without
// a toolkit and starts without one. Names, numbers and layouts: cuBLASLt 12 and 13, cublasLt.h and
// library_types.h. AMD's hipBLASLt has the same functions with other numbers (hipblaslt.h and
// hipblas-common.h of ROCm 6 and 7): it takes the place of cuBLASLt here, translated.
#pragma once

#include <lkt/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lkt::cublaslt_detail {

enum class lt_status : int { success = 0, not_supported = 15 };

/// cudaDataType_t.
enum class lt_type : int {
    f32 = 0,
    f64 = 1,
    f16 = 2,
    i8 = 3,
    i32 = 10,
    bf16 = 14,
    e4m3 = 28,
};
/// cublasComputeType_t.
enum class lt_compute : int { f32 = 68, f64 = 70, i32 = 72, tf32 = 77 };
/// cublasOperation_t.
enum class lt_operation : std::int32_t { none = 0, transpose = 1 };
/// cublasLtMatmulDescAttributes_t.
enum class lt_product_attribute : int {
    transpose_a = 3,
    transpose_b = 4,
    epilogue = 7,
    bias = 8, ///< where it is
    bias_type = 26,
};
/// cublasLtEpilogue_t.
enum class lt_epilogue : std::uint32_t {
    none = 1,
    relu = 2,
    bias = 4,
    relu_bias = 6,
    gelu = 32,
    gelu_bias = 36,
};
/// cublasLtMatrixLayoutAttribute_t.
enum class lt_matrix_attribute : int { batch_count = 5, batch_stride = 6 };
/// cublasLtMatmulPreferenceAttributes_t.
enum class lt_preference_attribute : int { workspace = 1, align_a = 5, align_b, align_c, align_d };
/// cublasLtMatmulAlgoConfigAttributes_t; the last two have 16 bits, the others 32.
enum class lt_choice : int {
    id = 0,
    tile = 1,
    split_k = 2,
    reduction = 3,
    swizzle = 4,
    custom = 5,
    stages = 6,
    inner_shape = 7,
    cluster = 8,
};

using lt_handle = struct lt_handle_object*;
using lt_product = struct lt_product_object*;
using lt_matrix = struct lt_matrix_object*;
using lt_preference = struct lt_preference_object*;

/// cublasLtMatmulAlgo_t.
struct lt_algorithm {
    std::uint64_t data[8];
};
/// cublasLtMatmulHeuristicResult_t.
struct lt_found {
    lt_algorithm algorithm;
    std::size_t workspace;
    lt_status state;
    float waves;
    int reserved[4];
};
static_assert(sizeof(lt_found) == 96);

/// The functions. All are there after `load_cublaslt` or `load_hipblaslt`.
struct cublaslt_api {
    std::string_view title = "cuBLASLt";
    std::size_t (*version)() = nullptr;
    char const* (*status_name)(lt_status) = nullptr;
    lt_status (*create)(lt_handle*) = nullptr;
    lt_status (*product_create)(lt_product*, lt_compute, lt_type scale) = nullptr;
    lt_status (*product_destroy)(lt_product) = nullptr;
    lt_status (*product_set)(lt_product, lt_product_attribute, void const*, std::size_t) = nullptr;
    lt_status (*matrix_create)(lt_matrix*,
                               lt_type,
                               std::uint64_t rows,
                               std::uint64_t columns,
                               std::int64_t stride) = nullptr;
    lt_status (*matrix_destroy)(lt_matrix) = nullptr;
    lt_status (*matrix_set)(lt_matrix, lt_matrix_attribute, void const*, std::size_t) = nullptr;
    lt_status (*preference_create)(lt_preference*) = nullptr;
    lt_status (*preference_destroy)(lt_preference) = nullptr;
    lt_status (*preference_set)(lt_preference,
                                lt_preference_attribute,
                                void const*,
                                std::size_t) = nullptr;
    lt_status (*heuristic)(lt_handle,
                           lt_product,
                           lt_matrix a,
                           lt_matrix b,
                           lt_matrix c,
                           lt_matrix d,
                           lt_preference,
                           int wanted,
                           lt_found*,
                           int* found) = nullptr;
    lt_status (*choice)(lt_algorithm const*, lt_choice, void*, std::size_t, std::size_t* written) =
        nullptr;
    lt_status (*multiply)(lt_handle,
                          lt_product,
                          void const* alpha,
                          std::uint64_t a,
                          lt_matrix,
                          std::uint64_t b,
                          lt_matrix,
                          void const* beta,
                          std::uint64_t c,
                          lt_matrix,
                          std::uint64_t d,
                          lt_matrix,
                          lt_algorithm const*,
                          std::uint64_t workspace,
                          std::size_t workspace_bytes,
                          void* stream) = nullptr;

    /// `CUBLAS_STATUS_NOT_SUPPORTED`.
    [[nodiscard]] std::string describe(lt_status s) const;
};

/// `library`, else `LKT_CUBLASLT`, else what the loader, the CUDA toolkit or the wheel
/// nvidia-cublas (`LKT_CUDA_WHEELS` names its site-packages) has. Call it only in workers: the
/// library stays loaded. Errors (unavailable): `lkt.scan.cublaslt`.
[[nodiscard]] result<cublaslt_api> load_cublaslt(std::string const& library);

/// `library`, else `LKT_HIPBLASLT`, else the newest of ROCm's folders (`gpu/hip/runtime.hpp`). Call
/// it only in workers, which hold one library. Errors (unavailable): `lkt.scan.hipblaslt`.
[[nodiscard]] result<cublaslt_api> load_hipblaslt(std::string const& library);

} // namespace lkt::cublaslt_detail
