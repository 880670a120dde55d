// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/core/plain_text.hpp>
#include <lkt/scan/cublaslt/api.hpp>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace lkt::cublaslt_detail {

namespace api_parts {

namespace fs = std::filesystem;

std::string variable(char const* name) {
    char const* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

/// What may be the library, the likeliest first: names for the loader, and files that are there.
std::vector<std::string> candidates() {
    std::vector<std::string> all;
    auto const look = [&](fs::path const& folder) {
        for (char const* name : {"libcublasLt.so.13", "libcublasLt.so.12"})
            if (std::error_code ignored; fs::is_regular_file(folder / name, ignored))
                all.push_back((folder / name).string());
    };
    auto const toolkit = [&](fs::path const& root) {
        for (char const* lib :
             {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
            look(root / lib);
    };
    for (char const* name : {"CUDA_HOME", "CUDA_PATH"})
        if (auto const root = variable(name); !root.empty()) toolkit(root);
    for (char const* name : {"libcublasLt.so.13", "libcublasLt.so.12"}) all.emplace_back(name);
    toolkit("/usr/local/cuda");
    toolkit("/opt/cuda");
    auto const wheels = variable("LKT_CUDA_WHEELS");
    for (std::string_view rest = wheels; !rest.empty();) {
        auto const end = std::min(rest.find(':'), rest.size());
        fs::path const site{rest.substr(0, end)};
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (site.empty()) continue;
        for (char const* part : {"cu13", "cublas"}) look(site / "nvidia" / part / "lib");
    }
    return all;
}

error missing(std::string why) {
    return {condition::unavailable,
            "lkt.scan.cublaslt",
            "cuBLASLt cannot be used: " + std::move(why),
            "install the CUDA toolkit 12 or newer, or its part from PyPI (pip install "
            "nvidia-cublas; LKT_CUDA_WHEELS names its site-packages), or set LKT_CUBLASLT to the "
            "file libcublasLt.so"};
}

} // namespace api_parts

std::string cublaslt_api::describe(lt_status s) const {
    char const* const name = status_name != nullptr ? status_name(s) : nullptr;
    return name != nullptr ? plain_line(name, 80)
                           : std::string(title) + " status " + std::to_string(static_cast<int>(s));
}

result<cublaslt_api> load_cublaslt(std::string const& library) {
    using namespace api_parts;
    std::vector<std::string> files;
    if (!library.empty())
        files = {library};
    else if (auto const named = variable("LKT_CUBLASLT"); !named.empty())
        files = {named};
    else
        files = candidates();
    void* handle = nullptr;
    std::string used, why;
    for (std::string const& file : files) {
        handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        used = file;
        if (handle != nullptr) break;
        char const* const said = ::dlerror();
        if (why.empty() && said != nullptr) why = said;
    }
    if (handle == nullptr) return missing(why.empty() ? "it is nowhere" : plain_line(why, 300));
    cublaslt_api api;
    char const* absent = nullptr;
    auto const at = [&](char const* name, auto& function) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
        if (function == nullptr && absent == nullptr) absent = name;
    };
    at("cublasLtGetVersion", api.version);
    at("cublasLtGetStatusName", api.status_name);
    at("cublasLtCreate", api.create);
    at("cublasLtMatmulDescCreate", api.product_create);
    at("cublasLtMatmulDescDestroy", api.product_destroy);
    at("cublasLtMatmulDescSetAttribute", api.product_set);
    at("cublasLtMatrixLayoutCreate", api.matrix_create);
    at("cublasLtMatrixLayoutDestroy", api.matrix_destroy);
    at("cublasLtMatrixLayoutSetAttribute", api.matrix_set);
    at("cublasLtMatmulPreferenceCreate", api.preference_create);
    at("cublasLtMatmulPreferenceDestroy", api.preference_destroy);
    at("cublasLtMatmulPreferenceSetAttribute", api.preference_set);
    at("cublasLtMatmulAlgoGetHeuristic", api.heuristic);
    at("cublasLtMatmulAlgoConfigGetAttribute", api.choice);
    at("cublasLtMatmul", api.multiply);
    if (absent != nullptr) return missing(used + " has no " + absent);
    return api;
}

} // namespace lkt::cublaslt_detail
