// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/compile_cache.hpp>
#include <lkt/gpu/cuda/compile_job.hpp>
#include <lkt/gpu/cuda/compile_service.hpp>
#include <lkt/gpu/cuda/nvrtc.hpp>
#include <lkt/gpu/device/detail/standard_headers.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>

namespace lkt::cuda_detail::api {

// What is used of NVRTC, declared here: its functions keep their C signatures between versions.
using program = void*;
enum status : int {
    success = 0,
    out_of_memory = 1,
    invalid_option = 5,
    compilation = 6,
    builtin_failure = 7,
};

struct functions {
    char const* (*error_string)(int) = nullptr;
    int (*version)(int*, int*) = nullptr;
    int (*count_archs)(int*) = nullptr;
    int (*list_archs)(int*) = nullptr;
    int (*create)(program*, char const*, char const*, int, char const* const*, char const* const*) =
        nullptr;
    int (*destroy)(program*) = nullptr;
    int (*compile)(program, int, char const* const*) = nullptr;
    int (*log_size)(program, std::size_t*) = nullptr;
    int (*log)(program, char*) = nullptr;
    int (*cubin_size)(program, std::size_t*) = nullptr;
    int (*cubin)(program, char*) = nullptr;
    int (*add_name)(program, char const*) = nullptr;
    int (*lowered_name)(program, char const*, char const**) = nullptr;
    int major = 0, minor = 0;
    bool precompiles = false; ///< it knows --pch
};

error unusable(std::string what) {
    return {condition::unavailable,
            "lkt.cuda.nvrtc",
            std::move(what),
            "install the CUDA toolkit 12 or newer, or set LKT_NVRTC to another libnvrtc.so"};
}

result<functions> load(std::string const& library) {
    auto* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        auto const* const why = ::dlerror();
        return unusable("NVRTC cannot be loaded: " + std::string{why == nullptr ? "?" : why});
    }
    functions f;
    std::string missing;
    auto const find = [&]<class F>(F& function, char const* name) {
        function = reinterpret_cast<F>(::dlsym(handle, name));
        if (function == nullptr && missing.empty()) missing = name;
    };
    find(f.error_string, "nvrtcGetErrorString");
    find(f.version, "nvrtcVersion");
    find(f.count_archs, "nvrtcGetNumSupportedArchs");
    find(f.list_archs, "nvrtcGetSupportedArchs");
    find(f.create, "nvrtcCreateProgram");
    find(f.destroy, "nvrtcDestroyProgram");
    find(f.compile, "nvrtcCompileProgram");
    find(f.log_size, "nvrtcGetProgramLogSize");
    find(f.log, "nvrtcGetProgramLog");
    find(f.cubin_size, "nvrtcGetCUBINSize");
    find(f.cubin, "nvrtcGetCUBIN");
    find(f.add_name, "nvrtcAddNameExpression");
    find(f.lowered_name, "nvrtcGetLoweredName");
    if (f.version != nullptr && f.version(&f.major, &f.minor) == success && f.major < oldest_nvrtc)
        return unusable(library + " is NVRTC " + std::to_string(f.major) + "." +
                        std::to_string(f.minor) + ", too old");
    if (!missing.empty()) return unusable(library + " is not NVRTC: it has no " + missing);
    f.precompiles = ::dlsym(handle, "nvrtcGetPCHCreateStatus") != nullptr;
    return f;
}

/// A worker serves one pool, so it sees one library; it is never unloaded.
result<functions const*> loaded(std::string const& library) {
    static std::string name;
    static functions f;
    if (name != library) {
        auto fresh = load(library);
        if (!fresh) return fresh.error();
        f = *fresh;
        name = library;
    }
    return &f;
}

/// The number in `-arch=sm_90a` that this NVRTC does not know, or nothing.
std::string unknown_arch(functions const& f, std::vector<std::string> const& options) {
    constexpr std::string_view stem = "-arch=sm_";
    for (auto const& o : options) {
        if (!o.starts_with(stem)) continue;
        int number = 0, count = 0;
        (void)std::from_chars(o.data() + stem.size(), o.data() + o.size(), number);
        if (f.count_archs(&count) != success || count <= 0) return {};
        std::vector<int> known(static_cast<std::size_t>(count));
        if (f.list_archs(known.data()) != success) return {};
        if (std::find(known.begin(), known.end(), number) == known.end())
            return "sm_" + o.substr(stem.size()) + "; it knows sm_" +
                   std::to_string(*std::min_element(known.begin(), known.end())) + " to sm_" +
                   std::to_string(*std::max_element(known.begin(), known.end()));
    }
    return {};
}

} // namespace lkt::cuda_detail::api

namespace lkt::cuda_detail {

result<void> load_nvrtc(std::string const& library) {
    auto const f = api::loaded(library);
    if (!f) return f.error();
    // A library that NVRTC opens when it compiles for the first time; then it is there already.
    namespace fs = std::filesystem;
    std::error_code failed;
    for (fs::directory_iterator at{fs::path{library}.parent_path(), failed}, end;
         !failed && at != end;
         at.increment(failed))
        if (auto const name = at->path().filename().string();
            name.starts_with("libnvrtc-builtins.so." + std::to_string((*f)->major) + "."))
            (void)::dlopen(at->path().c_str(), RTLD_NOW | RTLD_LOCAL);
    return {};
}

std::vector<std::string> files_of(nvrtc_place const& place) {
    namespace fs = std::filesystem;
    std::vector<std::string> files{"/etc/ld.so.cache"};
    fs::path const library{place.library};
    // Not its folder, which may hold anything.
    std::error_code failed;
    for (fs::directory_iterator at{library.parent_path(), failed}, end; !failed && at != end;
         at.increment(failed))
        if (at->path().filename().string().starts_with("libnvrtc"))
            files.push_back(at->path().string());
    files.insert(files.end(), place.includes.begin(), place.includes.end());
    for (auto const* const folder :
         {"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib64", "/lib64"})
        files.emplace_back(folder);
    return files;
}

result<nvrtc_answer> compile_here(std::string const& library, nvrtc_program const& program) {
    auto const found = api::loaded(library);
    if (!found) return found.error();
    auto const& f = **found;
    nvrtc_answer answer;
    answer.major = f.major, answer.minor = f.minor;
    if (auto const arch = api::unknown_arch(f, program.options); !arch.empty())
        return error{condition::unavailable,
                     "lkt.cuda.arch",
                     "NVRTC " + std::to_string(f.major) + "." + std::to_string(f.minor) +
                         " does not compile for " + arch,
                     "install a CUDA toolkit that supports this GPU"};
    // In that folder it keeps what it made of the headers, for this process alone.
    std::vector<char const*> options;
    // One that cannot does not know the warnings of it either, and refuses to be told of them.
    for (auto const& o : program.options)
        if (f.precompiles || (!o.starts_with("--pch") && o != precompiling_warnings))
            options.push_back(o.c_str());

    std::vector<char const*> texts, names; // of headers; all of them end with a zero byte
    for (auto const& name : program.headers)
        if (auto const* const h = standard::find_header(name)) {
            texts.push_back(h->text.data());
            names.push_back(h->name.data());
        }
    api::program p = nullptr;
    if (f.create(&p,
                 program.text.c_str(),
                 "kernel",
                 static_cast<int>(names.size()),
                 texts.data(),
                 names.data()) != api::success)
        return error{
            condition::transient, "lkt.cuda.compiler", "NVRTC did not create a program", {}};
    auto status = f.add_name(p, program.kernel.c_str());
    std::size_t size = 0;
    auto const compile = [&] {
        status = f.compile(p, static_cast<int>(options.size()), options.data());
        answer.log.clear();
        if (f.log_size(p, &size) != api::success || size <= 1) return;
        answer.log.resize(size);
        (void)f.log(p, answer.log.data());
        answer.log.resize(size - 1); // the zero byte
        // With --ptxas-options=-v, NVRTC 13 ends the part of each of its tools by one.
        std::replace(answer.log.begin(), answer.log.end(), '\0', '\n');
        constexpr std::size_t longest = std::size_t{1} << 20;
        if (answer.log.size() > longest) answer.log.resize(longest);
    };
    if (status == api::success) compile();
    // Where ptxas lists resources, it forgets to say which of them are too many.
    if (status != api::success && answer.log.find("error") == std::string::npos &&
        std::erase_if(options, [](std::string_view o) {
            return o == "--ptxas-options=-v" || o == "-Xptxas=-v";
        }) > 0)
        compile();
    if (status == api::success) {
        char const* lowered = nullptr;
        status = f.lowered_name(p, program.kernel.c_str(), &lowered);
        if (status == api::success && lowered != nullptr) answer.entry = lowered;
    }
    if (status == api::success && f.cubin_size(p, &size) == api::success) {
        answer.image.resize(size);
        status = f.cubin(p, answer.image.data());
        answer.compiled = status == api::success && size > 0;
    }
    (void)f.destroy(&p);
    if (status == api::out_of_memory)
        return error{condition::transient, "lkt.cuda.compiler", "NVRTC ran out of memory", {}};
    if (status == api::builtin_failure)
        return api::unusable("NVRTC does not find libnvrtc-builtins, which belongs beside it");
    answer.refused = status == api::compilation && !gpu_detail::compiler_broke(answer.log);
    if (!answer.compiled && answer.log.empty())
        answer.log = std::string{"NVRTC says only "} + f.error_string(status);
    return answer;
}

compiler_kind const& nvrtc_compiler() {
    static compiler_kind const kind{.title = "NVRTC",
                                    .back_end = "cuda",
                                    .service = compile_key,
                                    .find = &find_nvrtc,
                                    .identity = &identity,
                                    .identity_of_includes = &identity_of_includes,
                                    .hash_of_headers = &standard::hash_of_headers,
                                    .files_of = &files_of,
                                    .prepare = &prepare,
                                    .resources = &resources_in,
                                    .load = &load_nvrtc,
                                    .compile = &compile_here};
    return kind;
}

result<worker_message> serve_compile(worker_message message) {
    return serve_compiler(nvrtc_compiler(), std::move(message));
}

} // namespace lkt::cuda_detail
