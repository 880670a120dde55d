// SPDX-License-Identifier: BSL-1.0
// HIP's runtime and HIPRTC, as far as the HIP back end asks for them, made of CUDA's driver and
// NVRTC: what HIP's NVIDIA platform does in headers (hip/nvidia_detail), as a library that is
// loaded at run time, so that the back end runs unchanged on an NVIDIA GPU. `LKT_HIP` names it.
// HIP's errors and attributes of functions have CUDA's numbers.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace {

using handle = void*;
using address = unsigned long long;
constexpr int unknown = 999, not_supported = 801;

void* driver() {
    static void* const library = [] {
        char const* const given = std::getenv("LKT_CUDA_DRIVER");
        return ::dlopen(given != nullptr ? given : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    }();
    return library;
}

void* nvrtc() {
    static void* const library = [] {
        char const* const given = std::getenv("LKT_NVRTC");
        void* found = given != nullptr ? ::dlopen(given, RTLD_NOW) : nullptr;
        for (char const* const name : {"libnvrtc.so.13",
                                       "libnvrtc.so.12",
                                       "/usr/local/cuda/lib64/libnvrtc.so",
                                       "/usr/local/cuda/targets/x86_64-linux/lib/libnvrtc.so"})
            if (found == nullptr) found = ::dlopen(name, RTLD_NOW);
        // Its built-in functions, which it would open when it compiles.
        Dl_info about{};
        if (found != nullptr && ::dladdr(::dlsym(found, "nvrtcVersion"), &about) != 0) {
            std::error_code failed;
            std::filesystem::path const file{about.dli_fname};
            for (std::filesystem::directory_iterator at{file.parent_path(), failed}, end;
                 !failed && at != end;
                 at.increment(failed))
                if (at->path().filename().string().starts_with("libnvrtc-builtins.so."))
                    (void)::dlopen(at->path().c_str(), RTLD_NOW);
        }
        return found;
    }();
    return library;
}

/// A function of one of the libraries; where it is missing, the call fails.
template <class... A>
int call(void* library, char const* name, A... arguments) {
    if (library == nullptr) return unknown;
    auto* const function = reinterpret_cast<int (*)(A...)>(::dlsym(library, name));
    return function == nullptr ? not_supported : function(arguments...);
}
template <class... A>
int cuda(char const* name, A... arguments) {
    return call(driver(), name, arguments...);
}

/// hipDeviceAttribute_t, and CUdevice_attribute.
constexpr std::pair<int, int> attributes[] = {
    {56, 1},                         // threads of a block
    {26, 2},     {27, 3},  {28, 4},  // of it in x, y, z
    {29, 5},     {30, 6},  {31, 7},  // a grid
    {87, 10},                        // a warp
    {5, 13},                         // clock
    {63, 16},                        // multiprocessors
    {60, 36},    {59, 37}, {19, 38}, // memory's clock, its bus, L2
    {57, 39},                        // threads of a multiprocessor
    {23, 75},    {61, 76},           // capability
    {10002, 81}, {76, 81}, {72, 82}, // shared memory and registers of a multiprocessor
    {10, 95},                        // cooperative launches
    {74, 8}, // shared memory of a block, without opting in: HIP has no function for it
};

/// What HIP has in every text, and NVRTC under another name.
constexpr char const* prelude = R"(
template <class T> __device__ inline T __shfl(T v, int lane, int width = 32) { return __shfl_sync(~0u, v, lane, width); }
template <class T> __device__ inline T __shfl_up(T v, unsigned by, int width = 32) { return __shfl_up_sync(~0u, v, by, width); }
template <class T> __device__ inline T __shfl_down(T v, unsigned by, int width = 32) { return __shfl_down_sync(~0u, v, by, width); }
template <class T> __device__ inline T __shfl_xor(T v, int mask, int width = 32) { return __shfl_xor_sync(~0u, v, mask, width); }
)";

} // namespace

extern "C" {

int hipInit(unsigned flags) { return cuda("cuInit", flags); }
int hipRuntimeGetVersion(int* v) { return cuda("cuDriverGetVersion", v); }
char const* hipGetErrorName(int e) {
    char const* name = "hipErrorUnknown";
    (void)cuda("cuGetErrorName", e, &name);
    return name;
}
char const* hipGetErrorString(int e) {
    char const* text = "unknown error";
    (void)cuda("cuGetErrorString", e, &text);
    return text;
}
int hipGetDeviceCount(int* n) { return cuda("cuDeviceGetCount", n); }
int hipDeviceGet(int* device, int k) { return cuda("cuDeviceGet", device, k); }
int hipDeviceGetName(char* to, int size, int device) {
    return cuda("cuDeviceGetName", to, size, device);
}
int hipDeviceGetUuid(void* to, int device) { return cuda("cuDeviceGetUuid_v2", to, device); }
int hipDeviceTotalMem(std::size_t* to, int device) {
    return cuda("cuDeviceTotalMem_v2", to, device);
}
int hipDeviceGetAttribute(int* to, int which, int device) {
    for (auto const& [hip, number] : attributes)
        if (hip == which) return cuda("cuDeviceGetAttribute", to, number, device);
    return 1;
}
/// No gcnArchName, as it is none of AMD's, unless LKT_FAKE_GCN says that it is.
int hipGetDeviceProperties(void* to, int) {
    char const* const name = std::getenv("LKT_FAKE_GCN");
    if (name != nullptr) std::strncpy(static_cast<char*>(to) + 1024, name, 64);
    return 0;
}
int hipSetDevice(int device) {
    handle context = nullptr;
    if (int const e = cuda("cuDevicePrimaryCtxRetain", &context, device); e != 0) return e;
    return cuda("cuCtxSetCurrent", context);
}
int hipDeviceSynchronize() { return cuda("cuCtxSynchronize"); }
int hipMalloc(void** at, std::size_t size) { return cuda("cuMemAlloc_v2", at, size); }
int hipFree(void* at) { return cuda("cuMemFree_v2", at); }
int hipHostMalloc(void** at, std::size_t size, unsigned flags) {
    return cuda("cuMemHostAlloc", at, size, flags & 7); // memory of the host is coherent
}
int hipHostGetDevicePointer(void** to, void* at, unsigned flags) {
    return cuda("cuMemHostGetDevicePointer_v2", to, at, flags);
}
int hipMemcpyHtoD(void* to, void* from, std::size_t n) {
    return cuda("cuMemcpyHtoD_v2", to, from, n);
}
int hipMemcpyDtoH(void* to, void* from, std::size_t n) {
    return cuda("cuMemcpyDtoH_v2", to, from, n);
}
int hipMemcpyDtoDAsync(void* to, void* from, std::size_t n, handle stream) {
    return cuda("cuMemcpyDtoDAsync_v2", to, from, n, stream);
}
int hipMemsetD8Async(void* to, unsigned char byte, std::size_t n, handle stream) {
    return cuda("cuMemsetD8Async", to, byte, n, stream);
}
int hipStreamCreateWithFlags(handle* s, unsigned flags) { return cuda("cuStreamCreate", s, flags); }
int hipStreamQuery(handle s) { return cuda("cuStreamQuery", s); }
int hipEventCreateWithFlags(handle* e, unsigned flags) { return cuda("cuEventCreate", e, flags); }
int hipEventRecord(handle e, handle s) { return cuda("cuEventRecord", e, s); }
int hipEventElapsedTime(float* ms, handle a, handle b) {
    // CUDA 13 has it as _v2, where the old one is gone from the headers only.
    return cuda("cuEventElapsedTime", ms, a, b);
}
int hipModuleLoadData(handle* m, void const* image) { return cuda("cuModuleLoadData", m, image); }
int hipModuleUnload(handle m) { return cuda("cuModuleUnload", m); }
int hipModuleGetFunction(handle* f, handle m, char const* name) {
    return cuda("cuModuleGetFunction", f, m, name);
}
int hipModuleGetGlobal(address* at, std::size_t* size, handle m, char const* name) {
    return cuda("cuModuleGetGlobal_v2", at, size, m, name);
}
int hipFuncGetAttribute(int* to, int which, handle f) {
    return cuda("cuFuncGetAttribute", to, which, f);
}
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* n,
                                                       handle f,
                                                       int threads,
                                                       std::size_t shared) {
    return cuda("cuOccupancyMaxActiveBlocksPerMultiprocessor", n, f, threads, shared);
}
int hipModuleLaunchKernel(handle f,
                          unsigned gx,
                          unsigned gy,
                          unsigned gz,
                          unsigned bx,
                          unsigned by,
                          unsigned bz,
                          unsigned shared,
                          handle stream,
                          void** of,
                          void** extra) {
    return cuda("cuLaunchKernel", f, gx, gy, gz, bx, by, bz, shared, stream, of, extra);
}
int hipModuleLaunchCooperativeKernel(handle f,
                                     unsigned gx,
                                     unsigned gy,
                                     unsigned gz,
                                     unsigned bx,
                                     unsigned by,
                                     unsigned bz,
                                     unsigned shared,
                                     handle stream,
                                     void** of) {
    return cuda("cuLaunchCooperativeKernel", f, gx, gy, gz, bx, by, bz, shared, stream, of);
}

int hiprtcVersion(int* major, int* minor) { return call(nvrtc(), "nvrtcVersion", major, minor); }
char const* hiprtcGetErrorString(int e) {
    auto* const f =
        nvrtc() == nullptr
            ? nullptr
            : reinterpret_cast<char const* (*)(int)>(::dlsym(nvrtc(), "nvrtcGetErrorString"));
    return f == nullptr ? "there is no NVRTC" : f(e);
}
int hiprtcCreateProgram(handle* p,
                        char const* text,
                        char const* name,
                        int n,
                        char const* const* texts,
                        char const* const* names) {
    // The text's own lines are counted by a #line that it begins with.
    auto const all = std::string{prelude} + text;
    // As HIP's header for NVIDIA does; CUDA's lies in a folder of the user's.
    std::vector<char const*> own{texts, texts + n};
    for (std::size_t k = 0; k < own.size(); ++k)
        if (std::string_view{names[k]} == "hip/hip_fp16.h")
            own[k] = "#pragma once\n#include <cuda_fp16.h>\n";
    return call(nvrtc(),
                "nvrtcCreateProgram",
                p,
                all.c_str(),
                name,
                n,
                static_cast<char const* const*>(own.data()),
                names);
}
int hiprtcDestroyProgram(handle* p) { return call(nvrtc(), "nvrtcDestroyProgram", p); }
int hiprtcCompileProgram(handle p, int n, char const* const* options) {
    return call(nvrtc(), "nvrtcCompileProgram", p, n, options);
}
int hiprtcGetProgramLogSize(handle p, std::size_t* n) {
    return call(nvrtc(), "nvrtcGetProgramLogSize", p, n);
}
int hiprtcGetProgramLog(handle p, char* to) { return call(nvrtc(), "nvrtcGetProgramLog", p, to); }
int hiprtcGetCodeSize(handle p, std::size_t* n) { return call(nvrtc(), "nvrtcGetCUBINSize", p, n); }
int hiprtcGetCode(handle p, char* to) { return call(nvrtc(), "nvrtcGetCUBIN", p, to); }
int hiprtcAddNameExpression(handle p, char const* name) {
    return call(nvrtc(), "nvrtcAddNameExpression", p, name);
}
int hiprtcGetLoweredName(handle p, char const* name, char const** lowered) {
    return call(nvrtc(), "nvrtcGetLoweredName", p, name, lowered);
}

} // extern "C"
