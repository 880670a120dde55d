// SPDX-License-Identifier: BSL-1.0
// A library with the driver's functions and no device behind them. LKT_FAKE_DRIVER says how it
// behaves: `init=34`, `version=11040`, `devices=2`, `mig=1`, separated by commas. Only what happens
// before a context is made is imitated; the rest fails. With `works=1` the rest works on the host's
// memory, a launch does nothing (`launch=719`: it fails, at the next question), and a warp has
// `warp=64` lanes. With `mig=1` there is one GPU, divided into two instances, of which
// CUDA_VISIBLE_DEVICES shows one, and NVML both.
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
bool launched = false;
bool works() { return setting("works", 0) != 0; }
int done() { return works() ? 0 : unknown; }
int copy(void* to, void const* from, std::size_t n) {
    if (works()) std::memcpy(to, from, n);
    return done();
}
/// By the driver's numbers: one multiprocessor of capability 9.0.
int attribute(int which) {
    if (which >= 1 && which <= 7) return 1024;
    if (which == 10) return setting("warp", 32);
    if (which == 75) return 9;
    if (which == 76) return 0;
    return which == 39 || which == 97 ? 2048 : 1;
}

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
int cuDeviceGetAttribute(int* v, int which, int) { return *v = works() ? attribute(which) : 1, 0; }
int cuDevicePrimaryCtxRetain(void**, int) { return works() ? 0 : setting("context", 2); }

int cuCtxSetCurrent(void*) { return done(); }
int cuCtxSynchronize() { return done(); }
int cuMemAlloc_v2(void** p, std::size_t n) {
    return *p = works() ? std::malloc(n) : nullptr, done();
}
int cuMemFree_v2(void* p) { return std::free(p), done(); }
int cuMemHostAlloc(void** p, std::size_t n, unsigned) {
    return *p = works() ? std::malloc(n) : nullptr, done();
}
int cuMemHostGetDevicePointer_v2(void** to, void* p, unsigned) { return *to = p, done(); }
int cuMemcpyHtoD_v2(void* to, void const* from, std::size_t n) { return copy(to, from, n); }
int cuMemcpyDtoH_v2(void* to, void const* from, std::size_t n) { return copy(to, from, n); }
int cuMemcpyDtoDAsync_v2(void* to, void const* from, std::size_t n, void*) {
    return copy(to, from, n);
}
int cuMemsetD8Async(void* to, unsigned char value, std::size_t n, void*) {
    if (works()) std::memset(to, value, n);
    return done();
}
int cuStreamCreate(void** s, unsigned) { return *s = nullptr, done(); }
int cuStreamQuery(void*) { return launched ? setting("launch", 0) : done(); }
int cuEventCreate(void** e, unsigned) { return *e = nullptr, done(); }
int cuEventRecord(void*, void*) { return done(); }
int cuEventElapsedTime(float* ms, void*, void*) { return *ms = 1, done(); }
int cuModuleLoadData(void** m, void const*) { return *m = nullptr, done(); }
int cuModuleUnload(void*) { return done(); }
int cuModuleGetFunction(void** f, void*, char const*) { return *f = &launched, done(); }
int cuModuleGetGlobal_v2() { return unknown; }
int cuFuncGetAttribute(int* v, int which, void*) { return *v = which == 0 ? 1024 : 0, done(); }
int cuFuncSetAttribute(void*, int, int) { return done(); }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* n, void*, int, std::size_t) {
    return *n = 1, done();
}
int cuLaunchKernel() { return launched = works(), done(); }
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
