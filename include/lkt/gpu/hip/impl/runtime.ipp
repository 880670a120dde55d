// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/hip/runtime.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace lkt::hip_detail {

namespace runtime_parts {

namespace fs = std::filesystem;

std::string variable(char const* name) {
    auto const* const value = std::getenv(name);
    return value == nullptr ? std::string{} : std::string{value};
}

std::vector<fs::path> entries(fs::path const& folder) {
    std::vector<fs::path> found;
    std::error_code failed;
    for (fs::directory_iterator at{folder, failed}, end; !failed && at != end; at.increment(failed))
        found.push_back(at->path());
    std::sort(found.begin(), found.end());
    return found;
}

/// Where libraries of ROCm may lie, the likeliest first.
std::vector<fs::path> folders() {
    std::vector<fs::path> all;
    auto const root = [&](fs::path const& at) {
        if (at.empty()) return;
        for (auto const* const part :
             {"lib", "lib64", "lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu"})
            all.push_back(at / part);
    };
    for (auto const* const name : {"ROCM_PATH", "HIP_PATH"}) root(variable(name));
    root("/opt/rocm");
    auto opt = entries("/opt");
    for (auto at = opt.rbegin(); at != opt.rend(); ++at)
        if (at->filename().string().starts_with("rocm-")) root(*at);
    for (auto const* const system : {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"})
        all.emplace_back(system);
    auto const more = variable("LKT_ROCM");
    for (std::string_view rest = more; !rest.empty();) {
        auto const end = std::min(rest.find(':'), rest.size());
        root(fs::path{rest.substr(0, end)});
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return all;
}

/// What differs from CUDA's driver in shape is called by way of these; a worker holds one library.
struct functions {
    char const* (*error_name)(int) = nullptr;
    char const* (*error_text)(int) = nullptr;
    int (*attribute)(int*, int, int) = nullptr;
    int (*use_device)(int) = nullptr;
    int (*host_allocate)(void**, std::size_t, unsigned) = nullptr;
    int (*properties)(void*, int) = nullptr;
    int device = 0;
};
functions& called() {
    static functions f;
    return f;
}

/// hipDeviceAttribute_t, as the headers of HIP 5.2 number it.
int number_of(cu_attribute a) {
    switch (a) {
    case cu_attribute::max_threads_per_block:
        return 56;
    case cu_attribute::max_block_x:
        return 26;
    case cu_attribute::max_block_y:
        return 27;
    case cu_attribute::max_block_z:
        return 28;
    case cu_attribute::max_grid_x:
        return 29;
    case cu_attribute::max_grid_y:
        return 30;
    case cu_attribute::max_grid_z:
        return 31;
    case cu_attribute::warp_size:
        return 87;
    case cu_attribute::clock_khz:
        return 5;
    case cu_attribute::multiprocessors:
        return 63;
    case cu_attribute::memory_clock_khz:
        return 60;
    case cu_attribute::memory_bus_bits:
        return 59;
    case cu_attribute::l2_bytes:
        return 19;
    case cu_attribute::max_threads_per_multiprocessor:
        return 57;
    case cu_attribute::capability_major:
        return 23;
    case cu_attribute::capability_minor:
        return 61;
    case cu_attribute::shared_memory_per_multiprocessor:
        return 10002;
    case cu_attribute::registers_per_multiprocessor:
        return 72;
    case cu_attribute::cooperative_launch:
        return 10;
    case cu_attribute::shared_memory_per_block_optin:
        return 74; // a launch may ask for all of it, without more ado
    case cu_attribute::cluster_launch:
        break;
    }
    return -1;
}

cu_status attribute(int* value, cu_attribute a, cu_device device) {
    int const number = number_of(a);
    *value = 0;
    if (number < 0) return cu_status::success;
    return static_cast<cu_status>(called().attribute(value, number, device));
}
cu_status error_name(cu_status s, char const** name) {
    *name = called().error_name(static_cast<int>(s));
    return cu_status::success;
}
cu_status error_text(cu_status s, char const** text) {
    *text = called().error_text(static_cast<int>(s));
    return cu_status::success;
}
/// HIP has a current device, and no contexts that would have to be held.
cu_status retain(cu_context* context, cu_device device) {
    *context = nullptr;
    called().device = device;
    return static_cast<cu_status>(called().use_device(device));
}
cu_status use(cu_context) { return static_cast<cu_status>(called().use_device(called().device)); }
/// Coherent: the device sees what the host writes while a kernel runs.
cu_status host_allocate(void** at, std::size_t size, unsigned flags) {
    constexpr unsigned coherent = 0x40000000;
    return static_cast<cu_status>(called().host_allocate(at, size, flags | coherent));
}
/// The structure of a device's properties differs between versions; in each it begins with a name
/// of 256 bytes, and what the compiler calls the device is the text in it that begins with `gfx`.
std::string architecture(cu_device device) {
    constexpr std::size_t name_bytes = 256, most = std::size_t{1} << 14;
    auto const bytes = std::make_unique<std::array<char, most>>();
    bytes->fill(0);
    if (called().properties == nullptr || called().properties(bytes->data(), device) != 0)
        return {};
    std::string_view const all{bytes->data() + name_bytes, most - name_bytes};
    auto const at = all.find("gfx");
    if (at == all.npos) return {};
    auto const rest = all.substr(at, 64);
    return std::string{rest.substr(0, rest.find('\0'))};
}

constexpr char const* install =
    "install ROCm (Debian: libamdhip64-5), or set LKT_HIP to the file libamdhip64.so, and check "
    "whether rocminfo lists a device";

error unavailable(char const* code, std::string message) {
    return {condition::unavailable, code, std::move(message), install};
}

/// The name of the first function that the library does not have; null: it has all.
char const* find_all(void* library, driver_api& d) {
    char const* missing = nullptr;
    auto const at = [&]<class F>(F& function, std::initializer_list<char const*> names) {
        for (auto const* const name : names) {
            function = reinterpret_cast<F>(::dlsym(library, name));
            if (function != nullptr) return;
        }
        if (missing == nullptr) missing = *names.begin();
    };
    auto& f = called();
    at(d.init, {"hipInit"});
    at(d.driver_version, {"hipRuntimeGetVersion"});
    at(f.error_name, {"hipGetErrorName"});
    at(f.error_text, {"hipGetErrorString"});
    at(d.device_count, {"hipGetDeviceCount"});
    at(d.device_get, {"hipDeviceGet"});
    at(d.device_name, {"hipDeviceGetName"});
    at(d.device_uuid, {"hipDeviceGetUuid"});
    at(d.device_memory, {"hipDeviceTotalMem"});
    at(f.attribute, {"hipDeviceGetAttribute"});
    at(f.properties, {"hipGetDevicePropertiesR0600", "hipGetDeviceProperties"});
    at(f.use_device, {"hipSetDevice"});
    at(d.context_wait, {"hipDeviceSynchronize"});
    at(d.allocate, {"hipMalloc"});
    at(d.release, {"hipFree"});
    at(f.host_allocate, {"hipHostMalloc"});
    at(d.host_pointer, {"hipHostGetDevicePointer"});
    at(d.copy_to_device, {"hipMemcpyHtoD"});
    at(d.copy_from_device, {"hipMemcpyDtoH"});
    at(d.copy_on_device, {"hipMemcpyDtoDAsync"});
    at(d.fill_bytes, {"hipMemsetD8Async"});
    at(d.stream_create, {"hipStreamCreateWithFlags"});
    at(d.stream_query, {"hipStreamQuery"});
    at(d.event_create, {"hipEventCreateWithFlags"});
    at(d.event_record, {"hipEventRecord"});
    at(d.event_elapsed, {"hipEventElapsedTime"});
    at(d.module_load, {"hipModuleLoadData"});
    at(d.module_unload, {"hipModuleUnload"});
    at(d.module_function, {"hipModuleGetFunction"});
    at(d.module_global, {"hipModuleGetGlobal"});
    at(d.function_attribute, {"hipFuncGetAttribute"});
    at(d.occupancy, {"hipModuleOccupancyMaxActiveBlocksPerMultiprocessor"});
    at(d.launch, {"hipModuleLaunchKernel"});
    char const* const needed = missing;
    at(d.launch_cooperative, {"hipModuleLaunchCooperativeKernel"}); // since 5.5
    d.device_attribute = &attribute;
    d.architecture = &architecture;
    d.error_name = &error_name;
    d.error_text = &error_text;
    d.context_retain = &retain;
    d.context_use = &use;
    d.host_allocate = &host_allocate;
    d.title = "HIP";
    return needed;
}

} // namespace runtime_parts

std::vector<std::string> rocm_files(std::vector<std::string> const& stems) {
    namespace fs = std::filesystem;
    std::vector<std::string> found;
    for (auto const& folder : runtime_parts::folders())
        for (auto const& stem : stems)
            // Later versions come later in the order of names: 5, 6, 7.
            for (auto names = runtime_parts::entries(folder); !names.empty(); names.pop_back()) {
                auto const name = names.back().filename().string();
                std::error_code failed;
                if (!name.starts_with(stem + ".") || !fs::is_regular_file(names.back(), failed))
                    continue;
                auto const real = fs::canonical(names.back(), failed);
                auto const text = failed ? names.back().string() : real.string();
                if (std::find(found.begin(), found.end(), text) == found.end())
                    found.push_back(text);
            }
    return found;
}

void* open_rocm(std::string const& file, std::string& why) {
    auto* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return handle;
    auto const* const said = ::dlerror();
    why = said == nullptr ? "?" : said;
    // In this order: what is loaded is not searched for again.
    auto const names = runtime_parts::entries(std::filesystem::path{file}.parent_path());
    for (std::string_view const stem :
         {"libhsakmt.so.", "libhsa-runtime64.so.", "libamd_comgr.so.", "libamdhip64.so."})
        for (auto const& name : names)
            if (name.filename().string().starts_with(stem))
                (void)::dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    return ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
}

result<driver_api> load_hip(std::string const& library) {
    using namespace runtime_parts;
    auto file = library.empty() ? variable("LKT_HIP") : library;
    if (file.empty())
        if (auto const found = rocm_files({"libamdhip64.so"}); !found.empty()) file = found.front();
    if (file.empty()) return unavailable("lkt.hip.driver", "HIP's runtime was not found");
    std::string why;
    void* const handle = open_rocm(file, why);
    if (handle == nullptr)
        return unavailable("lkt.hip.driver", "HIP's runtime cannot be loaded: " + why);
    driver_api d;
    if (char const* const missing = find_all(handle, d))
        return unavailable("lkt.hip.driver", file + " is not HIP's runtime: it has no " + missing);
    auto const status = d.init(0);
    // HIP 5 says the latter.
    if (status == cu_status::no_device || status == cu_status::invalid_device)
        return unavailable("lkt.hip.no-device", "HIP finds no device");
    if (status != cu_status::success)
        return unavailable("lkt.hip.driver", "HIP does not start: " + d.describe(status));
    int devices = 0;
    if (auto const s = d.device_count(&devices); s != cu_status::success || devices == 0)
        return unavailable("lkt.hip.no-device", "HIP finds no device");
    return d;
}

device_kind const& hip_devices() {
    static constexpr device_kind kind{
        .name = "hip",
        .title = "HIP",
        .load = &load_hip,
        .how_to_name = "give an index, or the beginning of an identifier of this list",
        .how_to_look = "check whether rocminfo shows the device",
        .when_too_new = "the compiler and the runtime are of different versions: install both from "
                        "one release of ROCm"};
    return kind;
}

result<worker_message> serve_device(worker_message request) {
    return serve_module_device(hip_devices(), std::move(request));
}

} // namespace lkt::hip_detail
