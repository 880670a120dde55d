// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/cuda/nvrtc.hpp>
#include <lkt/process/service.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <system_error>

namespace lkt::cuda_detail::place {

namespace fs = std::filesystem;

std::string variable(char const* name) {
    auto const* const value = std::getenv(name);
    return value == nullptr ? std::string{} : std::string{value};
}

bool is_file(fs::path const& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

/// Links resolved; as it was where that is impossible.
std::string resolved(fs::path const& path) {
    std::error_code failed;
    auto const real = fs::canonical(path, failed);
    return failed ? path.string() : real.string();
}

/// The entries of a folder in a fixed order; none where it cannot be read.
std::vector<fs::path> entries(fs::path const& folder) {
    std::vector<fs::path> found;
    std::error_code failed;
    for (fs::directory_iterator at{folder, failed}, end; !failed && at != end; at.increment(failed))
        found.push_back(at->path());
    std::sort(found.begin(), found.end());
    return found;
}

/// The newest libnvrtc.so.N of a folder that is not too old; too old ones are told.
std::optional<fs::path> library_in(fs::path const& folder, std::string& told) {
    constexpr std::string_view stem = "libnvrtc.so.";
    std::optional<fs::path> best;
    int newest = 0;
    for (auto const& entry : entries(folder)) {
        auto const name = entry.filename().string();
        if (!name.starts_with(stem) || !is_file(entry)) continue;
        int major = 0;
        (void)std::from_chars(name.data() + stem.size(), name.data() + name.size(), major);
        if (major == 0) continue;
        if (major < oldest_nvrtc && major > 0) told += " (" + entry.string() + " is too old)";
        if (major >= oldest_nvrtc && major > newest) newest = major, best = entry;
    }
    return best;
}

/// As the dynamic loader finds it, for programs whose LD_LIBRARY_PATH, cache or RUNPATH knows it.
/// Lazily bound and given back at once: nothing of it runs but its initialisers, in some 10 ms.
std::optional<fs::path> library_of_loader() {
    for (auto const* const name : {"libnvrtc.so.14", "libnvrtc.so.13", "libnvrtc.so.12"}) {
        auto* const handle = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        if (handle == nullptr) continue;
        ::link_map* map = nullptr;
        std::optional<fs::path> path;
        if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) path = map->l_name;
        ::dlclose(handle);
        if (path && is_file(*path)) return path;
    }
    return {};
}

/// Headers of the toolkit or wheel that the library belongs to.
std::vector<std::string> includes_of(fs::path const& library) {
    auto const lib = library.parent_path();
    std::vector<fs::path> candidates{lib / "../include",
                                     lib / "../../include",
                                     lib / "../../../include",
                                     lib / "../../cuda_runtime/include",
                                     lib / "../../cuda_cccl/include",
                                     lib / "../../cuda_nvcc/include"};
    for (auto const& sibling : entries(lib / "../.."))
        if (sibling.filename().string().starts_with("cu1"))
            candidates.push_back(sibling / "include");
    std::vector<std::string> found;
    auto const add = [&](fs::path const& folder) {
        auto const path = resolved(folder);
        if (std::find(found.begin(), found.end(), path) == found.end()) found.push_back(path);
    };
    auto const look = [&](fs::path const& folder) {
        std::error_code ignored;
        // CUDA 12's wheels have the headers in crt/ apart, with the compiler.
        if (is_file(folder / "cuda_fp16.h") || is_file(folder / "cuda/std/array") ||
            is_file(folder / "crt/mma.h"))
            add(folder);
        if (is_file(folder / "cccl/cuda/std/array")) add(folder / "cccl");
    };
    for (auto const& folder : candidates) look(folder);
    if (!found.empty()) return found;
    for (auto const* const name : {"CUDA_HOME", "CUDA_PATH"})
        if (auto const root = variable(name); !root.empty()) look(fs::path{root} / "include");
    if (found.empty()) look("/usr/local/cuda/include");
    return found;
}

} // namespace lkt::cuda_detail::place

namespace lkt::cuda_detail {

result<nvrtc_place> find_nvrtc(std::string const& library) {
    namespace p = place;
    namespace fs = std::filesystem;
    std::string searched;
    auto const at = [](fs::path const& file, std::string by) {
        nvrtc_place found;
        found.library = p::resolved(file);
        found.includes = p::includes_of(found.library);
        found.found_by = std::move(by);
        return found;
    };
    auto const none = [](std::string what) {
        return error{condition::unavailable,
                     "lkt.cuda.nvrtc",
                     std::move(what),
                     "install the CUDA toolkit 12 or newer, or its parts from PyPI (pip install "
                     "nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl; "
                     "LKT_CUDA_WHEELS names "
                     "their site-packages), or set LKT_NVRTC to the file libnvrtc.so"};
    };
    auto const named = [&](std::string const& file, std::string const& by) -> result<nvrtc_place> {
        if (p::is_file(file)) return at(file, by);
        return none("there is no NVRTC at '" + file + "', which " + by + " names");
    };
    if (!library.empty()) return named(library, "compile_pool_options::nvrtc");
    if (auto const file = p::variable("LKT_NVRTC"); !file.empty()) return named(file, "LKT_NVRTC");

    auto const toolkit = [&](fs::path const& root) -> std::optional<fs::path> {
        searched += (searched.empty() ? "" : ", ") + root.string();
        for (auto const* const lib :
             {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
            if (auto found = p::library_in(root / lib, searched)) return found;
        return {};
    };
    for (auto const* const name : {"CUDA_HOME", "CUDA_PATH"})
        if (auto const root = p::variable(name); !root.empty())
            if (auto const found = toolkit(root)) return at(*found, name);
    searched += (searched.empty() ? "" : ", ") + std::string{"the dynamic loader's folders"};
    if (auto const found = p::library_of_loader()) return at(*found, "dynamic loader");
    std::vector<fs::path> roots{"/usr/local/cuda"};
    auto siblings = p::entries("/usr/local");
    for (auto root = siblings.rbegin(); root != siblings.rend(); ++root)
        if (root->filename().string().starts_with("cuda-")) roots.push_back(*root);
    roots.emplace_back("/opt/cuda");
    for (auto const& root : roots)
        if (auto const found = toolkit(root)) return at(*found, root.string());
    auto const wheels = p::variable("LKT_CUDA_WHEELS");
    for (std::string_view rest = wheels; !rest.empty();) {
        auto const end = std::min(rest.find(':'), rest.size());
        fs::path const site{rest.substr(0, end)};
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (site.empty()) continue;
        searched += ", " + site.string();
        for (auto const& part : p::entries(site / "nvidia"))
            if (auto const found = p::library_in(part / "lib", searched))
                return at(*found, "LKT_CUDA_WHEELS");
    }
    return none("NVRTC, the compiler of CUDA kernels, was not found; searched: " + searched);
}

std::string identity(nvrtc_place const& where) {
    namespace p = place;
    std::filesystem::path const library{where.library};
    auto text = gpu_detail::file_stamp(library);
    for (auto const& entry : p::entries(library.parent_path()))
        if (entry.filename().string().starts_with("libnvrtc-builtins"))
            text += gpu_detail::file_stamp(entry);
    return text;
}

std::string identity_of_includes(nvrtc_place const& where) {
    namespace fs = std::filesystem;
    std::string text;
    for (auto const& folder : where.includes) {
        std::vector<std::string> stamps;
        std::error_code failed;
        for (fs::recursive_directory_iterator at{folder, failed}, end; !failed && at != end;
             at.increment(failed))
            if (std::error_code ignored; at->is_regular_file(ignored))
                stamps.push_back(gpu_detail::file_stamp(at->path()));
        std::sort(stamps.begin(), stamps.end());
        // The stamps would be 100 KB in every key. Nobody writes headers to make hashes collide.
        std::uint64_t first = layout_hash({}), second = layout_hash("second");
        for (auto const& s : stamps) {
            first = layout_hash(s, first);
            second = layout_hash(s, second);
        }
        text += folder + ": " + std::to_string(stamps.size()) + " files" +
                (failed ? " and what cannot be read, " : ", ") + std::to_string(first) + " " +
                std::to_string(second) + "\n";
    }
    return text;
}

std::vector<std::string> offered_headers(nvrtc_place const& where) {
    std::vector<std::string> offered;
    for (auto const* const name : {"cuda_fp16.h",
                                   "cuda_bf16.h",
                                   "cuda_fp8.h",
                                   "mma.h",
                                   "cooperative_groups.h",
                                   "cooperative_groups/reduce.h",
                                   "cooperative_groups/memcpy_async.h",
                                   "cuda_pipeline.h",
                                   "cuda/barrier",
                                   "cuda/pipeline",
                                   "cuda/std/array",
                                   "cuda/std/limits",
                                   "cuda/std/type_traits",
                                   "cub/block/block_load.cuh",
                                   "cub/block/block_radix_sort.cuh",
                                   "cub/block/block_reduce.cuh",
                                   "cub/block/block_scan.cuh",
                                   "cub/warp/warp_reduce.cuh",
                                   "cub/warp/warp_scan.cuh"})
        if (has_header(where, name)) offered.emplace_back(name);
    return offered;
}

} // namespace lkt::cuda_detail
