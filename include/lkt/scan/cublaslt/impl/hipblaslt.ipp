// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/gpu/hip/runtime.hpp>
#include <lkt/scan/cublaslt/api.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <type_traits>
#include <vector>

namespace lkt::cublaslt_detail {

namespace hipblaslt_parts {

/// hipblasLtMatmulHeuristicResult_t, which begins with hipblasLtMatmulAlgo_t.
struct hip_found {
    std::uint64_t algorithm[3];
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};
static_assert(sizeof(hip_found) == 56 && sizeof(hip_found::algorithm) <= sizeof(lt_algorithm));

/// What is not as in cuBLASLt is called by way of these; a worker holds one library.
struct functions {
    int (*version)(lt_handle, int*) = nullptr;
    int (*create)(lt_handle*) = nullptr;
    int (*product_create)(lt_product*, int compute, int scale) = nullptr;
    int (*product_destroy)(lt_product) = nullptr;
    int (*product_set)(lt_product, int, void const*, std::size_t) = nullptr;
    int (*matrix_create)(lt_matrix*, int, std::uint64_t, std::uint64_t, std::int64_t) = nullptr;
    int (*matrix_destroy)(lt_matrix) = nullptr;
    int (*matrix_set)(lt_matrix, int, void const*, std::size_t) = nullptr;
    int (*preference_create)(lt_preference*) = nullptr;
    int (*preference_destroy)(lt_preference) = nullptr;
    int (*preference_set)(lt_preference, int, void const*, std::size_t) = nullptr;
    int (*heuristic)(lt_handle,
                     lt_product,
                     lt_matrix,
                     lt_matrix,
                     lt_matrix,
                     lt_matrix,
                     lt_preference,
                     int,
                     hip_found*,
                     int*) = nullptr;
    int (*multiply)(lt_handle,
                    lt_product,
                    void const*,
                    std::uint64_t,
                    lt_matrix,
                    std::uint64_t,
                    lt_matrix,
                    void const*,
                    std::uint64_t,
                    lt_matrix,
                    std::uint64_t,
                    lt_matrix,
                    void const*,
                    std::uint64_t,
                    std::size_t,
                    void*) = nullptr;
    lt_handle handle = nullptr;
};
functions& called() {
    static functions f;
    return f;
}

/// hipblasStatus_t. Those without a counterpart that lkt knows lie above cuBLASLt's.
constexpr char const* status_names[] = {"SUCCESS",
                                        "NOT_INITIALIZED",
                                        "ALLOC_FAILED",
                                        "INVALID_VALUE",
                                        "MAPPING_ERROR",
                                        "EXECUTION_FAILED",
                                        "INTERNAL_ERROR",
                                        "NOT_SUPPORTED",
                                        "ARCH_MISMATCH",
                                        "HANDLE_IS_NULLPTR",
                                        "INVALID_ENUM",
                                        "UNKNOWN"};
constexpr int own_statuses = 1000, hip_not_supported = 7;

lt_status status_of(int s) {
    return s == 0                   ? lt_status::success
           : s == hip_not_supported ? lt_status::not_supported
                                    : static_cast<lt_status>(own_statuses + s);
}
char const* status_name(lt_status s) {
    static std::string name;
    int const own = s == lt_status::success         ? 0
                    : s == lt_status::not_supported ? hip_not_supported
                                                    : static_cast<int>(s) - own_statuses;
    if (own < 0 || own >= static_cast<int>(std::size(status_names))) return nullptr;
    name = std::string("HIPBLAS_STATUS_") + status_names[own];
    return name.c_str();
}

/// hipblasComputeType_t.
int number_of(lt_compute c) {
    switch (c) {
    case lt_compute::f32:
        return 2;
    case lt_compute::tf32:
        return 6;
    case lt_compute::f64:
        return 7;
    case lt_compute::i32:
        return 9;
    }
    return 2;
}
/// hipblasLtMatmulDescAttributes_t.
int number_of(lt_product_attribute a) {
    switch (a) {
    case lt_product_attribute::transpose_a:
        return 0;
    case lt_product_attribute::transpose_b:
        return 1;
    case lt_product_attribute::epilogue:
        return 2;
    case lt_product_attribute::bias:
        return 3;
    case lt_product_attribute::bias_type:
        return 4;
    }
    return -1;
}

/// As cuBLASLt counts: a major version is 10000, here 100000.
std::size_t version() {
    int number = 0;
    if (called().version(called().handle, &number) != 0) return 0;
    return static_cast<std::size_t>(number / 100000 * 10000 + number % 100000);
}
lt_status create(lt_handle* handle) {
    auto const s = status_of(called().create(handle));
    called().handle = *handle;
    return s;
}
lt_status product_create(lt_product* p, lt_compute compute, lt_type scale) {
    return status_of(called().product_create(p, number_of(compute), static_cast<int>(scale)));
}
lt_status product_destroy(lt_product p) { return status_of(called().product_destroy(p)); }
lt_status
product_set(lt_product p, lt_product_attribute which, void const* value, std::size_t size) {
    int operation = 0;
    if (which == lt_product_attribute::transpose_a || which == lt_product_attribute::transpose_b) {
        lt_operation how{};
        std::memcpy(&how, value, sizeof how);
        operation = how == lt_operation::none ? 111 : 112; // hipblasOperation_t
        value = &operation;
    }
    return status_of(called().product_set(p, number_of(which), value, size));
}
lt_status matrix_create(lt_matrix* m,
                        lt_type type, // hipDataType has these numbers
                        std::uint64_t rows,
                        std::uint64_t columns,
                        std::int64_t stride) {
    return status_of(called().matrix_create(m, static_cast<int>(type), rows, columns, stride));
}
lt_status matrix_destroy(lt_matrix m) { return status_of(called().matrix_destroy(m)); }
lt_status matrix_set(lt_matrix m, lt_matrix_attribute which, void const* value, std::size_t size) {
    int const number = which == lt_matrix_attribute::batch_count ? 0 : 1;
    return status_of(called().matrix_set(m, number, value, size));
}
lt_status preference_create(lt_preference* p) { return status_of(called().preference_create(p)); }
lt_status preference_destroy(lt_preference p) { return status_of(called().preference_destroy(p)); }
lt_status
preference_set(lt_preference p, lt_preference_attribute which, void const* v, std::size_t size) {
    if (which != lt_preference_attribute::workspace) return lt_status::not_supported;
    return status_of(called().preference_set(p, 1, v, size));
}
lt_status heuristic(lt_handle handle,
                    lt_product product,
                    lt_matrix a,
                    lt_matrix b,
                    lt_matrix c,
                    lt_matrix d,
                    lt_preference preference,
                    int wanted,
                    lt_found* found,
                    int* count) {
    std::vector<hip_found> own(static_cast<std::size_t>(wanted));
    auto const s = status_of(
        called().heuristic(handle, product, a, b, c, d, preference, wanted, own.data(), count));
    if (s != lt_status::success) return s;
    *count = std::clamp(*count, 0, wanted);
    for (int i = 0; i < *count; ++i) {
        auto const& from = own[static_cast<std::size_t>(i)];
        found[i] = {};
        found[i].workspace = from.workspace;
        found[i].state = status_of(from.state);
        found[i].waves = from.waves;
        std::memcpy(found[i].algorithm.data, from.algorithm, sizeof from.algorithm);
    }
    return s;
}
/// An algorithm begins with its number, which hipblaslt_ext::getIndexFromAlgo reads.
lt_status
choice(lt_algorithm const* a, lt_choice which, void* to, std::size_t size, std::size_t* written) {
    if (which != lt_choice::id || size != sizeof(std::int32_t)) return lt_status::not_supported;
    std::memcpy(to, a->data, *written = size);
    return lt_status::success;
}
lt_status multiply(lt_handle handle,
                   lt_product product,
                   void const* alpha,
                   std::uint64_t a,
                   lt_matrix of_a,
                   std::uint64_t b,
                   lt_matrix of_b,
                   void const* beta,
                   std::uint64_t c,
                   lt_matrix of_c,
                   std::uint64_t d,
                   lt_matrix of_d,
                   lt_algorithm const* how,
                   std::uint64_t workspace,
                   std::size_t workspace_bytes,
                   void* stream) {
    return status_of(called().multiply(handle,
                                       product,
                                       alpha,
                                       a,
                                       of_a,
                                       b,
                                       of_b,
                                       beta,
                                       c,
                                       of_c,
                                       d,
                                       of_d,
                                       how->data,
                                       workspace,
                                       workspace_bytes,
                                       stream));
}

error absent(std::string why) {
    return {condition::unavailable,
            "lkt.scan.hipblaslt",
            "hipBLASLt cannot be used: " + std::move(why),
            "install ROCm 6 or newer with hipBLASLt, or set LKT_HIPBLASLT to the file "
            "libhipblaslt.so"};
}

} // namespace hipblaslt_parts

result<cublaslt_api> load_hipblaslt(std::string const& library) {
    using namespace hipblaslt_parts;
    auto file = library;
    if (char const* const named = std::getenv("LKT_HIPBLASLT"); file.empty() && named != nullptr)
        file = named;
    if (file.empty())
        if (auto const found = hip_detail::rocm_files({"libhipblaslt.so"}); !found.empty())
            file = found.front();
    if (file.empty()) return absent("it is nowhere");
    std::string why;
    void* const handle = hip_detail::open_rocm(file, why);
    if (handle == nullptr) return absent(plain_line(why, 300));
    char const* missing = nullptr;
    auto const at = [&](char const* name, auto& function) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
        if (function == nullptr && missing == nullptr) missing = name;
    };
    auto& f = called();
    at("hipblasLtGetVersion", f.version);
    at("hipblasLtCreate", f.create);
    at("hipblasLtMatmulDescCreate", f.product_create);
    at("hipblasLtMatmulDescDestroy", f.product_destroy);
    at("hipblasLtMatmulDescSetAttribute", f.product_set);
    at("hipblasLtMatrixLayoutCreate", f.matrix_create);
    at("hipblasLtMatrixLayoutDestroy", f.matrix_destroy);
    at("hipblasLtMatrixLayoutSetAttribute", f.matrix_set);
    at("hipblasLtMatmulPreferenceCreate", f.preference_create);
    at("hipblasLtMatmulPreferenceDestroy", f.preference_destroy);
    at("hipblasLtMatmulPreferenceSetAttribute", f.preference_set);
    at("hipblasLtMatmulAlgoGetHeuristic", f.heuristic);
    at("hipblasLtMatmul", f.multiply);
    if (missing != nullptr) return absent(file + " has no " + missing);
    return cublaslt_api{.title = "hipBLASLt",
                        .version = &version,
                        .status_name = &status_name,
                        .create = &create,
                        .product_create = &product_create,
                        .product_destroy = &product_destroy,
                        .product_set = &product_set,
                        .matrix_create = &matrix_create,
                        .matrix_destroy = &matrix_destroy,
                        .matrix_set = &matrix_set,
                        .preference_create = &preference_create,
                        .preference_destroy = &preference_destroy,
                        .preference_set = &preference_set,
                        .heuristic = &heuristic,
                        .choice = &choice,
                        .multiply = &multiply};
}

} // namespace lkt::cublaslt_detail
