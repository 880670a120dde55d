// SPDX-License-Identifier: BSL-1.0
// hipBLASLt's functions as hipblaslt.h and hipblas-common.h declare them (their numbers, and the
// layout of their results), made of cuBLASLt's: `LKT_CUBLASLT` names that. With the stand-in for
// cuBLASLt it needs no GPU; with the real one, and HIP's runtime made of CUDA's driver
// (tests/gpu/hip/nvidia), the engine runs on an NVIDIA GPU as it would on one of AMD's.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <vector>

namespace {

using handle = void*;

enum status : int { success = 0, not_initialized = 1, invalid = 3, not_supported = 7 };

/// hipblasLtMatmulAlgo_t, and hipblasLtMatmulHeuristicResult_t. Where cuBLASLt's choice is too
/// long, an algorithm has its place in a list.
struct algorithm {
    std::uint8_t data[16];
    std::size_t most_workspace;
};
struct found {
    algorithm what;
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};
struct cuda_algorithm {
    std::uint64_t data[8];
};
struct cuda_found {
    cuda_algorithm what;
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};
std::vector<cuda_algorithm>& algorithms() {
    static std::vector<cuda_algorithm> all;
    return all;
}

/// The same algorithm has the same number.
std::int32_t number_of(cuda_algorithm const& a) {
    auto& all = algorithms();
    std::size_t at = 0;
    while (at < all.size() && std::memcmp(&all[at], &a, sizeof a) != 0) ++at;
    if (at == all.size()) all.push_back(a);
    return static_cast<std::int32_t>(at);
}

template <class... A>
int call(char const* name, A... arguments) {
    static void* const library = [] {
        char const* const given = std::getenv("LKT_CUBLASLT");
        return ::dlopen(given != nullptr ? given : "libcublasLt.so.13", RTLD_NOW);
    }();
    if (library == nullptr) return not_initialized;
    auto* const function = reinterpret_cast<int (*)(A...)>(::dlsym(library, name));
    if (function == nullptr) return not_initialized;
    int const s = function(arguments...);
    return s == 0 ? success : s == 15 ? not_supported : invalid;
}

/// By HIP's number.
template <std::size_t N>
int translated(int const (&numbers)[N], int hip) {
    return hip >= 0 && hip < static_cast<int>(N) ? numbers[hip] : -1;
}

} // namespace

extern "C" {

int hipblasLtGetVersion(handle h, int* version) {
    return h == nullptr ? not_initialized : (*version = 100102, success); // 1.1.2
}
int hipblasLtCreate(handle* h) { return call("cublasLtCreate", h); }

int hipblasLtMatmulDescCreate(handle* o, int compute, int scale) {
    constexpr int of_cuda[] = {64, 65, 68, 69, 74, 75, 77, 70, 71, 72, 73};
    return call("cublasLtMatmulDescCreate", o, translated(of_cuda, compute), scale);
}
int hipblasLtMatmulDescDestroy(handle o) { return call("cublasLtMatmulDescDestroy", o); }
int hipblasLtMatmulDescSetAttribute(handle o, int which, void const* value, std::size_t size) {
    constexpr int of_cuda[] = {3, 4, 7, 8, 26};
    int const number = translated(of_cuda, which);
    if (number < 0) return invalid;
    int operation = 0;
    if (which <= 1) {
        std::memcpy(&operation, value, sizeof operation);
        if (operation != 111 && operation != 112) return invalid;
        operation -= 111;
        value = &operation;
    }
    return call("cublasLtMatmulDescSetAttribute", o, number, value, size);
}

int hipblasLtMatrixLayoutCreate(
    handle* m, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t stride) {
    return call("cublasLtMatrixLayoutCreate", m, type, rows, columns, stride);
}
int hipblasLtMatrixLayoutDestroy(handle m) { return call("cublasLtMatrixLayoutDestroy", m); }
int hipblasLtMatrixLayoutSetAttribute(handle m, int which, void const* value, std::size_t size) {
    constexpr int of_cuda[] = {5, 6};
    int const number = translated(of_cuda, which);
    return number < 0 ? invalid : call("cublasLtMatrixLayoutSetAttribute", m, number, value, size);
}

int hipblasLtMatmulPreferenceCreate(handle* p) { return call("cublasLtMatmulPreferenceCreate", p); }
int hipblasLtMatmulPreferenceDestroy(handle p) {
    return call("cublasLtMatmulPreferenceDestroy", p);
}
int hipblasLtMatmulPreferenceSetAttribute(handle p, int which, void const* v, std::size_t size) {
    return which == 1 ? call("cublasLtMatmulPreferenceSetAttribute", p, 1, v, size) : invalid;
}

int hipblasLtMatmulAlgoGetHeuristic(handle h,
                                    handle o,
                                    handle a,
                                    handle b,
                                    handle c,
                                    handle d,
                                    handle p,
                                    int wanted,
                                    found* results,
                                    int* count) {
    std::vector<cuda_found> all(static_cast<std::size_t>(wanted));
    int const s =
        call("cublasLtMatmulAlgoGetHeuristic", h, o, a, b, c, d, p, wanted, all.data(), count);
    if (s != success) return s;
    for (int i = 0; i < *count; ++i) {
        auto const& from = all[static_cast<std::size_t>(i)];
        auto const index = number_of(from.what);
        results[i] = {{{}, from.workspace},
                      from.workspace,
                      from.state == 0 ? success : not_supported,
                      from.waves,
                      {}};
        std::memcpy(results[i].what.data, &index, sizeof index);
    }
    return success;
}

int hipblasLtMatmul(handle h,
                    handle o,
                    void const* alpha,
                    void const* a,
                    handle of_a,
                    void const* b,
                    handle of_b,
                    void const* beta,
                    void const* c,
                    handle of_c,
                    void* d,
                    handle of_d,
                    algorithm const* how,
                    void* workspace,
                    std::size_t bytes,
                    handle stream) {
    std::int32_t index = 0;
    std::memcpy(&index, how->data, sizeof index);
    if (index < 0 || static_cast<std::size_t>(index) >= algorithms().size()) return invalid;
    return call("cublasLtMatmul",
                h,
                o,
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
                &algorithms()[static_cast<std::size_t>(index)],
                workspace,
                bytes,
                stream);
}
}
