// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <lkt/gpu/compile_cache.hpp>
#include <lkt/gpu/device/detail/standard_headers.hpp>
#include <lkt/gpu/hip/detail/built_in_headers.hpp>
#include <lkt/gpu/hip/hiprtc.hpp>
#include <lkt/gpu/hip/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace lkt::hip_detail {

namespace hiprtc_parts {

using program = void*;
enum status : int { success = 0, out_of_memory = 1, compilation = 6 };

struct functions {
    char const* (*error_string)(int) = nullptr;
    int (*version)(int*, int*) = nullptr;
    int (*create)(program*, char const*, char const*, int, char const* const*, char const* const*) =
        nullptr;
    int (*destroy)(program*) = nullptr;
    int (*compile)(program, int, char const* const*) = nullptr;
    int (*log_size)(program, std::size_t*) = nullptr;
    int (*log)(program, char*) = nullptr;
    int (*code_size)(program, std::size_t*) = nullptr;
    int (*code)(program, char*) = nullptr;
    int (*add_name)(program, char const*) = nullptr;
    int (*lowered_name)(program, char const*, char const**) = nullptr;
    int major = 0, minor = 0;
    std::set<std::string> known; ///< architectures; empty: it does not say
};

error unusable(std::string what) {
    return {condition::unavailable,
            "lkt.hip.hiprtc",
            std::move(what),
            "install ROCm (Debian: libamdhip64-5), or set LKT_HIPRTC to the file libhiprtc.so"};
}

/// What AMD's code object manager, which HIPRTC compiles with, can make. Asked for another, an
/// older one ends the process.
std::set<std::string> architectures() {
    std::set<std::string> known;
    void* comgr = nullptr;
    for (auto const* const name : {"libamd_comgr.so.3", "libamd_comgr.so.2"})
        if (comgr == nullptr) comgr = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    if (comgr == nullptr) return known;
    int (*count)(std::size_t*) = nullptr;
    int (*name_of)(std::size_t, char const**) = nullptr;
    count = reinterpret_cast<decltype(count)>(::dlsym(comgr, "amd_comgr_get_isa_count"));
    name_of = reinterpret_cast<decltype(name_of)>(::dlsym(comgr, "amd_comgr_get_isa_name"));
    std::size_t n = 0;
    if (count == nullptr || name_of == nullptr || count(&n) != 0) return known;
    for (std::size_t k = 0; k < n; ++k) {
        char const* name = nullptr;
        if (name_of(k, &name) != 0 || name == nullptr) continue;
        std::string_view const all{name};
        if (auto const at = all.rfind("gfx"); at != all.npos)
            known.emplace(all.substr(at, std::min(all.find(':', at), all.size()) - at));
    }
    return known;
}

result<functions> load(std::string const& library) {
    std::string why;
    auto* const handle = open_rocm(library, why);
    if (handle == nullptr) return unusable("HIPRTC cannot be loaded: " + why);
    functions f;
    std::string missing;
    auto const find = [&]<class F>(F& function, char const* name) {
        function = reinterpret_cast<F>(::dlsym(handle, name));
        if (function == nullptr && missing.empty()) missing = name;
    };
    find(f.error_string, "hiprtcGetErrorString");
    find(f.version, "hiprtcVersion");
    find(f.create, "hiprtcCreateProgram");
    find(f.destroy, "hiprtcDestroyProgram");
    find(f.compile, "hiprtcCompileProgram");
    find(f.log_size, "hiprtcGetProgramLogSize");
    find(f.log, "hiprtcGetProgramLog");
    find(f.code_size, "hiprtcGetCodeSize");
    find(f.code, "hiprtcGetCode");
    find(f.add_name, "hiprtcAddNameExpression");
    find(f.lowered_name, "hiprtcGetLoweredName");
    if (!missing.empty()) return unusable(library + " is not HIPRTC: it has no " + missing);
    (void)f.version(&f.major, &f.minor);
    // A library with the text of HIP's headers, which is opened with the first text otherwise.
    std::error_code failed;
    for (std::filesystem::directory_iterator
             at{std::filesystem::path{library}.parent_path(), failed},
         end;
         !failed && at != end;
         at.increment(failed))
        if (at->path().filename().string().starts_with("libhiprtc-builtins.so."))
            (void)::dlopen(at->path().c_str(), RTLD_NOW | RTLD_LOCAL);
    f.known = architectures();
    return f;
}

/// A worker serves one pool, so it sees one library; it is never unloaded.
result<functions const*> loaded(std::string const& library) {
    static std::string name;
    static functions f;
    if (name != library) {
        auto fresh = load(library);
        if (!fresh) return fresh.error();
        f = std::move(*fresh);
        name = library;
    }
    return &f;
}

result<void> load_it(std::string const& library) {
    if (auto const f = loaded(library); !f) return f.error();
    return {};
}

std::string identity(compiler_place const& place) {
    std::string text;
    std::filesystem::path const library{place.library};
    std::error_code failed;
    std::vector<std::string> stamps;
    for (std::filesystem::directory_iterator at{library.parent_path(), failed}, end;
         !failed && at != end;
         at.increment(failed)) {
        auto const name = at->path().filename().string();
        if (name.starts_with("libhiprtc") || name.starts_with("libamd_comgr") ||
            at->path() == library)
            stamps.push_back(gpu_detail::file_stamp(at->path().string()));
    }
    std::sort(stamps.begin(), stamps.end());
    for (auto const& s : stamps) text += s;
    return text;
}

/// HIPRTC has its headers built in; a folder of the user's is read whole.
std::string identity_of_includes(compiler_place const&) { return {}; }

std::vector<std::string> files_of(compiler_place const& place) {
    std::vector<std::string> files{"/etc/ld.so.cache"};
    std::filesystem::path const library{place.library};
    std::error_code failed;
    for (std::filesystem::directory_iterator at{library.parent_path(), failed}, end;
         !failed && at != end;
         at.increment(failed)) {
        auto const name = at->path().filename().string();
        if (name.starts_with("libhiprtc") || name.starts_with("libamd"))
            files.push_back(at->path().string());
    }
    for (auto const* const folder :
         {"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib64", "/lib64"})
        files.emplace_back(folder);
    return files;
}

/// Part of the key of what is compiled with them.
std::uint64_t hash_of_headers() {
    auto hash = layout_hash(header_text, standard::hash_of_headers());
    for (auto const name : built_in) hash = layout_hash(name, hash);
    return hash;
}

result<compiler_answer> compile(std::string const& library, compiler_program const& p) {
    auto const found = loaded(library);
    if (!found) return found.error();
    auto const& f = **found;
    compiler_answer answer;
    answer.major = f.major, answer.minor = f.minor;
    constexpr std::string_view stem = "--offload-arch=";
    for (auto const& o : p.options) {
        if (!o.starts_with(stem) || f.known.empty()) continue;
        auto const arch = o.substr(stem.size(), o.find(':') - stem.size());
        if (f.known.contains(arch)) continue;
        return error{condition::unavailable,
                     "lkt.hip.arch",
                     "HIPRTC " + std::to_string(f.major) + "." + std::to_string(f.minor) +
                         " does not compile for " + arch,
                     "install a ROCm that supports this GPU"};
    }
    std::vector<char const*> options, texts, names;
    for (auto const& o : p.options) options.push_back(o.c_str());
    for (auto const& h : p.headers) {
        names.push_back(h.c_str());
        auto const* const own = standard::find_header(h);
        texts.push_back(own != nullptr ? own->text.data() : header_text);
    }
    program made = nullptr;
    if (f.create(&made,
                 p.text.c_str(),
                 "kernel",
                 static_cast<int>(names.size()),
                 texts.data(),
                 names.data()) != success)
        return error{
            condition::transient, "lkt.hip.compiler", "HIPRTC did not create a program", {}};
    int status = f.add_name(made, p.kernel.c_str());
    if (status == success)
        status = f.compile(made, static_cast<int>(options.size()), options.data());
    std::size_t size = 0;
    if (f.log_size(made, &size) == success && size > 1) {
        answer.log.resize(size);
        (void)f.log(made, answer.log.data());
        while (!answer.log.empty() && answer.log.back() == '\0') answer.log.pop_back();
        constexpr std::size_t longest = std::size_t{1} << 20;
        if (answer.log.size() > longest) answer.log.resize(longest);
    }
    if (status == success) {
        char const* lowered = nullptr;
        status = f.lowered_name(made, p.kernel.c_str(), &lowered);
        if (status == success && lowered != nullptr) answer.entry = lowered;
    }
    if (status == success && f.code_size(made, &size) == success) {
        answer.image.resize(size);
        status = f.code(made, answer.image.data());
        answer.compiled = status == success && size > 0;
    }
    (void)f.destroy(&made);
    if (status == out_of_memory)
        return error{condition::transient, "lkt.hip.compiler", "HIPRTC ran out of memory", {}};
    answer.refused = status == compilation && !gpu_detail::compiler_broke(answer.log);
    if (!answer.compiled && answer.log.empty())
        answer.log = std::string{"HIPRTC says only "} + f.error_string(status);
    return answer;
}

} // namespace hiprtc_parts

result<compiler_place> find_hiprtc(std::string const& library) {
    namespace fs = std::filesystem;
    auto const at = [](std::string const& file, std::string by) -> result<compiler_place> {
        std::error_code failed;
        auto const real = fs::canonical(file, failed);
        if (failed || !fs::is_regular_file(real, failed))
            return hiprtc_parts::unusable("there is no HIPRTC at '" + file + "', which " + by +
                                          " names");
        return compiler_place{real.string(), {}, std::move(by)};
    };
    if (!library.empty()) return at(library, "hip_options::hiprtc");
    for (auto const* const name : {"LKT_HIPRTC", "LKT_HIP"})
        if (char const* const file = std::getenv(name); file != nullptr && *file != '\0')
            return at(file, name);
    auto found = rocm_files({"libhiprtc.so", "libamdhip64.so"});
    // HIPRTC is a library of its own since ROCm 5.3; before, libhiprtc is not there.
    if (found.empty())
        return hiprtc_parts::unusable("HIPRTC, the compiler of HIP kernels, was not found");
    return compiler_place{std::move(found.front()), {}, "ROCm"};
}

compiler_kind const& hiprtc_compiler() {
    static compiler_kind const kind{.title = "HIPRTC",
                                    .back_end = "hip",
                                    .service = compile_key,
                                    .writes_files = true,
                                    .probe = "--offload-arch=gfx906",
                                    .find = &find_hiprtc,
                                    .identity = &hiprtc_parts::identity,
                                    .identity_of_includes = &hiprtc_parts::identity_of_includes,
                                    .hash_of_headers = &hiprtc_parts::hash_of_headers,
                                    .files_of = &hiprtc_parts::files_of,
                                    .prepare = &prepare,
                                    .resources = &resources_in,
                                    .load = &hiprtc_parts::load_it,
                                    .compile = &hiprtc_parts::compile};
    return kind;
}

result<worker_message> serve_compile(worker_message message) {
    return serve_compiler(hiprtc_compiler(), std::move(message));
}

} // namespace lkt::hip_detail
