// SPDX-License-Identifier: BSL-1.0
// A library with the driver's functions and no device behind them. LKT_FAKE_DRIVER says how it
// behaves: `init=34`, `version=11040`, `devices=2`, `mig=1`, separated by commas. Only what happens
// before a context is made is imitated; the rest fails. With `mig=1` there is one GPU, divided into
// two instances, of which CUDA_VISIBLE_DEVICES shows one, and NVML both.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

int setting(char const* name, int otherwise) {
    char const* const all = std::getenv("LKT_FAKE_DRIVER");
    std::string const text = std::string(",") + (all != nullptr ? all : "");
    auto const at = text.find(std::string(",") + name + "=");
    return at == std::string::npos ? otherwise
                                   : std::atoi(text.c_str() + at + std::strlen(name) + 2);
}
constexpr int unknown = 999;

bool divided() { return setting("mig", 0) != 0; }
char const* const instances[] = {"MIG-30303030-3030-3030-3030-303030303030",
                                 "MIG-40404040-4040-4040-4040-404040404040"};
/// The instance that this process sees; -1: none.
int seen() {
    char const* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (visible == nullptr) return 0;
    for (int k = 0; k < 2; ++k)
        if (std::strcmp(visible, instances[k]) == 0) return k;
    return -1;
}
int text_to(char* to, unsigned size, char const* text) {
    std::strncpy(to, text, size);
    return 0;
}

} // namespace

extern "C" {
int cuInit(unsigned) { return divided() && seen() < 0 ? 100 : setting("init", 0); }
int cuDriverGetVersion(int* v) { return *v = setting("version", 13000), 0; }
int cuGetErrorName(int e, char const** name) {
    return *name = e == 999 ? "FAKE_UNKNOWN" : "FAKE", 0;
}
int cuGetErrorString(int, char const** text) { return *text = "a fake error", 0; }
int cuDeviceGetCount(int* n) { return *n = setting("devices", 1), 0; }
int cuDeviceGet(int* d, int k) { return *d = k, 0; }
int cuDeviceGetName(char* name, int size, int d) {
    std::strncpy(name,
                 divided() ? "Fake GPU MIG 1g.10gb"
                 : d == 0  ? "Fake GPU A"
                           : "Fake GPU B",
                 static_cast<std::size_t>(size));
    return 0;
}
int cuDeviceGetUuid_v2(unsigned char* bytes, int d) {
    std::memset(bytes, 0x10 * ((divided() ? seen() + 2 : d) + 1), 16);
    return 0;
}
int cuDeviceTotalMem_v2(std::size_t* n, int) { return *n = std::size_t{1} << 30, 0; }
int cuDeviceGetAttribute(int* v, int, int) { return *v = 1, 0; }
int cuDevicePrimaryCtxRetain(void**, int) { return setting("context", 2); }

int cuCtxSetCurrent() { return unknown; }
int cuCtxSynchronize() { return unknown; }
int cuMemAlloc_v2() { return unknown; }
int cuMemFree_v2() { return unknown; }
int cuMemHostAlloc() { return unknown; }
int cuMemHostGetDevicePointer_v2() { return unknown; }
int cuMemcpyHtoD_v2() { return unknown; }
int cuMemcpyDtoH_v2() { return unknown; }
int cuMemcpyDtoDAsync_v2() { return unknown; }
int cuMemsetD8Async() { return unknown; }
int cuStreamCreate() { return unknown; }
int cuStreamQuery() { return unknown; }
int cuEventCreate() { return unknown; }
int cuEventRecord() { return unknown; }
int cuEventElapsedTime() { return unknown; }
int cuModuleLoadData() { return unknown; }
int cuModuleUnload() { return unknown; }
int cuModuleGetFunction() { return unknown; }
int cuModuleGetGlobal_v2() { return unknown; }
int cuFuncGetAttribute() { return unknown; }
int cuFuncSetAttribute() { return unknown; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor() { return unknown; }
int cuLaunchKernel() { return unknown; }
int cuLaunchCooperativeKernel() { return unknown; }

int nvmlInit_v2() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* n) { return *n = 1, 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned, void** gpu) { return *gpu = nullptr, 0; }
int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* n) { return *n = divided() ? 7 : 0, 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned k, void** instance) {
    if (k != 1 && k != 4) return 6; // not found: as numbers go where instances were destroyed
    return *instance = const_cast<char*>(instances[k == 1 ? 0 : 1]), 0;
}
int nvmlDeviceGetUUID(void* instance, char* to, unsigned size) {
    return text_to(to, size, static_cast<char const*>(instance));
}
int nvmlDeviceGetName(void*, char* to, unsigned size) {
    return text_to(to, size, "Fake GPU MIG 1g.10gb");
}
}
