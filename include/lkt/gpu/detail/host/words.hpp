// SPDX-License-Identifier: BSL-1.0
// Names that a kernel for the host back end may not use, and the headers that it may.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lkt::host_detail {

struct word {
    std::string_view name;
    std::string_view why;
};

inline constexpr std::string_view not_device_code =
    "a kernel may contain only device code: it cannot start programs, open files or call the "
    "operating system";
inline constexpr std::string_view no_heap =
    "kernels have no heap here; use a buffer argument or shared memory";
inline constexpr std::string_view no_textures = "the host back end has no textures and surfaces";
inline constexpr std::string_view no_clock =
    "a kernel must not read the time: its results could depend on it";
inline constexpr std::string_view no_exceptions = "device code has no exceptions";
inline constexpr std::string_view no_library = "only the kernel's own text is compiled, no library";
inline constexpr std::string_view no_managed = "pass memory as arguments";
inline constexpr std::string_view reserved =
    "only names within a kernel's text may begin with lkt_: no kernel's, no constant's that is an "
    "argument, and none in a parameter's value";
inline constexpr std::string_view compilers_own =
    "names of this form belong to the compiler and depend on the compiler, the machine or the "
    "build; a kernel must mean the same everywhere";

/// Whole identifiers.
inline constexpr auto refused_words = std::to_array<word>({
    {"__attribute__", "attributes are not allowed: they can run code when a kernel is loaded"},
    {"__attribute", "attributes are not allowed: they can run code when a kernel is loaded"},
    {"__declspec", "attributes are not allowed: they can run code when a kernel is loaded"},
    {"__PRETTY_FUNCTION__", compilers_own},
    {"__FUNCSIG__", compilers_own},
    {"_Pragma", "the only pragma allowed is #pragma unroll"},
    {"__pragma", "the only pragma allowed is #pragma unroll"},
    {"__has_include", "a kernel must not test which files exist"},
    {"__has_include_next", "a kernel must not test which files exist"},
    {"__has_embed", "a kernel must not test which files exist"},
    {"__managed__", no_managed},
    {"__cluster_dims__", "the host back end has no clusters of blocks"},
    {"__extension__", "it hides extensions of one compiler"},
    {"thread_local", "device code has no thread_local; local variables belong to a thread anyway"},
    {"__thread", "device code has no thread_local; local variables belong to a thread anyway"},
    {"new", no_heap},
    {"delete", no_heap},
    {"malloc", no_heap},
    {"calloc", no_heap},
    {"realloc", no_heap},
    {"alloca", "its size has no limit; use an array"},
    {"try", no_exceptions},
    {"catch", no_exceptions},
    {"throw", no_exceptions},
    {"typeid", "device code has no run-time type information"},
    {"dynamic_cast", "device code has no run-time type information"},
    {"co_await", "device code has no coroutines"},
    {"co_yield", "device code has no coroutines"},
    {"co_return", "device code has no coroutines"},
    {"system", not_device_code},
    {"popen", not_device_code},
    {"fork", not_device_code},
    {"vfork", not_device_code},
    {"execl", not_device_code},
    {"execlp", not_device_code},
    {"execle", not_device_code},
    {"execv", not_device_code},
    {"execvp", not_device_code},
    {"execve", not_device_code},
    {"execvpe", not_device_code},
    {"posix_spawn", not_device_code},
    {"posix_spawnp", not_device_code},
    {"socket", not_device_code},
    {"socketpair", not_device_code},
    {"syscall", not_device_code},
    {"dlopen", not_device_code},
    {"dlsym", not_device_code},
    {"dlmopen", not_device_code},
    {"mmap", not_device_code},
    {"munmap", not_device_code},
    {"mprotect", not_device_code},
    {"ptrace", not_device_code},
    {"prctl", not_device_code},
    {"fopen", not_device_code},
    {"freopen", not_device_code},
    {"fdopen", not_device_code},
    {"openat", not_device_code},
    {"creat", not_device_code},
    {"unlink", not_device_code},
    {"fprintf", not_device_code},
    {"fwrite", not_device_code},
    {"fread", not_device_code},
    {"fputs", not_device_code},
    {"stdin", not_device_code},
    {"stdout", not_device_code},
    {"stderr", not_device_code},
    {"getenv", not_device_code},
    {"setenv", not_device_code},
    {"putenv", not_device_code},
    {"environ", not_device_code},
    {"sigaction", not_device_code},
    {"setjmp", not_device_code},
    {"longjmp", not_device_code},
    {"atexit", not_device_code},
    {"_exit", not_device_code},
    {"quick_exit", not_device_code},
    {"iostream", not_device_code},
    {"fstream", not_device_code},
    {"ifstream", not_device_code},
    {"ofstream", not_device_code},
    {"filesystem", not_device_code},
    {"texture", no_textures},
    {"surface", no_textures},
    {"tex1D", no_textures},
    {"tex1Dfetch", no_textures},
    {"tex2D", no_textures},
    {"tex3D", no_textures},
    {"surf2Dread", no_textures},
    {"surf2Dwrite", no_textures},
    {"clock64", no_clock},
    {"globaltimer", no_clock},
    {"__globaltimer", no_clock},
    {"thrust", no_library},
    {"cub", no_library},
    {"cublasSgemm", no_library},
});

/// Beginnings of identifiers.
inline constexpr auto refused_beginnings = std::to_array<word>({
    {"pthread_", not_device_code},
    {"curand", no_library},
    {"cublas", no_library},
    {"cudnn", no_library},
    {"__asan_", not_device_code},
    {"__ubsan_", not_device_code},
    {"__sanitizer_", not_device_code},
    {"__tsan_", not_device_code},
    {"_sub_I_", not_device_code},
    {"_sub_D_", not_device_code},
});

/// Names that have the form of a compiler's macros and are none.
inline constexpr auto plain_names = std::to_array<std::string_view>({
    "__global__",        "__device__",     "__host__",          "__shared__",
    "__constant__",      "__restrict__",   "__forceinline__",   "__noinline__",
    "__launch_bounds__", "__maxnreg__",    "__grid_constant__", "__align__",
    "__builtin_align__", "__inline__",     "__const__",         "__volatile__",
    "__signed__",        "__alignof__",    "__typeof__",        "__func__",
    "__FUNCTION__",      "__NV_E2M1",      "__NV_E4M3",         "__NV_E5M2",
    "__NV_NOSAT",        "__NV_SATFINITE",
});

/// Whether a compiler may have a macro of this name, whose meaning another build need not share:
/// `__SANITIZE_ADDRESS__`, `__clang__`, `__cpp_lib_bit_cast`, `_LP64`. A kernel's own macros are
/// gone when this is asked.
[[nodiscard]] constexpr bool named_by_compilers(std::string_view name) {
    if (std::find(plain_names.begin(), plain_names.end(), name) != plain_names.end()) return false;
    bool const capitals =
        name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == name.npos;
    if (name.starts_with("__"))
        return name.size() > 2 && (capitals || name.ends_with("__") || name.starts_with("__cpp_") ||
                                   name.starts_with("__has_"));
    return name.size() > 3 && name[0] == '_' && capitals;
}

/// GNU and Clang built-in functions that compute and nothing else.
inline constexpr auto allowed_builtins = std::to_array<std::string_view>({
    "__builtin_align__",    "__builtin_assume",    "__builtin_assume_aligned",
    "__builtin_bit_cast",   "__builtin_bswap16",   "__builtin_bswap32",
    "__builtin_bswap64",    "__builtin_clz",       "__builtin_clzll",
    "__builtin_ctz",        "__builtin_ctzll",     "__builtin_expect",
    "__builtin_fabs",       "__builtin_fabsf",     "__builtin_ffs",
    "__builtin_fma",        "__builtin_fmaf",      "__builtin_fmax",
    "__builtin_fmaxf",      "__builtin_fmin",      "__builtin_fminf",
    "__builtin_huge_val",   "__builtin_huge_valf", "__builtin_inf",
    "__builtin_inff",       "__builtin_isfinite",  "__builtin_isinf",
    "__builtin_isnan",      "__builtin_memcpy",    "__builtin_memset",
    "__builtin_nan",        "__builtin_nanf",      "__builtin_popcount",
    "__builtin_popcountll", "__builtin_prefetch",  "__builtin_sqrt",
    "__builtin_sqrtf",      "__builtin_trap",      "__builtin_unreachable",
});

/// Headers whose names mean something to a kernel; the shim stands for all of them, no file is
/// read.
inline constexpr auto known_headers = std::to_array<std::string_view>({
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "device_launch_parameters.h",
    "device_functions.h",
    "device_atomic_functions.h",
    "sm_30_intrinsics.h",
    "sm_32_intrinsics.h",
    "vector_types.h",
    "vector_functions.h",
    "math_constants.h",
    "math_functions.h",
    "cuda_fp16.h",
    "cuda_bf16.h",
    "cuda_fp4.h",
    "cuda_fp8.h",
    "mma.h",
    "cooperative_groups.h",
    "cooperative_groups/memcpy_async.h",
    "cooperative_groups/reduce.h",
    "cooperative_groups/scan.h",
    "cuda_pipeline.h",
    "cuda_pipeline_primitives.h",
    "cuda_awbarrier_primitives.h",
    "cuda/barrier",
    "cuda/pipeline",
    "cuda/std/cmath",
    "cuda/std/cstdint",
    "cuda/std/limits",
    "cuda/std/type_traits",
    "cuda/std/utility",
    "algorithm",
    "assert.h",
    "cassert",
    "cfloat",
    "climits",
    "cmath",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstring",
    "float.h",
    "limits",
    "limits.h",
    "math.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "string.h",
    "type_traits",
    "utility",
});

/// Those of them that a prompt names: what they declare is not there without them.
inline constexpr auto offered_headers =
    std::to_array<std::string_view>({"cuda_fp16.h",
                                     "cuda_bf16.h",
                                     "cuda_fp8.h",
                                     "mma.h",
                                     "cooperative_groups.h",
                                     "cooperative_groups/memcpy_async.h",
                                     "cooperative_groups/reduce.h",
                                     "cooperative_groups/scan.h",
                                     "cuda_pipeline.h",
                                     "cuda/barrier",
                                     "cuda/pipeline"});

/// Why a header that many kernels include is refused; empty for any other.
[[nodiscard]] constexpr std::string_view reason_against_header(std::string_view name) {
    if (name.find("texture") != name.npos || name.find("surface") != name.npos) return no_textures;
    for (auto const library : {"cub/", "thrust/", "cute/", "cutlass/", "curand", "cublas", "cudnn"})
        if (name.starts_with(library)) return no_library;
    return {};
}

} // namespace lkt::host_detail
